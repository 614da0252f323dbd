import { setTimeout as pause } from 'node:timers/promises'
import {
  Client,
  type ClientOptions,
  SSEClientTransport,
  SdkHttpError,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { ThvError, conflict, describeError, isThvError } from '@toolhaven/core/errors'
import { printable } from '@toolhaven/contract/visible-text'
import { VERSION } from '../version.ts'
import type { McpTarget } from './target.ts'

/** How long a server may take to forget us; the answer is there already. */
const FAREWELL_MS = 1_000

export interface AskOptions {
  signal: AbortSignal
  timeout: number
}

export interface Purpose {
  /** What is said of the server when it does not work, after its name. */
  failure: string
  timeoutSeconds: number
  signal: AbortSignal
  /** What the client can do, besides to ask. */
  capabilities?: ClientOptions['capabilities']
}

/** Connects to a server, does the work and takes its leave. Failures are explained. */
export async function withServer<Result>(
  target: McpTarget,
  purpose: Purpose,
  work: (client: Client, options: AskOptions) => Promise<Result>,
): Promise<Result> {
  const { timeoutSeconds, signal, capabilities = {} } = purpose
  const limit = AbortSignal.timeout(timeoutSeconds * 1000)
  const options = { signal: AbortSignal.any([signal, limit]), timeout: timeoutSeconds * 1000 }
  try {
    await using connection = await connect(target, capabilities, options)
    return await work(connection.client, options)
  } catch (error) {
    if (signal.aborted || isThvError(error)) throw error
    if (limit.aborted)
      throw conflict(`${target.name} did not answer within ${timeoutSeconds} s\nGive it longer with --timeout.`, error)
    throw explained(target, purpose.failure, error)
  }
}

interface Connection extends AsyncDisposable {
  client: Client
}

async function connect(
  { url, transports }: McpTarget,
  capabilities: NonNullable<ClientOptions['capabilities']>,
  options: AskOptions,
): Promise<Connection> {
  const [kind, ...others] = transports
  const client = new Client(
    { name: 'thv', version: VERSION },
    { versionNegotiation: { mode: 'auto' }, listMaxPages: 0, capabilities },
  )
  const transport = kind === 'sse' ? new SSEClientTransport(url) : new StreamableHTTPClientTransport(url)
  try {
    await client.connect(transport, options)
  } catch (error) {
    await client.close()
    // 401 and 403 are answers of a server that understood: another transport would be refused too.
    const isOtherKind =
      error instanceof SdkHttpError && (error.status === 404 || error.status === 405 || error.status === 400)
    if (others.length === 0 || !isOtherKind) throw error
    return connect({ name: '', url, transports: others }, capabilities, options)
  }
  return {
    client,
    [Symbol.asyncDispose]: async () => {
      // A server that keeps sessions can forget ours at once; one that does not, or is gone, has nothing to forget.
      if ('terminateSession' in transport)
        await Promise.race([transport.terminateSession().catch(() => undefined), pause(FAREWELL_MS)])
      await client.close()
    },
  }
}

/** What Node and its HTTP library call a server that was not reached. */
const UNREACHED: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens at that address',
  ENOTFOUND: 'there is no host of that name',
  EAI_AGAIN: 'the name of the host could not be looked up',
  EHOSTUNREACH: 'no way leads to that host',
  ENETUNREACH: 'no way leads to that host',
  ECONNRESET: 'the connection was cut',
  UND_ERR_SOCKET: 'the connection was cut',
  UND_ERR_CONNECT_TIMEOUT: 'the host did not answer in time',
}

/** The error of the library has that of the connection as its cause, or as the cause of that. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  if ('code' in error && typeof error.code === 'string' && error.code in UNREACHED) return error.code
  return codeOf(error.cause)
}

function explained({ name, url }: McpTarget, failure: string, error: unknown): ThvError {
  const status = error instanceof SdkHttpError ? error.status : undefined
  if (status === 401 || status === 403)
    return new ThvError('forbidden', `${name} asks who calls (${status}); "thv run ${url.href}" runs it with a login`, {
      cause: error,
    })
  const reason = UNREACHED[codeOf(error) ?? '']
  if (reason !== undefined)
    return conflict(
      printable(`${name} ${failure}: ${reason}`) + `\nCheck the address, and that the server runs: ${url.href}`,
      error,
    )
  const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : ''
  const what = printable(`${name} ${failure}: ${describeError(error)}${cause}`.slice(0, 500))
  return conflict(`${what}\nIs ${url.origin} an MCP server? --transport says how to speak to it.`, error)
}
