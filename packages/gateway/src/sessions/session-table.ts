import type { IsolatedSpec } from '@toolhaven/core/ports/gateway'
import type { Logger } from '@toolhaven/core/ports/logger'
import { describeError } from '@toolhaven/core/errors'
import type { JsonObject } from '../messages/json-rpc.ts'
import type { GatewayLimits } from '../endpoint/options.ts'
import { callersWithMost } from './fair-share.ts'
import type { KeptBytes } from './kept-bytes.ts'
import { Session, type Front } from './session.ts'
import { storedEndpoint, type SessionStore, type StoredHandshake } from './session-store.ts'

export interface SessionTableOptions {
  name: string
  limits: GatewayLimits
  logger: Logger
  /** Counts what is kept for all of them together. */
  kept: KeptBytes
  store: SessionStore | undefined
  /** Each session has its own server. */
  isolated: () => IsolatedSpec | undefined
  onEnd: (session: Session) => void
  /** How long a session may be unused before what it has at an HTTP server is ended. */
  upstreamIdleMs: () => number
  onUnused: (session: Session) => void
}

/** The sessions of one endpoint, oldest first, and the part of them that is stored. */
export class SessionTable {
  readonly #options: SessionTableOptions
  readonly #sessions = new Map<string, Session>()
  #handshake: StoredHandshake | undefined
  #opening: StoredHandshake['opening'] = 'discover'
  #isOpeningChanged = false
  #saveTimer: NodeJS.Timeout | undefined
  #saving: Promise<void> = Promise.resolve()
  #isForgotten = false

  constructor(options: SessionTableOptions) {
    this.#options = options
  }

  get handshake(): StoredHandshake | undefined {
    return this.#handshake
  }

  set handshake(handshake: StoredHandshake | undefined) {
    this.#handshake = handshake
    this.#isOpeningChanged = false
    if (handshake !== undefined) this.#opening = handshake.opening
    this.changed()
  }

  /** The first message for the next process. */
  get opening(): StoredHandshake['opening'] {
    return this.#opening
  }

  /** Returns true the first time since a server answered: the other opening was not tried yet. */
  changeOpening(): boolean {
    const isFirst = !this.#isOpeningChanged
    this.#isOpeningChanged = true
    this.#opening = this.#opening === 'discover' ? 'initialize' : 'discover'
    return isFirst
  }

  get size(): number {
    return this.#sessions.size
  }

  all(): Iterable<Session> {
    return this.#sessions.values()
  }

  get(id: string): Session | undefined {
    return this.#sessions.get(id)
  }

  /** Undefined when the endpoint is full and no session has to make room. */
  add(front: Front, version: string, client: JsonObject, owner: string | undefined): Session | undefined {
    const session = new Session(front, version, client, this.#options.limits)
    session.owner = owner
    return this.adopt(session) ? session : undefined
  }

  /** False when the endpoint is full and no session has to make room. */
  adopt(session: Session): boolean {
    if (!this.#hasRoom(session.owner)) return false
    this.#put(session)
    if (session.front !== 'modern') this.changed()
    return true
  }

  end(session: Session): void {
    if (session.isEnded) return
    session.isEnded = true
    this.#sessions.delete(session.id)
    for (const call of [...session.calls.values()]) call.cancel({ reason: 'the client ended its session' })
    this.#options.onEnd(session)
    session.close()
    if (session.front !== 'modern') this.changed()
  }

  failCalls(reason: string): void {
    for (const { calls } of this.all()) for (const call of calls.values()) call.fail(reason)
  }

  /** Sends a notification to every client. */
  tell(method: string): void {
    for (const session of this.all()) session.send(JSON.stringify({ jsonrpc: '2.0', method }))
  }

  /**
   * Ends sessions that were not used for the idle time. Before that, it drops what their clients do not come back for.
   */
  sweep(now: number): void {
    const { modernIdleMs, keepUnreadMs, ...limits } = this.#options.limits
    const idleMs = this.#options.isolated()?.idleMs ?? limits.idleMs
    const upstreamIdleMs = this.#options.upstreamIdleMs()
    for (const session of this.#sessions.values()) {
      const kept = session.front === 'modern' ? modernIdleMs : idleMs
      if (!session.isIdle) {
        session.lastSeen = now
        continue
      }
      const idle = now - session.lastSeen
      if (idle > kept) this.end(session)
      else if (idle > keepUnreadMs) session.outbox.empty()
      // After a restart of the daemon, its client gets the time to come back.
      const unused = now - Math.max(session.lastSeen, session.createdAt)
      if (unused > upstreamIdleMs && !session.isEnded) this.#options.onUnused(session)
    }
  }

  async load(): Promise<void> {
    const { name, store, logger, limits } = this.#options
    // Clients whose sessions cannot be read connect again, which is better than no server at all.
    const data = await store?.load(name).catch((error: unknown) => {
      logger.warn('stored sessions cannot be read and are left out', { workload: name, error: describeError(error) })
    })
    if (data === undefined) return
    const parsed = storedEndpoint.safeParse(data)
    if (!parsed.success) {
      logger.warn('stored sessions are not readable and are left out', { workload: name })
      return
    }
    this.#handshake = parsed.data.handshake
    this.#opening = this.#handshake?.opening ?? 'discover'
    if (this.#options.isolated() !== undefined) return
    for (const stored of parsed.data.sessions) this.#put(Session.fromStored(stored, limits))
    this.sweep(Date.now())
  }

  /** Something changed that has to be stored. */
  changed(): void {
    if (this.#options.store === undefined || this.#saveTimer !== undefined || this.#isForgotten) return
    this.#saveTimer = setTimeout(() => this.#save(), this.#options.limits.saveDelayMs)
  }

  /** Writes what is not written yet. */
  async flush(): Promise<void> {
    if (this.#saveTimer !== undefined) this.#save()
    await this.#saving
  }

  /** Ends all sessions. From now on nothing is stored, even if a call still finishes. */
  async forget(): Promise<void> {
    this.#isForgotten = true
    for (const session of [...this.#sessions.values()]) this.end(session)
    clearTimeout(this.#saveTimer)
    this.#saveTimer = undefined
    await this.#saving
    await this.#options.store?.remove(this.#options.name)
  }

  #save(): void {
    clearTimeout(this.#saveTimer)
    this.#saveTimer = undefined
    const { store, name, logger } = this.#options
    // One after the other: an older state must never overwrite a newer one.
    this.#saving = this.#saving
      .then(() => store?.save(name, this.#toStored()))
      .catch((error: unknown) =>
        logger.warn('sessions could not be stored', { workload: name, error: describeError(error) }),
      )
  }

  #toStored() {
    // A session of the older transport is its stream, and one with its own server is that server: they cannot come
    // back.
    const canReturn = ({ front }: Session) => front === 'streamable-http' && this.#options.isolated() === undefined
    const sessions = [...this.#sessions.values()].filter(canReturn)
    return { format: 1 as const, handshake: this.#handshake, sessions: sessions.map((session) => session.toStored()) }
  }

  #put(session: Session): void {
    session.countIn(this.#options.kept)
    this.#sessions.set(session.id, session)
  }

  #hasRoom(asking: string | undefined): boolean {
    const isolated = this.#options.isolated()
    if (this.#sessions.size < (isolated?.maxSessions ?? this.#options.limits.maxSessions)) return true
    const sessions = [...this.#sessions.values()]
    const callers = callersWithMost(
      sessions.map(({ owner }) => owner),
      asking,
    )
    const theirs = sessions.filter(({ owner }) => callers.has(owner))
    const own = sessions.filter(({ owner }) => owner === asking)
    // What a session's own server knows is lost with it: a session is given up only for a caller that has no more than
    // the others.
    if (isolated !== undefined && theirs.length / callers.size <= own.length + 1) return false
    const idle = theirs.filter(({ isIdle }) => isIdle)
    // Callers without a name cannot be told apart: none of them may end what another one uses.
    const inUse = theirs.filter((session) => session.owner !== undefined && !isBeingWelcomed(session))
    const leaving = longestQuiet(idle) ?? longestQuiet(inUse)
    if (leaving !== undefined) this.end(leaving)
    return leaving !== undefined
  }
}

/** A server that does not answer must not let one caller keep the others out. */
const LONGEST_WELCOME_MS = 30_000

function isBeingWelcomed({ isOpening, createdAt }: Session): boolean {
  return isOpening && Date.now() - createdAt < LONGEST_WELCOME_MS
}

function longestQuiet(sessions: readonly Session[]): Session | undefined {
  let found: Session | undefined
  for (const session of sessions) if (found === undefined || session.lastSeen < found.lastSeen) found = session
  return found
}
