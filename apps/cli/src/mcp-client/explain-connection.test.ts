import { once } from 'node:events'
import { type Server, createServer } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { testCertificate } from '@toolhaven/testing/testbed/certificate'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listServer } from './list-server.ts'
import type { McpTarget } from './target.ts'

const ANSWERS: Readonly<Record<string, readonly [status: number, type: string, body: string]>> = {
  '/page': [200, 'text/html', '<html></html>'],
  '/text': [200, 'text/plain', 'ok'],
  '/other-json': [200, 'application/json', '{"a": 1}'],
  '/broken-json': [200, 'application/json', '{{'],
  '/fault': [500, 'text/plain', 'oops'],
  '/often': [429, 'text/plain', 'slower'],
  '/wrong-method': [405, 'text/plain', ''],
  '/moved': [301, 'text/plain', ''],
  '/login': [401, 'text/plain', ''],
}

const plain = createServer((request, response) => {
  const [status, type, body] = ANSWERS[request.url ?? ''] ?? [404, 'text/plain', '']
  response.writeHead(status, { 'content-type': type, location: 'http://127.0.0.1:9/new/mcp' }).end(body)
})
const secure = createSecureServer(testCertificate, (_, response) => response.end())

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // oxlint-disable-next-line typescript/consistent-type-assertions -- a TCP server has this form of address
  return (server.address() as AddressInfo).port
}

let port = 0
let securePort = 0
let closedPort = 0
beforeAll(async () => {
  port = await listen(plain)
  securePort = await listen(secure)
  const closed = createServer()
  closedPort = await listen(closed)
  closed.close()
})
afterAll(() => {
  for (const server of [plain, secure]) {
    server.closeAllConnections()
    server.close()
  }
})

async function toldOf(address: string, transports: McpTarget['transports'] = ['streamable-http', 'sse']) {
  const target = { name: address, url: new URL(address), transports }
  const failure: unknown = await listServer(target, ['tools'], 10, new AbortController().signal).catch(
    (error: unknown) => error,
  )
  return failure instanceof Error ? failure.message : 'it was listed'
}

const LIBRARY_WORDS = /negotiation|probe|fetch failed|SSE error|endpoint:|invalid_|Unexpected|Non-200|bad port/

test.each([
  ['/page', /does not answer as an MCP server does\nCheck the path/],
  ['/text', /does not answer as an MCP server does\nCheck the path/],
  ['/other-json', /does not answer as an MCP server does\nCheck the path/],
  ['/broken-json', /does not answer as an MCP server does\nCheck the path/],
  ['/fault', /: it answered 500\nThe server at http.*has a fault/],
  ['/often', /: it answered 429, because it was asked too often\nTry again later/],
  ['/wrong-method', /: it answered 405\nCheck the path/],
  ['/nowhere', /: it answered 404\nCheck the path/],
  ['/moved', /it redirects to another address\nIf you trust that address, use it: http:\/\/127\.0\.0\.1:9\/new\/mcp$/],
  ['/login', /asks who calls \(401\); "thv run /],
])('a server that answers %s is explained', async (path, told) => {
  const message = await toldOf(`http://127.0.0.1:${port}${path}`)
  expect(message).toMatch(told)
  expect(message).not.toMatch(LIBRARY_WORDS)
})

test('an address that leads to no MCP server is explained, for both transports', async () => {
  const wrong: [string, RegExp][] = [
    [`http://127.0.0.1:${closedPort}/mcp`, /nothing listens at that address\nCheck the address/],
    ['http://127.0.0.1:1/mcp', /port 1 belongs to another protocol, .*\nCheck the port\.$/],
    ['http://nowhere.invalid/mcp', /(there is no host with that name|could not be looked up)\nCheck the address/],
    [
      `https://localhost:${securePort}/mcp`,
      /its certificate is not trusted here\nIf you trust localhost:\d+, set NODE_EXTRA/,
    ],
    [`https://127.0.0.1:${port}/mcp`, /it does not speak TLS\nWithout TLS, the address begins with http:/],
  ]
  for (const [address, told] of wrong)
    for (const transports of [['streamable-http', 'sse'], ['sse']] as const) {
      const message = await toldOf(address, transports)
      expect(message, transports.join()).toMatch(told)
      expect(message, transports.join()).not.toMatch(LIBRARY_WORDS)
    }
})
