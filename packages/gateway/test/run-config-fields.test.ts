import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { once } from 'node:events'
import type { Server } from 'node:net'
import { testCertificate } from '@toolhaven/testing/testbed/certificate'
import { expect, it, vi } from 'vitest'
import { UpstreamConnections } from '../src/http/client/upstream-connections.ts'
import { withAuthToken } from '../src/oidc/with-auth-token.ts'
import { connectClient, startGateway } from './support/gateway.ts'

async function listening(server: Server): Promise<AsyncDisposable & { port: number }> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP listener has a port')
  return {
    port: address.port,
    [Symbol.asyncDispose]: async () => {
      server.close()
    },
  }
}

it('debug tells each request in the log of the workload, with its outcome and without its arguments', async () => {
  await using test = await startGateway()
  await test.open({ debug: true, toolsFilter: ['echo'] })
  await test.run()
  const client = await connectClient(test, 'v1 http')
  await client.call('echo', { text: 'canary' })
  await client.call('add', { a: 1, b: 2 }).catch(() => undefined)
  const log = () => test.output.join('\n')
  await vi.waitFor(() => expect(log()).toMatch(/toolhaven: tools\/call add: denied by tool-filter after \d+ ms/))
  expect(log()).toMatch(/toolhaven: tools\/call echo: success after \d+ ms/)
  expect(log()).not.toContain('canary')
})

it('without debug the log has no such lines', async () => {
  await using test = await startGateway()
  await test.open()
  await test.run()
  const client = await connectClient(test, 'v1 http')
  await client.call('echo', { text: 'x' })
  expect(test.output.join('\n')).not.toContain('toolhaven:')
})

it('a CA bundle makes a server with a certificate of its own trusted, and only with it', async () => {
  await using server = await listening(
    createSecureServer(testCertificate, (_request, response) => response.end('hello')),
  )
  const origin = `https://localhost:${server.port}`
  const ask = async (caCertificate?: string) => {
    const connections = new UpstreamConnections(origin, { caCertificate })
    try {
      const request = {
        url: new URL(origin),
        method: 'GET',
        headers: {},
        body: undefined,
        signal: new AbortController().signal,
      } as const
      return (await connections.send(request)).status
    } finally {
      connections.close()
    }
  }
  await expect(ask()).rejects.toThrow(/certificate/)
  expect(await ask(testCertificate.cert)).toBe(200)
})

it('the token for the provider goes to the configured origins, and no further', async () => {
  const seen: [string, string | undefined][] = []
  const answer = (name: string, location?: string) => (request: IncomingMessage, response: ServerResponse) => {
    seen.push([name, request.headers.authorization])
    if (location !== undefined && request.url === '/moved') response.writeHead(302, { location })
    response.end('{}')
  }
  await using other = await listening(createServer(answer('other')))
  const elsewhere = `http://127.0.0.1:${other.port}/keys`
  await using provider = await listening(createServer(answer('provider', elsewhere)))
  const issuer = `http://127.0.0.1:${provider.port}`
  const ask = withAuthToken((url, init) => fetch(url, init), { issuer, authToken: 'canary' })
  await ask(`${issuer}/keys`)
  await ask(elsewhere)
  await expect(ask(`${issuer}/moved`)).rejects.toThrow()
  await ask(`${issuer}/introspect`, { headers: { authorization: 'Basic own' } })
  expect(seen).toEqual([
    ['provider', 'Bearer canary'],
    ['other', undefined],
    ['provider', 'Bearer canary'],
    ['provider', 'Basic own'],
  ])
})
