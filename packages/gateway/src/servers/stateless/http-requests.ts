import { readEvents } from '../../http/client/event-parser.ts'
import { isObject, isRequestId, parseJson, parseMessage, type JsonObject } from '../../messages/json-rpc.ts'
import { metaOf, META, NAMED } from '../../messages/modern-era.ts'
import { encodeHeader } from '../../http/header-text.ts'
import { AbsentServer } from '../http/absent-server.ts'
import { isRepeatable } from '../http/is-repeatable.ts'
import { isNotReached } from '@toolhaven/core/net/not-reached'
import { Refused } from '../http/upstream.ts'
import type { UpstreamResponse } from '../../http/client/upstream-response.ts'
import type { UpstreamTarget } from '../../http/client/upstream-target.ts'
import type { ServerReply, ServerRequest, ServerRequests } from './requests.ts'

export interface HttpRequestsOptions {
  target: UpstreamTarget
  maxMessageBytes: number
  /** Nothing listens at the server's address. */
  onNotReached: (reason: string) => void
}

/** Statuses that say nothing about the request itself, only about the caller or the state of the server. */
const NO_ANSWER: ReadonlySet<number> = new Set([401, 403, 429, 502, 503, 504])

export function saysNothing(status: number): boolean {
  return NO_ANSWER.has(status)
}

/** Each request is a POST of its own, and its stream carries everything that belongs to it. */
export class HttpRequests implements ServerRequests {
  readonly takesHeaders = true
  readonly #options: HttpRequestsOptions
  readonly #open = new Set<{ reply: ServerReply; controller: AbortController }>()
  #ids = 0
  #stopped: string | undefined

  constructor(options: HttpRequestsOptions) {
    this.#options = options
  }

  send(request: ServerRequest, reply: ServerReply): () => void {
    const open = { reply, controller: new AbortController() }
    this.#open.add(open)
    const end = (): boolean => this.#open.delete(open)
    const lose = (error: unknown) => reply.onLost(error instanceof Error ? error : new Error(String(error)))
    this.#run(request, reply, open.controller.signal)
      .then(
        (body) => end() && reply.onAnswer(body),
        (error: unknown) => end() && lose(error),
      )
      .catch(lose)
    // Closing the stream cancels the request.
    return () => {
      if (end()) open.controller.abort()
    }
  }

  stop(reason: string, _keepOpen: boolean): void {
    this.#stopped = reason
    const all = [...this.#open]
    this.#open.clear()
    for (const { reply, controller } of all) {
      controller.abort()
      reply.onLost(new Error(reason))
    }
    void this.#options.target.close()
  }

  async #run(request: ServerRequest, reply: ServerReply, signal: AbortSignal): Promise<JsonObject> {
    const absent = new AbsentServer(request.waitMs)
    for (;;) {
      if (this.#stopped !== undefined) throw new Error(this.#stopped)
      try {
        return await this.#once(request, reply, signal)
      } catch (error) {
        if (isNotReached(error)) this.#options.onNotReached(error instanceof Error ? error.message : '')
        if (!(await absent.mayTryAgain(error, signal))) throw error
      }
    }
  }

  async #once(
    { method, params, headers }: ServerRequest,
    reply: ServerReply,
    signal: AbortSignal,
  ): Promise<JsonObject> {
    const id = ++this.#ids
    const response = await this.#options.target.send({
      method: 'POST',
      headers: { ...headers, ...metadataHeaders(method, params), accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
      isRepeatable: isRepeatable(method),
      signal,
    })
    const { maxMessageBytes } = this.#options
    const { status } = response
    if (NO_ANSWER.has(status)) {
      response.discard()
      throw new Refused(status)
    }
    if (response.headers['content-type']?.startsWith('text/event-stream') === true)
      return readStream(response, maxMessageBytes, reply)
    const value = parseJson(await response.text(maxMessageBytes))?.value
    // Errors come with a status of their own, and may lack an id.
    if (isObject(value) && value['jsonrpc'] === '2.0' && ('result' in value || isObject(value['error']))) return value
    if (response.isOk) throw new Error(NO_END)
    throw new Refused(status)
  }
}

const NO_END = 'the server ended the connection without an answer'

/** How long a server may keep a stream open after the answer, which should end it. */
const LINGER_MS = 1000

function readStream(response: UpstreamResponse, maxBytes: number, reply: ServerReply): Promise<JsonObject> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined
    const read = readEvents(response, maxBytes, (event) => {
      const message = parseMessage(event.data)
      if (timer !== undefined) return
      if (message?.kind === 'notification') reply.onNotification(message)
      if (message?.kind !== 'response') return
      timer = setTimeout(() => response.destroy(), LINGER_MS)
      timer.unref()
      resolve(message.body)
    })
    // After the answer neither changes anything.
    read.then(() => reject(new Error(NO_END)), reject).finally(() => clearTimeout(timer))
  })
}

/** Headers that proxies may read without the body. They are computed from the body, so that both always agree. */
function metadataHeaders(method: string, params: JsonObject): Record<string, string> {
  const field = Object.hasOwn(NAMED, method) ? NAMED[method] : undefined
  const name = field === undefined ? undefined : params[field]
  return {
    'mcp-protocol-version': String(metaOf(params)[META.version]),
    'mcp-method': method,
    ...(isRequestId(name) && { 'mcp-name': encodeHeader(String(name)) }),
  }
}
