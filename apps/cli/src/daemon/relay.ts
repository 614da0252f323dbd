import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { RelayedRequest } from '@toolhaven/api/api-deps'
import { unavailable } from '@toolhaven/core/errors'

/** Other headers of a browser, such as its cookies, must not reach a server. */
const FORWARDED = new Set(['accept', 'authorization', 'content-type', 'last-event-id', 'user-agent'])
const RETURNED = new Set(['allow', 'cache-control', 'content-type', 'retry-after', 'www-authenticate'])

const isOfMcp = (name: string) => name.startsWith('mcp-')

/** Forwards a request to the port of a workload, and streams its answer back. */
export async function relay(relayed: RelayedRequest, signal: AbortSignal): Promise<Response> {
  const answer = await send(relayed, signal).catch((error: unknown) => {
    throw unavailable('the workload did not answer; look at its logs', error)
  })
  const headers = new Headers({ 'x-content-type-options': 'nosniff' })
  for (const [name, value] of Object.entries(answer.headers))
    if (typeof value === 'string' && (RETURNED.has(name) || isOfMcp(name))) headers.set(name, value)
  const status = answer.statusCode ?? 502
  const isEmpty = status === 204 || status === 205 || status === 304
  if (isEmpty) answer.resume()
  return new Response(isEmpty ? null : webStreamOf(answer), { status, headers })
}

async function send({ url, method, headers, body }: RelayedRequest, signal: AbortSignal): Promise<IncomingMessage> {
  const { request } = await import('node:http')
  const forwarded = [...headers].filter(([name]) => FORWARDED.has(name) || isOfMcp(name))
  return new Promise((resolve, reject) => {
    const call = request(url, { method, headers: Object.fromEntries(forwarded), signal }, resolve)
    call.once('error', reject)
    // Node closes without an error for an answer that it does not pass on, such as 101.
    call.once('close', () => reject(new Error('it closed the connection without an answer')))
    if (body === null) return void call.end()
    const reader = body.getReader()
    const source = Readable.from(chunksOf(reader))
    source.once('error', (error) => call.destroy(error))
    call.once('close', () => {
      source.destroy()
      // The source may be waiting for a chunk that never comes.
      reader.cancel().catch(() => undefined)
    })
    source.pipe(call)
  })
}

async function* chunksOf(reader: ReadableStreamDefaultReader<Uint8Array>): AsyncGenerator<Uint8Array> {
  for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value
}

/** Ends quietly when either side closes. The other side learns it from the end of the stream. */
function webStreamOf(answer: IncomingMessage): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    start: (controller) => {
      answer.on('data', (chunk: Buffer) => {
        controller.enqueue(new Uint8Array(chunk))
        if ((controller.desiredSize ?? 0) <= 0) answer.pause()
      })
      answer.once('end', () => controller.close())
      answer.once('error', (error) => controller.error(error))
    },
    pull: () => void answer.resume(),
    cancel: () => void answer.destroy(),
  })
}
