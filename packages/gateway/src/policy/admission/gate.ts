import type { HttpRequest } from '../../http/server/exchange.ts'
import type { HttpAnswer, HttpRefusal } from '../../http/server/reply.ts'

/** Undefined lets the request continue. */
export type Admission = HttpRefusal | HttpAnswer | undefined

/** Decides who may come in, before a byte of the body is read. */
export interface Gate {
  readonly name: string
  /** An answer or a refusal ends the request here. Returns a promise only in the rare case that it has to wait. */
  admit(request: HttpRequest): Admission | Promise<Admission>
  /** Whether the sender of an admitted request may go on hearing what comes on its stream. */
  mayStay?(request: HttpRequest): boolean | Promise<boolean>
}
