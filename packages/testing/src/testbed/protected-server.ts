import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http'
import { startHttpServer } from '../mcp-servers/child-channel.ts'
import type { LoginProvider } from './login-provider.ts'

export interface ProtectedServer extends AsyncDisposable {
  /** Address of its MCP endpoint. */
  url: string
  origin: string
  /** The Authorization header of each request to the MCP endpoint so far. */
  seen: (string | undefined)[]
  /** Changes its description of itself, or its answers. */
  change: (change: Partial<ProtectedServerOptions>) => void
}

export interface ProtectedServerOptions {
  /** The content of its description. Default: what is true. */
  metadata: unknown
  /** Its challenge with a 401. Default: where its description is. */
  challenge: string
  /** The scope that tokens must have. Default: any valid token is accepted. */
  scope: string
  /** Gets each request first. Returns true when it answered. */
  answer: (request: IncomingMessage, response: ServerResponse) => boolean
}

/** An MCP server on the loopback that accepts only tokens of the provider. */
export async function startProtectedServer(
  provider: LoginProvider,
  transport: 'sse' | 'streamable-http' = 'streamable-http',
): Promise<ProtectedServer> {
  const inner = await startHttpServer(transport, [])
  const path = new URL(inner.url).pathname
  const seen: (string | undefined)[] = []
  let options: Partial<ProtectedServerOptions> = {}
  const server = createServer((request, response) => {
    void handle(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP listener has a port')
  const origin = `http://127.0.0.1:${address.port}`
  const url = `${origin}${path}`
  const described = `${origin}/.well-known/oauth-protected-resource${path}`

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (options.answer?.(request, response)) return
    if (`${origin}${request.url}` === described) {
      const metadata = options.metadata ?? {
        resource: url,
        authorization_servers: [provider.issuer],
        scopes_supported: ['mcp'],
      }
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(metadata))
      return
    }
    const { authorization } = request.headers
    seen.push(authorization)
    const token = /^Bearer (.+)$/.exec(authorization ?? '')?.[1]
    if (token === undefined || !(await provider.isGood(token, url))) {
      const challenge = options.challenge ?? `Bearer error="invalid_token", resource_metadata="${described}"`
      response.writeHead(401, { 'www-authenticate': challenge }).end()
      return
    }
    const wanted = options.scope?.split(' ') ?? []
    const given = await provider.scopesOf(token)
    if (!wanted.every((scope) => given.includes(scope))) {
      const challenge = `Bearer error="insufficient_scope", scope="${options.scope}", resource_metadata="${described}"`
      response.writeHead(403, { 'www-authenticate': challenge }).end()
      return
    }
    const { method, headers } = request
    const passed = forward(new URL(request.url ?? '', inner.url), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    passed.on('error', () => response.destroy())
    response.on('close', () => passed.destroy())
    request.pipe(passed)
  }

  return {
    url,
    origin,
    seen,
    change: (change) => void (options = change),
    async [Symbol.asyncDispose]() {
      await inner.kill()
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
    },
  }
}
