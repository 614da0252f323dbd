import type { OnReadOpts, Socket } from 'node:net'
import { Turns } from '../../messages/turns.ts'
import { CallsOfSignals } from './calls-of-signals.ts'
import { PlainCall } from './plain-call.ts'
import { PlainPool } from './plain-pool.ts'
import { RequestHeads } from './request-head.ts'
import type { Connections, UpstreamRequest } from './connections.ts'
import type { UpstreamResponse } from './upstream-response.ts'

const NOT_ASCII = /[^\0-\x7f]/

/** The kept connections to one server, with a client of our own. */
export class PlainConnections implements Connections {
  readonly #heads: RequestHeads
  readonly #pool: PlainPool
  readonly #open = new CallsOfSignals<PlainCall>()
  readonly #turns = new Turns()
  readonly #askOnNewConnection = (call: PlainCall) => this.#pool.askOnNewConnection(call)

  constructor({ host }: URL, connect: (onread: OnReadOpts) => Socket) {
    this.#heads = new RequestHeads(host)
    this.#pool = new PlainPool(connect)
  }

  send(request: UpstreamRequest, path: string): Promise<UpstreamResponse> {
    return new Promise((resolve, reject) => {
      const { signal, isRepeatable = false } = request
      signal.throwIfAborted()
      const { message, encoding } = this.#write(request, path)
      const open = this.#open.of(signal)
      const ends = {
        open,
        resolve,
        reject,
        isRepeatable,
        turns: this.#turns,
        askOnNewConnection: this.#askOnNewConnection,
      }
      this.#pool.ask(new PlainCall(message, encoding, ends))
    })
  }

  close(): void {
    this.#pool.close()
  }

  /** Head and body in one piece are one packet and one system call. */
  #write(
    { method, headers, body }: UpstreamRequest,
    path: string,
  ): { message: string | Buffer; encoding: BufferEncoding } {
    const text = body ?? ''
    const bytes = Buffer.byteLength(text)
    const head = this.#heads.write({ method, path, headers }, bytes > 0 || method === 'POST' ? bytes : undefined)
    if (bytes === text.length) return { message: head + text, encoding: 'latin1' }
    if (!NOT_ASCII.test(head)) return { message: head + text, encoding: 'utf8' }
    return { message: Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(text)]), encoding: 'utf8' }
  }
}
