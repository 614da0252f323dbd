import { request } from 'node:http'
import { text } from 'node:stream/consumers'

export interface Answer {
  status: number
  body: string
}

export interface RawCall {
  method?: string
  headers?: Readonly<Record<string, string>>
  body?: string | Uint8Array
}

/**
 * One call with headers and path exactly as given, over TCP or a unix socket. For a stream of events only the beginning
 * is read.
 */
export async function rawCall(
  where: { port: number; host?: string } | { socketPath: string },
  path: string,
  { method = 'GET', headers = {}, body }: RawCall = {},
): Promise<Answer> {
  const sent = request({ host: '127.0.0.1', ...where, path, method, headers, agent: false })
  const answer = Promise.withResolvers<Answer>()
  sent.on('error', answer.reject)
  sent.on('response', (response) => {
    const { statusCode: status = 0, headers: received } = response
    if (received['content-type']?.startsWith('text/event-stream') === true) {
      answer.resolve({ status, body: '' })
      return void response.destroy()
    }
    text(response).then((said) => answer.resolve({ status, body: said }), answer.reject)
  })
  sent.end(body)
  return answer.promise
}
