import type { IncomingMessage } from 'node:http'

/** The body of a request as text, or undefined when it is longer than it may be. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<string | undefined> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of request) {
    const chunk = Buffer.from(part)
    size += chunk.length
    if (size > maxBytes) return undefined
    parts.push(chunk)
  }
  return Buffer.concat(parts).toString('utf8')
}
