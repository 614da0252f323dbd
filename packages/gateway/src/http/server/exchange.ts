import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { PlainRequest } from './plain-request.ts'

/** A client's request, whoever read its head. */
export type HttpRequest = IncomingMessage | PlainRequest

/** The answer to it: what Node's own has, as far as the gateway needs it. */
export interface HttpResponse {
  readonly req: HttpRequest
  readonly socket: Socket | null
  readonly statusCode: number
  readonly headersSent: boolean
  /** Its client has all of it, or is gone. */
  readonly destroyed: boolean
  readonly writableEnded: boolean
  /** All of it was taken by the kernel. */
  readonly writableFinished: boolean
  readonly writableLength: number
  writeHead(status: number, headers?: Readonly<Record<string, string | number>>): unknown
  flushHeaders(): void
  /** What is written from now on goes with the end, in one piece. */
  cork(): void
  write(data: string | Buffer): boolean
  end(data?: string | Buffer): unknown
  destroy(): unknown
  /** However it came to its end. */
  once(event: 'close', listener: () => void): unknown
}

export type Answer = (request: HttpRequest, response: HttpResponse) => void
