import type { Logger } from '@toolhaven/core/ports/logger'
import type { StdioChannel } from '@toolhaven/core/ports/runtime'
import { unavailable } from '@toolhaven/core/errors'
import type { JsonObject, RpcNotification, RpcRequest } from '../../messages/json-rpc.ts'
import type { GatewayLimits } from '../../endpoint/options.ts'
import { PendingCalls } from '../pending-calls.ts'
import { StdioWire } from './stdio-wire.ts'

export interface StdioPipeOptions {
  name: string
  channel: StdioChannel
  limits: GatewayLimits
  logger: Logger
  onOutput: (stream: 'stdout' | 'stderr', text: string) => void
  onLost: (reason: string) => void
}

/** A process and the requests it has not answered yet, in either era. */
export class StdioPipe {
  readonly pending = new PendingCalls()
  readonly #name: string
  readonly #wire: StdioWire
  /** Gets what the server sends on its own initiative. */
  onMessage: (message: RpcRequest | RpcNotification) => void = () => {}
  /** Whether the process has sent any message of the protocol. */
  hasSpoken = false
  /** The first line on its standard output that is not such a message. */
  strayLine: string | undefined

  constructor(options: StdioPipeOptions) {
    this.#name = options.name
    this.#wire = new StdioWire({
      ...options,
      onOutput: (stream, text) => {
        if (stream === 'stdout') this.strayLine ??= text
        options.onOutput(stream, text)
      },
      onMessage: (message) => {
        this.hasSpoken = true
        if (message.kind === 'response') this.pending.take(message.id)?.onAnswer(message.body, message.text)
        else this.onMessage(message)
      },
      onLargeAnswer: (id, line, from, to) => this.pending.takeBytes(id, line, from, to),
      onAnswerDropped: (id, why) => this.pending.take(id)?.onLost(why),
      onClosed: (reason) => {
        this.pending.failAll(reason)
        options.onLost(reason)
      },
    })
  }

  /** Returns false when the pipe is closed, or the server has too much unread already. */
  write(body: JsonObject): boolean {
    return this.#wire.write(JSON.stringify(body))
  }

  /** The same for text that is already on one line. */
  writeText(text: string): boolean {
    return this.#wire.write(text)
  }

  /** The same for bytes that include the newline, in parts. */
  writeLine(parts: readonly Buffer[]): boolean {
    return this.#wire.writeLine(parts)
  }

  /** Sends a request of the gateway's own and returns the response, whatever it says. */
  ask(method: string, params: JsonObject | undefined, signal: AbortSignal): Promise<JsonObject> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted()
      const id = this.pending.add({
        call: undefined,
        onAnswer: (body) => {
          signal.removeEventListener('abort', onAbort)
          resolve(body)
        },
        onLost: (reason) => {
          signal.removeEventListener('abort', onAbort)
          reject(unavailable(`The server ${this.#name} did not answer: ${reason}.`))
        },
      })
      const onAbort = () => {
        this.pending.take(id)
        reject(signal.reason)
      }
      signal.addEventListener('abort', onAbort, { once: true })
      const sent = this.write({ jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) })
      if (!sent) this.pending.take(id)?.onLost('its input is closed or full')
    })
  }

  stop(reason: string, keepOpen: boolean): void {
    this.#wire.stop(keepOpen)
    this.pending.failAll(reason)
  }
}
