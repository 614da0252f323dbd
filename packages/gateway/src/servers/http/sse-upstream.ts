import { readEvents, type ServerEvent } from '../../http/client/event-parser.ts'
import { HEAD_BYTES } from '../../messages/line-splitter.ts'
import { overTheLimit, UNREADABLE } from '../dropped-answer.ts'
import { parseMessage, type RpcRequest } from '../../messages/json-rpc.ts'
import { isRepeatable } from './is-repeatable.ts'
import { describeError } from '@toolhaven/core/errors'
import { endAfterLastWord, NotMcp, Refused, SessionGone, type Upstream, type UpstreamOptions } from './upstream.ts'
import type { UpstreamResponse } from '../../http/client/upstream-response.ts'

/** A session at a server of the older HTTP+SSE transport: its stream is the session. */
export class SseUpstream implements Upstream {
  readonly #options: UpstreamOptions
  readonly #closed = new AbortController()
  /** Ends messages that are on their way. */
  readonly #abandoned = new AbortController()
  #endpoint: Promise<URL> | undefined
  /** Why there is no stream any more. */
  #end: string | undefined
  readonly sessionId = undefined
  version: string | undefined

  constructor(options: UpstreamOptions) {
    this.#options = options
  }

  /**
   * The address for messages, as soon as the stream has named it. The headers matter when the stream is not open yet.
   */
  open(headers: Readonly<Record<string, string>>): Promise<URL> {
    return (this.#endpoint ??= this.#open(headers))
  }

  async send(text: string, request: RpcRequest | undefined, headers: Readonly<Record<string, string>>): Promise<void> {
    const url = await this.open(headers)
    const response = await this.#options.target.send({
      method: 'POST',
      url,
      headers,
      body: text,
      isRepeatable: request !== undefined && isRepeatable(request.method),
      signal: this.#abandoned.signal,
    })
    response.discard()
    if (response.status === 404) throw new SessionGone('the server forgot the session')
    if (!response.isOk) throw new Refused(response.status)
  }

  /** The stream is open from the first message on, unless it ended before anybody noticed. */
  async listen(): Promise<void> {
    if (this.#end !== undefined && !this.#closed.signal.aborted) this.#options.onEnded(this.#end)
  }

  /** A message on its way may be about to hear that the server forgot the stream: then it can go out on another. */
  close(): void {
    if (this.#closed.signal.aborted) return
    this.#closed.abort()
    endAfterLastWord(this.#abandoned)
  }

  leave(): void {
    this.close()
  }

  async #open(headers: Readonly<Record<string, string>>): Promise<URL> {
    const { target } = this.#options
    const response = await target.send({
      method: 'GET',
      headers: { ...headers, accept: 'text/event-stream' },
      signal: this.#closed.signal,
    })
    if (response.status !== 200) {
      response.discard()
      throw new Refused(response.status)
    }
    const type = response.headers['content-type'] ?? ''
    if (type.startsWith('text/html')) {
      response.discard()
      throw new NotMcp(type)
    }
    return new Promise((resolve, reject) => {
      const ended = (reason: string) => {
        this.#end = reason
        reject(new Error(reason))
        if (!this.#closed.signal.aborted) this.#options.onEnded(reason)
      }
      this.#read(response, resolve).then(
        () => ended('the server closed its event stream'),
        (error: unknown) => ended(`the event stream broke (${describeError(error)})`),
      )
    })
  }

  #read(response: UpstreamResponse, onEndpoint: (url: URL) => void): Promise<void> {
    const { target, maxMessageBytes, onMessage, onDropped } = this.#options
    const onEvent = (event: ServerEvent) => {
      if (event.type === 'endpoint') {
        const url = URL.canParse(event.data, target.url) ? new URL(event.data, target.url) : undefined
        // The server names where messages go. It must never direct them, and our headers, to another origin.
        if (url?.origin !== target.url.origin)
          throw new Error('the server names an address of another origin for messages')
        onEndpoint(url)
        return
      }
      const message = parseMessage(event.data)
      if (message !== undefined) onMessage(message, undefined)
      else onDropped?.(event.data.slice(0, HEAD_BYTES), event.data.slice(-HEAD_BYTES), UNREADABLE)
    }
    const drop = (head: string, tail: string) => onDropped?.(head, tail, overTheLimit(maxMessageBytes))
    return readEvents(response, maxMessageBytes, onEvent, onDropped && drop)
  }
}
