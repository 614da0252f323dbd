import type { IncomingMessage, ServerResponse } from 'node:http'

/** Answers a request to a Node server with a handler for web requests. The body is passed separately. */
export async function answerWithFetch(
  handle: (request: Request, body: string) => Response | Promise<Response>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const gone = new AbortController()
  outgoing.once('close', () => gone.abort())
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk)
  const headers = new Headers()
  for (const [name, value] of Object.entries(incoming.headers)) headers.set(name, String(value))
  const body = chunks.length === 0 ? null : Buffer.concat(chunks)
  const method = incoming.method ?? 'GET'
  const request = new Request(`http://fixture${incoming.url}`, { method, headers, body, signal: gone.signal })
  const response = await handle(request, String(body ?? ''))
  outgoing.writeHead(response.status, Object.fromEntries(response.headers)).flushHeaders()
  try {
    for await (const chunk of response.body ?? []) outgoing.write(chunk)
  } catch {
    // The client left in the middle.
  }
  outgoing.end()
}
