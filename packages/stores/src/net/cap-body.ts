import { describeError, isThvError, type ThvError, invalid, unavailable } from '@toolhaven/core/errors'

interface Answer {
  status: number
  statusText: string
  headers: Iterable<[string, string]>
  body: AsyncIterable<Uint8Array<ArrayBuffer>> | null
}

/**
 * The response with a body that fails as soon as it exceeds the limit. Bytes are counted after decoding, chunk by chunk, so
 * a small compressed body that unpacks to a huge one costs at most one chunk more than the limit.
 */
export function capBody(answer: Answer, maxBytes: number, url: URL): Response {
  const headers = new Headers([...answer.headers])
  const declared = Number(headers.get('content-length') ?? 0)
  if (!headers.has('content-encoding') && declared > maxBytes) throw tooLarge(url, maxBytes)
  // These headers describe the bytes on the wire, not those the caller reads.
  headers.delete('content-encoding')
  headers.delete('content-length')
  const init = { status: answer.status, statusText: answer.statusText, headers }
  return new Response(answer.body === null ? null : toStream(counted(answer.body, maxBytes, url)), init)
}

async function* counted(body: AsyncIterable<Uint8Array<ArrayBuffer>>, maxBytes: number, url: URL) {
  let bytes = 0
  try {
    for await (const chunk of body) {
      bytes += chunk.byteLength
      if (bytes > maxBytes) throw tooLarge(url, maxBytes)
      yield chunk
    }
  } catch (error) {
    if (isThvError(error)) throw error
    throw unavailable(`the response from ${url.host} broke off: ${describeError(error)}`, error)
  }
}

/** Requests a chunk only when the reader wants one, so that the sender waits for the reader. */
function toStream(chunks: AsyncGenerator<Uint8Array<ArrayBuffer>, void>): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream(
    {
      async pull(controller) {
        const next = await chunks.next()
        if (next.done) controller.close()
        else controller.enqueue(next.value)
      },
      async cancel() {
        await chunks.return()
      },
    },
    { highWaterMark: 0 },
  )
}

function tooLarge(url: URL, maxBytes: number): ThvError {
  return invalid(`the response from ${url.host} is larger than ${maxBytes} bytes`)
}
