import { setTimeout as pause } from 'node:timers/promises'
import { describeError } from '@toolhaven/core/errors'
import { AbsentServer } from '@toolhaven/gateway/absent-server'
import { StreamableUpstream } from '@toolhaven/gateway/streamable-upstream'
import { Refused, SessionGone } from '@toolhaven/gateway/upstream'
import { UpstreamTarget } from '@toolhaven/gateway/upstream-target'
import {
  errorText,
  idKey,
  isObject,
  onOneLine,
  RPC_ERROR,
  type RpcMessage,
  type RpcRequest,
} from '@toolhaven/gateway/json-rpc'

export interface StdioBridgeOptions {
  /** Where the server is now, and the headers that each request to it needs. */
  locate: () => Promise<{ url: string; headers: Readonly<Record<string, string>> }>
  /** One line for the client. */
  write: (line: string) => void
  maxMessageBytes: number
  /** How long a message waits for a server that cannot be reached. */
  patienceMs: number
}

/** One client on a pipe, one session at a streamable HTTP server. If the server forgot the session, the bridge opens a new one. */
export class StdioBridge {
  readonly #options: StdioBridgeOptions
  readonly #waiting = new Map<string, RpcRequest>()
  #upstream: StreamableUpstream | undefined
  #target: UpstreamTarget | undefined
  #opening: Promise<StreamableUpstream> | undefined
  /** The client's `initialize` request, sent again for each new session. */
  #initialize: RpcRequest | undefined
  /** The handshake is sent in order, and later messages wait for it. */
  #handshake: Promise<unknown> = Promise.resolve()
  #onQuiet: (() => void) | undefined
  #isEnded = false

  constructor(options: StdioBridgeOptions) {
    this.#options = options
  }

  /** Takes a message from the client. */
  receive(message: RpcMessage): void {
    if (message.kind === 'request') {
      this.#waiting.set(idKey(message.id), message)
      if (message.method === 'initialize') this.#initialize = message
    }
    const isHandshake = message.kind !== 'response' && /^(notifications\/)?initialized?$/.test(message.method)
    const delivered = this.#handshake.then(() => this.#deliver(message))
    if (isHandshake) this.#handshake = delivered
  }

  /** Waits for pending answers, then ends the session. */
  async end(drainMs: number): Promise<void> {
    if (this.#waiting.size > 0 && drainMs > 0) {
      const quiet = new Promise<void>((resolve) => {
        this.#onQuiet = resolve
      })
      const enough = new AbortController()
      await Promise.race([quiet, pause(drainMs, undefined, { signal: enough.signal }).catch(() => undefined)])
      enough.abort()
    }
    this.#isEnded = true
    this.#upstream?.close()
  }

  /** Never rejects: the client gets errors on the pipe. */
  async #deliver(message: RpcMessage): Promise<void> {
    const request = message.kind === 'request' ? message : undefined
    const absent = new AbsentServer(this.#options.patienceMs)
    let mayRenew = true
    while (!this.#isEnded) {
      let upstream: StreamableUpstream | undefined
      try {
        upstream = await (request?.method === 'initialize' ? this.#create() : this.#open())
        await upstream.send(onOneLine(message), request, {})
        if (message.kind === 'notification' && message.method === 'notifications/initialized') void upstream.listen()
        return
      } catch (error) {
        const isForgotten = error instanceof SessionGone || (error instanceof Refused && error.status === 401)
        if (isForgotten && mayRenew) {
          mayRenew = false
          this.#drop(upstream)
        } else if (await absent.mayTryAgain(error)) {
          await this.#moveIfNeeded()
        } else return this.#fail(request, describeError(error))
      }
    }
    this.#fail(request, 'the connection is closed')
  }

  #open(): Promise<StreamableUpstream> {
    if (this.#upstream !== undefined) return Promise.resolve(this.#upstream)
    this.#opening ??= this.#renew().finally(() => {
      this.#opening = undefined
    })
    return this.#opening
  }

  /** Opens a new session with the client's own `initialize` after the server forgot the old one. The client does not notice. */
  async #renew(): Promise<StreamableUpstream> {
    const former = this.#initialize
    if (former === undefined) return this.#create()
    const body = { ...former.body, id: `thv-renew-${Date.now()}` }
    const request: RpcRequest = { ...former, id: body.id, body, text: JSON.stringify(body) }
    const upstream = await this.#create()
    try {
      await upstream.send(request.text, request, {})
      await upstream.send('{"jsonrpc":"2.0","method":"notifications/initialized"}', undefined, {})
    } catch (error) {
      this.#drop(upstream)
      throw error
    }
    void upstream.listen()
    return upstream
  }

  async #create(): Promise<StreamableUpstream> {
    const { url, headers } = await this.#options.locate()
    this.#target = new UpstreamTarget({ url: new URL(url), headers })
    const upstream = new StreamableUpstream(
      {
        target: this.#target,
        maxMessageBytes: this.#options.maxMessageBytes,
        onMessage: (message, relatedTo) => this.#hear(upstream, message, relatedTo),
        // The gateway never makes its clients reconnect for an answer.
        isAwaited: () => false,
        onEnded: () => {
          if (this.#upstream !== upstream) return
          this.#drop(upstream)
          // Messages that the server sends on its own need a session. If this fails, the client's next message opens one.
          if (!this.#isEnded) void this.#open().catch(() => undefined)
        },
      },
      undefined,
    )
    this.#upstream = upstream
    return upstream
  }

  #hear(upstream: StreamableUpstream, message: RpcMessage, relatedTo: RpcRequest | undefined): void {
    if (message.kind === 'response') {
      const { result } = message.body
      if (relatedTo?.method === 'initialize' && isObject(result)) upstream.version = String(result['protocolVersion'])
      if (!this.#waiting.delete(idKey(message.id))) return
    }
    this.#options.write(onOneLine(message))
    if (this.#waiting.size === 0) this.#onQuiet?.()
  }

  #fail(request: RpcRequest | undefined, reason: string): void {
    if (request === undefined || !this.#waiting.delete(idKey(request.id))) return
    this.#options.write(errorText(request.id, RPC_ERROR.server, `The workload did not answer: ${reason}.`))
    if (this.#waiting.size === 0) this.#onQuiet?.()
  }

  /** Keeps a new upstream that another call may have opened already. */
  #drop(upstream: StreamableUpstream | undefined): void {
    upstream?.leave()
    if (this.#upstream === upstream) this.#upstream = undefined
  }

  /** A workload that was removed and created again may have another port. */
  async #moveIfNeeded(): Promise<void> {
    const now = await this.#options.locate().catch(() => undefined)
    if (now !== undefined && new URL(now.url).origin !== this.#target?.url.origin) this.#drop(this.#upstream)
  }
}
