import { setTimeout as pause } from 'node:timers/promises'
import { Backoff } from '@toolhaven/contract/backoff'
import { readEvents } from '../../http/client/event-parser.ts'
import { NOT_IN_HEADER_VALUE } from '../../http/head-grammar.ts'
import {
  idKey,
  MAX_BATCH,
  parseJson,
  parseMessage,
  toMessage,
  type RpcMessage,
  type RpcRequest,
} from '../../messages/json-rpc.ts'
import { isRepeatable } from './is-repeatable.ts'
import { endAfterLastWord, NotMcp, Refused, SessionGone, type Upstream, type UpstreamOptions } from './upstream.ts'
import type { UpstreamResponse } from '../../http/client/upstream-response.ts'

const SHORTEST_PAUSE_MS = 50
const PAUSES = { firstMs: 500, longestMs: 30_000 }
/** Some servers send the head of a stream with its first event. */
const HEAD_WAIT_MS = 2000
const NO_ANSWER = 'the server ended the connection without an answer'

/** How far the answer to a call was read. */
interface Place {
  isAnswered: boolean
  eventId: string | undefined
  retryMs: number | undefined
}

interface Reading {
  request: RpcRequest
  place: Place
  receive: (message: RpcMessage | undefined) => void
}

/** A session at a streamable HTTP server. */
export class StreamableUpstream implements Upstream {
  readonly #options: UpstreamOptions
  readonly #closed = new AbortController()
  /** Ends messages that are on their way. */
  readonly #abandoned = new AbortController()
  /** Calls whose server lets us come back for the answer. */
  readonly #resumed = new Map<string, AbortController>()
  #listening: Promise<void> | undefined
  /** The server is known to have had a stream for this session. */
  #hadStream: boolean
  #lastEventId: string | undefined
  sessionId: string | undefined
  version: string | undefined

  constructor(options: UpstreamOptions, sessionId: string | undefined) {
    this.#options = options
    this.sessionId = sessionId
    this.#hadStream = sessionId !== undefined
  }

  async send(text: string, request: RpcRequest | undefined, headers: Readonly<Record<string, string>>): Promise<void> {
    const response = await this.#options.target.send({
      method: 'POST',
      headers: { ...headers, ...this.#sessionHeaders(), accept: 'application/json, text/event-stream' },
      body: text,
      // A second answer to a question, or a second notification, changes nothing.
      isRepeatable: request === undefined || isRepeatable(request.method),
      signal: this.#abandoned.signal,
    })
    this.#checkStatus(response)
    const sessionId = response.headers['mcp-session-id']
    if (request?.method === 'initialize' && typeof sessionId === 'string') this.sessionId = sessionId
    if (request === undefined) response.discard()
    else await this.#readAnswer(response, request)
  }

  listen(): Promise<void> {
    return (this.#listening ??= new Promise((resolve) => {
      const timer = setTimeout(resolve, HEAD_WAIT_MS).unref()
      void this.#listen(() => {
        clearTimeout(timer)
        resolve()
      })
    }))
  }

  abandon(request: RpcRequest): void {
    this.#resumed.get(idKey(request.id))?.abort()
  }

  /** A message on its way may be about to hear that the server forgot the session: then it can go out in another. */
  close(): void {
    if (this.#closed.signal.aborted) return
    if (this.sessionId !== undefined) this.#options.target.endSession(this.#sessionHeaders())
    this.#closed.abort()
    endAfterLastWord(this.#abandoned)
  }

  leave(): void {
    this.#closed.abort()
    this.#abandoned.abort()
  }

  async #readAnswer(response: UpstreamResponse, request: RpcRequest): Promise<void> {
    const place: Place = { isAnswered: false, eventId: undefined, retryMs: undefined }
    const receive = (message: RpcMessage | undefined) => {
      if (message === undefined) return
      if (message.kind === 'response' && idKey(message.id) === idKey(request.id)) place.isAnswered = true
      this.#options.onMessage(message, request)
    }
    const type = response.headers['content-type'] ?? ''
    if (type.startsWith('text/event-stream')) {
      const reading = { request, place, receive }
      await this.#readPart(response, reading)
      while (!place.isAnswered && place.eventId !== undefined && this.#options.isAwaited(request))
        await this.#resume(reading)
    } else {
      const text = await response.text(this.#options.maxMessageBytes)
      const value = parseJson(text)?.value
      if (value === undefined && type !== '' && text !== '') throw new NotMcp(type)
      if (Array.isArray(value) && value.length > MAX_BATCH)
        throw new Error(`the server answered with ${value.length} messages at once. At most ${MAX_BATCH} are read`)
      if (Array.isArray(value)) for (const item of value) receive(toMessage(item, JSON.stringify(item)))
      else receive(toMessage(value, text))
    }
    if (!place.isAnswered) throw new Error(NO_ANSWER)
  }

  async #readPart(response: UpstreamResponse, { request, place, receive }: Reading): Promise<void> {
    let isWhole = true
    const read = readEvents(response, this.#options.maxMessageBytes, (event) => {
      place.eventId = event.id ?? place.eventId
      place.retryMs = event.retryMs ?? place.retryMs
      receive(parseMessage(event.data))
    })
    await read.catch((error: unknown) => {
      // A broken connection is resumed. A message that was too large would only come again.
      const isBroken = error instanceof Error && 'code' in error
      if (!isBroken || place.eventId === undefined) throw error
      isWhole = false
    })
    if (isWhole && !place.isAnswered && place.eventId !== undefined) this.#options.onPaused?.(request, place.retryMs)
  }

  /** A server may close the stream of a call and let its client come back for the rest. */
  async #resume(reading: Reading): Promise<void> {
    const { request, place } = reading
    const key = idKey(request.id)
    const abandoned = new AbortController()
    this.#resumed.set(key, abandoned)
    // A signal combined from both would stay in memory as long as the session.
    const abandon = () => abandoned.abort()
    const closed = this.#closed.signal
    closed.addEventListener('abort', abandon)
    const { signal } = abandoned
    try {
      closed.throwIfAborted()
      const wait = Math.max(SHORTEST_PAUSE_MS, Math.min(place.retryMs ?? PAUSES.firstMs, PAUSES.longestMs))
      await pause(wait, undefined, { signal, ref: false })
      const response = await this.#get(place.eventId, signal)
      if (response.status === 200) return await this.#readPart(response, reading)
      response.discard()
    } catch {
      // Said below: an error of this connection would have the whole call sent again.
    } finally {
      closed.removeEventListener('abort', abandon)
      this.#resumed.delete(key)
    }
    throw new Error(NO_ANSWER)
  }

  async #listen(onOpen: () => void): Promise<void> {
    const backoff = new Backoff(PAUSES)
    while (!this.#closed.signal.aborted) {
      try {
        if (!(await this.#readStream(onOpen))) return onOpen()
        backoff.reset()
      } catch (error) {
        if (error instanceof SessionGone) {
          if (!this.#closed.signal.aborted) this.#options.onEnded(error.message, true)
          return
        }
        // A broken stream is opened again below. The daemon finds out whether the server is alive.
      }
      await pause(backoff.next(), undefined, { signal: this.#closed.signal, ref: false }).catch(() => undefined)
    }
  }

  /** False when the server offers no stream. */
  async #readStream(onOpen: () => void): Promise<boolean> {
    const response = await this.#get(this.#lastEventId, this.#closed.signal)
    // Some servers answer everything but POST with it.
    if (response.status === 404 && (this.#hadStream || (await this.#isForgotten()))) this.#checkStatus(response)
    if (response.status !== 200) {
      response.discard()
      return response.status >= 500
    }
    this.#hadStream = true
    onOpen()
    await readEvents(response, this.#options.maxMessageBytes, (event) => {
      if (event.id !== undefined) this.#lastEventId = event.id
      const message = parseMessage(event.data)
      if (message !== undefined) this.#options.onMessage(message, undefined)
    })
    return true
  }

  /** A message that changes nothing shows whether the server knows the session. */
  async #isForgotten(): Promise<boolean> {
    if (this.sessionId === undefined) return false
    const response = await this.#options.target.send({
      method: 'POST',
      headers: { ...this.#sessionHeaders(), accept: 'application/json, text/event-stream' },
      body: '{"jsonrpc":"2.0","id":"toolhaven-session","method":"ping"}',
      isRepeatable: true,
      signal: this.#closed.signal,
    })
    response.discard()
    return response.status === 404
  }

  #get(lastEventId: string | undefined, signal: AbortSignal): Promise<UpstreamResponse> {
    const headers = { ...this.#sessionHeaders(), accept: 'text/event-stream', ...placeOf(lastEventId) }
    return this.#options.target.send({ method: 'GET', headers, signal })
  }

  #checkStatus(response: UpstreamResponse): void {
    if (response.isOk) return
    response.discard()
    if (response.status === 404 && this.sessionId !== undefined) throw new SessionGone('the server forgot the session')
    throw new Refused(response.status)
  }

  #sessionHeaders(): Record<string, string> {
    return {
      ...(this.sessionId === undefined ? {} : { 'mcp-session-id': this.sessionId }),
      ...(this.version === undefined ? {} : { 'mcp-protocol-version': this.version }),
    }
  }
}

/** In UTF-8, as the standard for event streams requires. An id that cannot be sent in a header counts as none. */
function placeOf(lastEventId: string | undefined): Record<string, string> {
  const value = Buffer.from(lastEventId ?? '').toString('latin1')
  return value === '' || NOT_IN_HEADER_VALUE.test(value) ? {} : { 'last-event-id': value }
}
