import { describeError } from '@toolhaven/core/errors'
import type { JsonObject, RpcNotification, RpcRequest } from '../../messages/json-rpc.ts'
import { AbsentServer } from './absent-server.ts'
import { idOfDropped } from '../dropped-answer.ts'
import { PendingCalls } from '../pending-calls.ts'
import { SseUpstream } from './sse-upstream.ts'
import { isNotReached } from '@toolhaven/core/net/not-reached'
import { ensureGone, SessionGone, type UpstreamOptions } from './upstream.ts'

export interface SsePipeOptions extends Pick<UpstreamOptions, 'target' | 'maxMessageBytes'> {
  /** The stream ended, or nothing listens at the server's address. The next message opens another. */
  onLost: (reason: string) => void
}

export interface SseMessageOptions {
  headers: Readonly<Record<string, string>>
  /** How long it waits for a server that does not listen at the moment. */
  waitMs: number
}

const LEFT_BEFORE_ANSWER = 'the stream ended before the answer. The server may have carried out the call'

/** One stream of an HTTP+SSE server for all clients, for servers that need no session to tell whose a request is. */
export class SsePipe {
  readonly pending = new PendingCalls()
  readonly #options: SsePipeOptions
  /** Ids of requests that the server has not accepted yet: if it forgot a stream, they can go out on the next one. */
  readonly #undelivered = new Set<unknown>()
  #stream: SseUpstream | undefined
  #stopped: string | undefined
  onMessage: (message: RpcRequest | RpcNotification) => void = () => {}

  constructor(options: SsePipeOptions) {
    this.#options = options
  }

  /** It serves everyone, so it carries nobody's headers. */
  async open(): Promise<SseUpstream> {
    if (this.#stopped !== undefined) throw new Error(this.#stopped)
    const stream = (this.#stream ??= this.#create())
    try {
      await stream.open({})
      return stream
    } catch (error) {
      this.#leave(stream)
      throw error
    }
  }

  write(body: JsonObject, options: SseMessageOptions = { headers: {}, waitMs: 0 }): boolean {
    const { id } = body
    this.#undelivered.add(id)
    this.#deliver(body, options)
      .catch((error: unknown) => {
        this.pending.take(id)?.onLost(describeError(error), error instanceof Error ? error : undefined)
      })
      .finally(() => this.#undelivered.delete(id))
    return true
  }

  stop(reason: string): void {
    this.#stopped = reason
    this.#stream?.close()
    void this.#options.target.close()
    this.pending.failAll(reason)
  }

  async #deliver(body: JsonObject, { headers, waitMs }: SseMessageOptions): Promise<void> {
    const absent = new AbsentServer(waitMs)
    const text = JSON.stringify(body)
    let mayRenew = true
    for (;;) {
      let stream: SseUpstream | undefined
      try {
        stream = await this.open()
        const isCancelled = body['id'] !== undefined && !this.pending.has(body['id'])
        if (isCancelled) return
        await stream.send(text, undefined, withoutOurs(headers))
        if (body['id'] !== undefined && this.#stream !== stream) throw new Error(LEFT_BEFORE_ANSWER)
        return
      } catch (error) {
        const isForgotten = error instanceof SessionGone
        if (!isForgotten && !isNotReached(error)) throw error
        if (isForgotten && stream !== undefined) await ensureGone(stream, { method: String(body['method']) })
        // What the server accepted on that stream will get no answer.
        if (stream !== undefined && this.#leave(stream)) this.pending.failAll(describeError(error), this.#undelivered)
        if (!isForgotten) this.#options.onLost(describeError(error))
        if (isForgotten && mayRenew) mayRenew = false
        else if (!(await absent.mayTryAgain(error))) throw error
      }
    }
  }

  #create(): SseUpstream {
    const { target, maxMessageBytes, onLost } = this.#options
    const stream: SseUpstream = new SseUpstream({
      ...{ target, maxMessageBytes, isAwaited: () => true },
      onMessage: (message) => {
        if (message.kind === 'response') this.pending.take(message.id)?.onAnswer(message.body, message.text)
        else this.onMessage(message)
      },
      onDropped: (head, tail, why) => this.pending.take(idOfDropped(head, tail))?.onLost(why),
      onEnded: (reason) => {
        if (!this.#leave(stream)) return
        this.pending.failAll(reason)
        onLost(reason)
      },
    })
    return stream
  }

  /** Returns false when it was left before. */
  #leave(stream: SseUpstream): boolean {
    if (this.#stream !== stream) return false
    this.#stream = undefined
    stream.close()
    return true
  }
}

/** What a client's headers say about its request would have to match the body, which may have changed. */
function withoutOurs(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith('mcp-')))
}
