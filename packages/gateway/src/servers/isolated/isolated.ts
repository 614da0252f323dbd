import { describeError, unavailable } from '@toolhaven/core/errors'
import type { EndServer, Handshake, IsolatedBackend } from '@toolhaven/core/ports/gateway'
import { MAX_FAILED_PINGS } from '@toolhaven/core/workloads/observed'
import {
  RPC_ERROR,
  type JsonObject,
  type RpcNotification,
  type RpcRequest,
  type RpcResponse,
} from '../../messages/json-rpc.ts'
import type { Call } from '../../sessions/call.ts'
import type { Session } from '../../sessions/session.ts'
import type { ListChanged } from '../../tools/locked-lists.ts'
import type { BackendLink, Era } from '../backend.ts'
import type { Opening } from '../stdio/greet-stdio.ts'
import { connectStdio } from '../stdio/connect-stdio.ts'
import type { StdioPipeOptions } from '../stdio/stdio-pipe.ts'

export interface IsolatedOptions extends Omit<StdioPipeOptions, 'channel'> {
  backend: IsolatedBackend
  opening: Opening
  /** The tools of this session's server have changed. */
  onListChanged?: ListChanged | undefined
  /** Ends the session, because its server has ended. */
  endSession: (session: Session) => void
}

/** Starts the first server, which shows that servers can be started. */
export async function connectIsolated(
  options: IsolatedOptions,
  signal: AbortSignal,
): Promise<{ link: BackendLink; opening: Opening }> {
  const { backend, name, limits, logger, opening, onOutput } = options
  const { channel, start } = backend.first
  const state: { servers?: IsolatedServers } = {}
  const connected = await connectStdio(
    {
      ...{ name, limits, logger, channel, start, known: undefined, opening, isExclusive: true, onOutput },
      sessions: () => state.servers?.ofFirst ?? [],
      owner: () => state.servers?.ofFirst[0],
      onListChanged: (part) => state.servers?.ofFirst.forEach((session) => options.onListChanged?.(session, part)),
      onLost: (reason) => (state.servers === undefined ? options.onLost(reason) : state.servers.firstLost(reason)),
    },
    signal,
  )
  state.servers = new IsolatedServers(options, connected.link)
  return { link: state.servers, opening: connected.opening }
}

/** The server of one session. */
interface Own {
  readonly abort: AbortController
  link?: BackendLink
  end?: EndServer
  /** It has answered its client: from now on the session ends when the server does. */
  isUp: boolean
  failedPings: number
}

/**
 * A server for each session: started with the client's initialize and ended with the session. If the server ends, so
 * does the session.
 */
class IsolatedServers implements BackendLink {
  readonly handshake: Handshake
  readonly era: Era
  readonly isPerSession = true
  readonly result: JsonObject
  readonly #options: IsolatedOptions
  readonly #own = new Map<Session, Own>()
  #first: BackendLink | undefined
  #ofFirst: Session | undefined
  /** Why no process may be started any more. */
  #stopped: string | undefined

  constructor(options: IsolatedOptions, first: BackendLink) {
    this.#options = options
    this.#first = first
    this.handshake = first.handshake
    this.era = first.era
    this.result = first.result
  }

  /** The session that has the first server. */
  get ofFirst(): Session[] {
    return this.#ofFirst === undefined ? [] : [this.#ofFirst]
  }

  firstLost(reason: string): void {
    if (this.#ofFirst === undefined) this.#options.onLost(reason)
    else this.#lost(this.#ofFirst)
  }

  async initialize(
    session: Session,
    request: RpcRequest,
    headers: Readonly<Record<string, string>>,
  ): Promise<JsonObject> {
    if (this.#own.has(session)) throw unavailable('This session is already initialized.')
    // A client may have obtained this object just before, and nobody would end what is started for it now.
    if (this.#stopped !== undefined) throw unavailable(`The server is not available: ${this.#stopped}.`)
    const own: Own = { abort: new AbortController(), isUp: false, failedPings: 0 }
    this.#own.set(session, own)
    try {
      const greet = (link: BackendLink) => link.initialize(session, request, headers)
      const body = (await this.#withFirst(session, own, greet)) ?? (await greet(await this.#start(session, own)))
      if ('error' in body) this.#drop(session, 'the server refused the session')
      own.isUp = true
      return body
    } catch (error) {
      this.#drop(session, 'the server could not be started')
      throw error
    }
  }

  request(call: Call): void {
    const link = this.#linkOf(call.session)
    if (link !== undefined) link.request(call)
    else call.fail('This session has no server yet. Send initialize first.', RPC_ERROR.invalidRequest)
  }

  notify(session: Session, notification: RpcNotification): void {
    this.#linkOf(session)?.notify(session, notification)
  }

  respond(session: Session, response: RpcResponse): void {
    this.#linkOf(session)?.respond(session, response)
  }

  listen(session: Session): void | Promise<void> {
    return this.#linkOf(session)?.listen(session)
  }

  endSession(session: Session): void {
    this.#drop(session, 'the client ended its session')
  }

  /** A server that hangs affects only its own session. */
  async ping(signal: AbortSignal): Promise<void> {
    const pings = [...this.#own].map(([session, own]) => this.#pingOwn(session, own, signal))
    await Promise.all([this.#first?.ping(signal), ...pings])
  }

  stop(reason: string, keepOpen: boolean): void {
    this.#stopped = reason
    this.#first?.stop(reason, keepOpen)
    this.#first = undefined
    for (const session of [...this.#own.keys()]) {
      this.#drop(session, reason)
      this.#options.endSession(session)
    }
  }

  /**
   * The first server has had our initialize. Most accept the client's as well. Undefined for the others: another
   * process is needed.
   */
  async #withFirst(
    session: Session,
    own: Own,
    greet: (link: BackendLink) => Promise<JsonObject>,
  ): Promise<JsonObject | undefined> {
    const link = this.#first
    if (link === undefined) return undefined
    this.#first = undefined
    this.#ofFirst = session
    own.link = link
    own.end = this.#options.backend.claimFirst()
    const body = await greet(link).catch(() => undefined)
    if (body !== undefined && 'result' in body) return body
    own.abort.signal.throwIfAborted()
    delete own.link
    link.stop('it does not accept a second initialize', false)
    void own.end()
    return undefined
  }

  async #start(session: Session, own: Own): Promise<BackendLink> {
    const { backend, name, limits, logger, opening, onOutput } = this.#options
    const limit = AbortSignal.any([own.abort.signal, AbortSignal.timeout(limits.handshakeMs)])
    const started = await backend.startAnother(limit).catch((error: unknown) => {
      throw unavailable(`No server could be started for this session: ${describeError(error)}`, error)
    })
    try {
      const { channel, start } = started.server
      own.abort.signal.throwIfAborted()
      const { link } = await connectStdio(
        {
          ...{ name, limits, logger, channel, start, opening, isExclusive: true },
          known: { era: this.era, result: this.result },
          sessions: () => [session],
          owner: () => session,
          onListChanged: (part) => this.#options.onListChanged?.(session, part),
          onOutput: (stream, text) => onOutput(stream, `[${started.tag}] ${text}`),
          onLost: () => this.#lost(session),
        },
        limit,
      )
      own.abort.signal.throwIfAborted()
      own.link = link
      own.end = started.end
      return link
    } catch (error) {
      // The session may have ended in the meantime, and with it the code that would end this process.
      void started.end()
      throw error
    }
  }

  #linkOf(session: Session): BackendLink | undefined {
    const own = this.#own.get(session)
    return own?.isUp === true ? own.link : undefined
  }

  async #pingOwn(session: Session, own: Own, signal: AbortSignal): Promise<void> {
    if (!own.isUp || own.link === undefined) return
    try {
      await own.link.ping(signal)
      own.failedPings = 0
    } catch {
      if (++own.failedPings < MAX_FAILED_PINGS || this.#own.get(session) !== own) return
      this.#drop(session, 'the server no longer answers')
      this.#options.endSession(session)
    }
  }

  /** What its server knew about the session is lost. So the session ends, and its client starts another. */
  #lost(session: Session): void {
    if (this.#own.get(session)?.isUp === true) this.#options.endSession(session)
  }

  #drop(session: Session, reason: string): void {
    const own = this.#own.get(session)
    if (own === undefined) return
    this.#own.delete(session)
    if (this.#ofFirst === session) this.#ofFirst = undefined
    own.abort.abort()
    own.link?.stop(reason, false)
    void own.end?.()
  }
}
