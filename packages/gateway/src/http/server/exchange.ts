import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { PlainRequest } from './plain-request.ts'

/** A client's request, whether Node or the gateway read its head. */
export type HttpRequest = IncomingMessage | PlainRequest

/** The answer to it: the part of Node's response that the gateway needs. */
export interface HttpResponse {
  readonly req: HttpRequest
  readonly socket: Socket | null
  readonly statusCode: number
  readonly headersSent: boolean
  /** Its client has all of it, or is gone. */
  readonly destroyed: boolean
  readonly writableEnded: boolean
  /** The kernel has taken all of it. */
  readonly writableFinished: boolean
  readonly writableLength: number
  writeHead(status: number, headers?: Readonly<Record<string, string | number>>): unknown
  flushHeaders(): void
  /** Everything written from now on is sent with the end, in one piece. */
  cork(): void
  write(data: string | Buffer): boolean
  end(data?: string | Buffer): unknown
  destroy(): unknown
  /** However the response ended. */
  once(event: 'close', listener: () => void): unknown
}

export type Answer = (request: HttpRequest, response: HttpResponse) => void
