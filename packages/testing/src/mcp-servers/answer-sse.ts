import { randomUUID } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { PassThrough, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'

/**
 * HTTP+SSE for the newest SDK, which no longer has it, although the Python SDK does: each stream is a connection of its
 * own.
 */
export function answerSse(serve: (transport: StdioServerTransport) => void): RequestListener {
  const inputs = new Map<string, PassThrough>()
  const open = (response: ServerResponse) => {
    const id = randomUUID()
    const input = new PassThrough()
    inputs.set(id, input)
    response.once('close', () => {
      inputs.delete(id)
      input.destroy()
    })
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(`event: endpoint\ndata: /messages?sessionId=${id}\n\n`)
    serve(new StdioServerTransport(input, eventsTo(response)))
  }
  const receive = async (request: IncomingMessage, response: ServerResponse, id: string) => {
    const message = await text(request)
    const input = inputs.get(id)
    input?.write(`${message}\n`)
    response.writeHead(input === undefined ? 404 : 202).end()
  }
  return (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://fixture')
    if (request.method === 'GET' && pathname === '/sse') open(response)
    // Rejects when the caller leaves in the middle, and then gets no answer.
    else receive(request, response, searchParams.get('sessionId') ?? '').catch(() => response.destroy())
  }
}

/** Each write is a message and the end of its line. */
function eventsTo(response: ServerResponse): Writable {
  return new Writable({
    write(line, _encoding, done) {
      response.write(`event: message\ndata: ${String(line).trimEnd()}\n\n`)
      done()
    },
  })
}
