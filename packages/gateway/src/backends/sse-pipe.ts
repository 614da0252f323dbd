import { describeError } from '@toolhaven/core/errors'
import type { JsonObject, RpcNotification, RpcRequest } from '../json-rpc.ts'
import { PendingCalls } from './pending-calls.ts'
import { SseUpstream } from './sse-upstream.ts'
import { SessionGone, type UpstreamOptions } from './upstream.ts'

export interface SsePipeOptions extends Pick<UpstreamOptions, 'target' | 'maxMessageBytes'> {
  onLost: (reason: string) => void
}

/** One stream of an HTTP+SSE server for all clients, where the server needs no session to know whose a request is. */
export class SsePipe {
  readonly pending = new PendingCalls()
  readonly #options: SsePipeOptions
  readonly #upstream: SseUpstream
  onMessage: (message: RpcRequest | RpcNotification) => void = () => {}

  constructor(options: SsePipeOptions) {
    this.#options = options
    this.#upstream = new SseUpstream({
      ...options,
      isAwaited: () => true,
      onMessage: (message) => {
        if (message.kind === 'response') this.pending.take(message.id)?.onAnswer(message.body, message.text)
        else this.onMessage(message)
      },
      onEnded: (reason) => this.#lose(reason),
    })
  }

  write(body: JsonObject, headers: Readonly<Record<string, string>> = {}): boolean {
    this.#upstream.send(JSON.stringify(body), undefined, headers).catch((error: unknown) => {
      const reason = describeError(error)
      this.pending.take(body['id'])?.onLost(reason, error instanceof Error ? error : undefined)
      // Whatever else waits on that stream waits in vain.
      if (error instanceof SessionGone) this.#lose(reason)
    })
    return true
  }

  stop(reason: string): void {
    this.#upstream.close()
    this.#options.target.close()
    this.pending.failAll(reason)
  }

  #lose(reason: string): void {
    this.pending.failAll(reason)
    this.#options.onLost(reason)
  }
}
