import type { IncomingMessage } from 'node:http'

/** The whole body, or `too-large` as soon as it is, or `aborted` when the caller went away. */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer | 'too-large' | 'aborted'> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > maxBytes) {
        chunks.length = 0
        request.removeAllListeners('data')
        // Paused: the rest stays in the kernel until the connection is closed with the answer.
        request.pause()
        resolve('too-large')
        return
      }
      chunks.push(chunk)
    })
    // Not `once`: a promise settles once anyway, and taking listeners off costs more than leaving them.
    request.on('end', () => resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)))
    request.on('error', () => resolve('aborted'))
    request.on('close', () => resolve('aborted'))
  })
}
