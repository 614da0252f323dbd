import type { Answer } from '../../src/http/server/exchange.ts'
import { readBody } from '../../src/http/server/read-body.ts'
import { sendText } from '../../src/http/server/reply.ts'

/** Reports what it was asked, each path in its own way. */
export const tell: Answer = (request, response) => {
  const { method, url = '', headers, rawHeaders } = request
  const text = (body: unknown) => JSON.stringify({ method, url, headers, rawHeaders, body })
  if (url === '/unread') return void response.end(text('unread'))
  if (url === '/last' || url === '/close') return respondAndClose(text('none'))
  const read = () =>
    readBody(request, { maxBytes: 1_000_000 }, (body) => {
      if (body === 'aborted') return
      if (body === 'too-large' || body === 'no-room') return respondAndClose(body)
      const whole = Buffer.concat(body)
      const shown = text(whole.length > 100 ? whole.length : whole.toString('latin1'))
      if (url === '/stream') return stream(shown)
      if (url === '/large') return void response.end(Buffer.from(shown))
      if (url === '/parts') return sendText(response, 200, 'text/plain', [Buffer.from(shown), Buffer.from('…')])
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(shown) })
      response.end(shown)
    })
  if (url === '/late') setImmediate(read)
  else read()

  function respondAndClose(shown: string) {
    response.writeHead(200, { connection: 'close', 'content-length': Buffer.byteLength(shown) })
    response.end(shown)
  }
  function stream(shown: string) {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.flushHeaders()
    response.write(shown)
    setImmediate(() => {
      response.write('äöü\n')
      response.end()
    })
  }
}
