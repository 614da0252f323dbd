import type { IncomingMessage } from 'node:http'
import { addPart } from '../../messages/parts.ts'
import type { Body, BodyBounds } from './body.ts'
import type { HttpRequest } from './exchange.ts'
import { PlainRequest } from './plain-request.ts'

/**
 * Calls back once, with the whole body, with `too-large` or `no-room` as soon as that is known, or with `aborted` when
 * the client disconnects. It uses as few promises and listeners as possible, because it runs for every call.
 */
export function readBody(request: HttpRequest, bounds: BodyBounds, onBody: (body: Body) => void): void {
  if (request instanceof PlainRequest) request.readBody(bounds, onBody)
  else readFromNode(request, bounds, onBody)
}

function readFromNode(request: IncomingMessage, { maxBytes, hasRoom }: BodyBounds, onBody: (body: Body) => void): void {
  const chunks: Buffer[] = []
  let size = 0
  let isOver = false
  const end = (body: Body) => {
    if (isOver) return
    isOver = true
    onBody(body)
  }
  request.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > maxBytes) {
      chunks.length = 0
      request.removeAllListeners('data')
      // Paused: the rest stays in the kernel until the connection is closed with the answer.
      request.pause()
      end('too-large')
      return
    }
    if (hasRoom?.(size) === false) {
      chunks.length = 0
      request.removeAllListeners('data')
      // Read and dropped, so that the client can send the request again on this connection.
      request.resume()
      end('no-room')
      return
    }
    addPart(chunks, chunk)
  })
  request.on('end', () => end(chunks))
  // Without a listener for a request's errors, only this event reports one.
  request.on('close', () => end('aborted'))
}
