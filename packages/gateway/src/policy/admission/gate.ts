import type { HttpRequest } from '../../http/server/exchange.ts'
import type { HttpAnswer, HttpRefusal } from '../../http/server/reply.ts'

/** Undefined lets the request go on. */
export type Admission = HttpRefusal | HttpAnswer | undefined

/** Says who may come in, before a byte of the body is read. */
export interface Gate {
  readonly name: string
  /** An answer or a refusal ends the way here. What is known at once is said at once: a promise is for the rare case. */
  admit(request: HttpRequest): Admission | Promise<Admission>
  /** Whether the sender of a request that was admitted before may go on hearing what comes on its stream. */
  mayStay?(request: HttpRequest): boolean | Promise<boolean>
}
