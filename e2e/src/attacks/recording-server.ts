import { createServer, request as forward, type IncomingHttpHeaders } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { startHttpServer } from '@toolhaven/testing/mcp-servers/child-channel'

/** A remote MCP server that records what it gets. */
export interface RecordingServer extends AsyncDisposable {
  url: string
  received: { headers: IncomingHttpHeaders; body: string }[]
}

export async function startRecordingServer(): Promise<RecordingServer> {
  const inner = await startHttpServer('streamable-http')
  const received: RecordingServer['received'] = []
  const server = createServer((request, response) => {
    const { method, headers } = request
    const passed = forward(new URL(request.url ?? '', inner.url), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    passed.on('error', () => response.destroy())
    response.on('close', () => passed.destroy())
    void buffer(request).then((body) => {
      received.push({ headers, body: body.toString('utf8') })
      passed.end(body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP listener has a port')
  return {
    url: `http://127.0.0.1:${address.port}/mcp`,
    received,
    async [Symbol.asyncDispose]() {
      await inner.kill()
      server.closeAllConnections()
      server.close()
    },
  }
}
