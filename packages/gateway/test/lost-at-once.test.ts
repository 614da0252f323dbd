import { createServer, type ServerResponse } from 'node:http'
import { expect, it } from 'vitest'
import { freePort } from '@toolhaven/testing/free-port'
import { NAME, never, startGateway } from './support/gateway.ts'

const VERSION = '2026-07-28'

it('a server that is lost while its tools are looked at is left alone', async () => {
  await using test = await startGateway()
  await test.open({ toolsChanged: 'warn' })
  const streams = new Set<ServerResponse>()
  const listened = Promise.withResolvers<void>()
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { id, method } = JSON.parse(Buffer.concat(chunks).toString())
    if (method === 'subscriptions/listen') {
      streams.add(response)
      response.once('close', () => streams.delete(response))
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
      // From now on it can only be reached over this stream.
      server.close()
      return listened.resolve()
    }
    const discovered = { supportedVersions: [VERSION], capabilities: { tools: { listChanged: true } } }
    if (method === 'tools/list') await listened.promise
    const result = method === 'tools/list' ? { tools: [], nextCursor: 'more' } : discovered
    const text = JSON.stringify({ jsonrpc: '2.0', id, result: { resultType: 'complete', ...result } })
    return response.writeHead(200, { 'content-type': 'application/json', connection: 'close' }).end(text)
  })
  test.defer(() => server.closeAllConnections())
  const port = await freePort()
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${port}/mcp`
  await expect(
    test.gateway.connect(NAME, { kind: 'http', transport: 'streamable-http', url, processId: 'p' }, never),
  ).rejects.toThrow('was lost right after it started')
  await expect.poll(() => streams.size).toBe(0)
})
