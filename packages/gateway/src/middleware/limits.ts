import type { HttpRefusal } from '../http/reply.ts'
import type { Middleware } from './middleware.ts'

/** Refuses by the announced length; a body that lies about it is cut while it is read. */
export function limits(options: { maxMessageBytes: number }): Middleware {
  return {
    name: 'limits',
    admit(request): HttpRefusal | undefined {
      const length = Number(request.headers['content-length'] ?? 0)
      return length > options.maxMessageBytes ? tooLarge(options.maxMessageBytes) : undefined
    },
  }
}

export function tooLarge(maxBytes: number): HttpRefusal {
  return {
    status: 413,
    message: `The message is over the limit of ${maxBytes} bytes.`,
    headers: { connection: 'close' },
  }
}
