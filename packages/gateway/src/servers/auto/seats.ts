import { describeError, unavailable } from '@toolhaven/core/errors'
import type { AutoBackend, EndServer } from '@toolhaven/core/ports/gateway'
import { MAX_FAILED_PINGS } from '@toolhaven/core/workloads/observed'
import type { JsonObject } from '../../messages/json-rpc.ts'
import type { Call } from '../../sessions/call.ts'
import { UNHEARD_MS, type Session } from '../../sessions/session.ts'
import type { ListPart } from '../../tools/locked-lists.ts'
import type { Opening } from '../stdio/greet-stdio.ts'
import { StdioBackend } from '../stdio/stdio.ts'
import { StdioPipe, type StdioPipeOptions } from '../stdio/stdio-pipe.ts'

/** One process, and the client that has it. */
export interface Seat {
  /** Undefined: shared by all clients that cannot answer questions. */
  readonly session: Session | undefined
  readonly abort: AbortController
  /** Rejects when no process can be started. */
  readonly opened: PromiseWithResolvers<StdioBackend>
  link: StdioBackend | undefined
  /** The handshake is done. */
  isUp: boolean
  end: EndServer | undefined
  /** For a stateless client: the call that has the process. */
  call: Call | undefined
  /** The server had that call, and may ask about it even after its answer: no other call may have the process. */
  isUsed: boolean
  failedPings: number
}

export interface SeatsOptions extends Omit<StdioPipeOptions, 'channel' | 'onLost'> {
  backend: AutoBackend
  opening: Opening
  /** The server's answer to the gateway's own initialize. */
  result: () => JsonObject
  /** Those that share a process. */
  sharing: () => Iterable<Session>
  /** All sessions of the workload. */
  sessions: () => Iterable<Session>
  onListChanged: (session: Session | undefined, part: ListPart) => void
  onClosed: (seat: Seat) => void
}

type Greet = (link: StdioBackend) => Promise<JsonObject>

/** The processes of clients that have one of their own, and the process that clients without answers share. */
export class Seats {
  readonly #options: SeatsOptions
  readonly #seats = new Set<Seat>()
  readonly #bySession = new Map<Session | undefined, Seat[]>()
  /** Why there will be no more processes. */
  #closedFor: string | undefined
  #spare: { link: StdioBackend; onTaken: (seat: Seat) => EndServer } | undefined

  constructor(options: SeatsOptions) {
    this.#options = options
  }

  /** A process that had our initialize and no client yet: the next client tries it first. */
  set spare(spare: { link: StdioBackend; onTaken: (seat: Seat) => EndServer } | undefined) {
    this.#spare = spare
  }

  get spare(): { link: StdioBackend } | undefined {
    return this.#spare
  }

  get isClosed(): boolean {
    return this.#closedFor !== undefined
  }

  /** Throws when all are taken, or closed for good. `greet` does what the client's handshake needs. */
  open(session: Session | undefined, greet: Greet): Seat {
    if (this.#closedFor !== undefined) throw unavailable(this.#closedFor)
    if (session !== undefined && !this.#makeRoom()) throw unavailable(this.#fullText)
    const seat = newSeat(session)
    this.#add(seat)
    void this.#fill(seat, greet)
    return seat
  }

  /** The client keeps the process that it has used so far. */
  keep(session: Session, link: StdioBackend, end: EndServer): Seat {
    const seat = { ...newSeat(session), link, end, isUp: true }
    seat.opened.resolve(link)
    this.#add(seat)
    return seat
  }

  close(seat: Seat, reason: string): void {
    if (!this.#seats.delete(seat)) return
    const others = this.of(seat.session).filter((other) => other !== seat)
    if (others.length > 0) this.#bySession.set(seat.session, others)
    else this.#bySession.delete(seat.session)
    this.#options.onClosed(seat)
    seat.abort.abort(unavailable(reason))
    seat.link?.stop(reason, false)
    void seat.end?.()
  }

  /** For good: what ends with them must not start other processes, which nobody would end. */
  closeAll(reason: string): void {
    this.#closedFor = reason
    for (const seat of [...this.#seats]) this.close(seat, reason)
  }

  /** Its process did not start. If the workload's server ended in the meantime, the next one may have the call. */
  failUnsent(call: Call, error: unknown): void {
    if (this.isClosed && call.sendLater !== undefined) call.sendLater()
    else call.fail(describeError(error))
  }

  of(session: Session | undefined): readonly Seat[] {
    return this.#bySession.get(session) ?? []
  }

  /** A server that hangs affects only its own client. Ends servers that nobody has used for long. */
  async ping(signal: AbortSignal): Promise<void> {
    const { idleMs } = this.#options.backend.own
    for (const seat of [...this.#seats]) if (isUnusedFor(seat, idleMs)) this.close(seat, 'nobody used the server')
    await Promise.all([...this.#seats].map((seat) => this.#pingOne(seat, signal)))
  }

  #add(seat: Seat): void {
    this.#seats.add(seat)
    this.#bySession.set(seat.session, [...this.of(seat.session), seat])
  }

  get #fullText(): string {
    const { maxSessions } = this.#options.backend.own
    return `Each client that can answer questions has a server of its own here, and all ${maxSessions} are taken. End one, wait until an unused one ends, or raise limits.max_sessions of the workload.`
  }

  get hasRoom(): boolean {
    return !this.isClosed && this.#taken.length < this.#options.backend.own.maxSessions
  }

  get #taken(): Seat[] {
    return [...this.#seats].filter(({ session }) => session !== undefined)
  }

  #makeRoom(): boolean {
    if (this.hasRoom) return true
    const [longest] = this.#taken.filter(isSpare).toSorted((a, b) => lastUse(a) - lastUse(b))
    if (longest !== undefined) this.close(longest, NEEDED_BY_ANOTHER)
    return longest !== undefined
  }

  async #fill(seat: Seat, greet: Greet): Promise<void> {
    try {
      const link = (await this.#withSpare(seat, greet)) ?? (await this.#withAnother(seat, greet))
      seat.abort.signal.throwIfAborted()
      seat.isUp = true
      seat.opened.resolve(link)
    } catch (error) {
      this.close(seat, 'the server could not be started')
      seat.opened.reject(error)
    }
  }

  /** Most servers accept a second initialize. Undefined for the others: another process is needed. */
  async #withSpare(seat: Seat, greet: Greet): Promise<StdioBackend | undefined> {
    const spare = this.#spare
    if (spare === undefined || seat.session === undefined) return undefined
    this.#spare = undefined
    seat.link = spare.link
    seat.end = spare.onTaken(seat)
    const body = await greet(spare.link).catch(() => undefined)
    if (body !== undefined && 'result' in body) return spare.link
    seat.abort.signal.throwIfAborted()
    seat.link = undefined
    spare.link.stop('it does not accept a second initialize', false)
    void seat.end()
    return undefined
  }

  async #withAnother(seat: Seat, greet: Greet): Promise<StdioBackend> {
    const link = await this.#start(seat)
    seat.link = link
    const { error } = await greet(link)
    if (error !== undefined) throw unavailable(`The server refused the handshake: ${JSON.stringify(error)}`)
    return link
  }

  async #start(seat: Seat): Promise<StdioBackend> {
    const { backend, limits } = this.#options
    const limit = AbortSignal.any([seat.abort.signal, AbortSignal.timeout(limits.handshakeMs)])
    const started = await backend.startAnother(limit).catch((error: unknown) => {
      throw unavailable(`No server could be started for this client: ${describeError(error)}`, error)
    })
    try {
      seat.abort.signal.throwIfAborted()
      const link = this.#linkTo(seat, started.server.channel, started.tag)
      await started.server.start?.()
      seat.abort.signal.throwIfAborted()
      seat.end = started.end
      return link
    } catch (error) {
      // The client may have gone in the meantime, and with it the code that would end this process.
      void started.end()
      throw error
    }
  }

  #linkTo(seat: Seat, channel: StdioPipeOptions['channel'], tag: string): StdioBackend {
    const { name, limits, logger, opening, onOutput, sharing, result, onListChanged } = this.#options
    const { session } = seat
    const options = {
      ...{ name, limits, logger, opening, channel, start: undefined, known: undefined },
      isExclusive: session !== undefined,
      owner: () => session,
      sessions: () => (session === undefined ? sharing() : [session]),
      listeners: () => listenersOf(session, this.#options.sessions()),
      onListChanged: (part: ListPart) => onListChanged(session, part),
      onOutput: (stream: 'stdout' | 'stderr', text: string) => onOutput(stream, `[${tag}] ${text}`),
      onLost: () => this.close(seat, 'the server ended'),
    }
    const link = new StdioBackend(options, new StdioPipe(options))
    link.begin(result(), false)
    return link
  }

  async #pingOne(seat: Seat, signal: AbortSignal): Promise<void> {
    if (!seat.isUp) return
    try {
      await seat.link?.ping(signal)
      seat.failedPings = 0
    } catch {
      if (++seat.failedPings >= MAX_FAILED_PINGS) this.close(seat, 'the server no longer answers')
    }
  }
}

/** A stateless client has processes for its calls, and listens with requests of their own. */
export function listenersOf(session: Session | undefined, all: Iterable<Session>): Session[] {
  const mark = session?.mark
  return mark === undefined ? [] : [...all].filter((other) => other !== session && other.mark === mark)
}

/** Clients that wait for a call without a connection are told this when they come back. */
const NEEDED_BY_ANOTHER =
  'another client needed the server of this call, and nobody was connected to hear its answer. Call again'

function newSeat(session: Session | undefined): Seat {
  const opened = Promise.withResolvers<StdioBackend>()
  // Whoever waits for it is told.
  opened.promise.catch(() => undefined)
  const abort = new AbortController()
  const none = { link: undefined, end: undefined, call: undefined }
  return { session, abort, opened, ...none, isUp: false, isUsed: false, failedPings: 0 }
}

/**
 * Whether another client may have the room. Once its client has gone, what a server knows is worth less than that: the
 * client closed its connections, or has none and was not heard of for a while.
 */
function isSpare(seat: Seat): boolean {
  const { session } = seat
  const isGone = session?.front === 'modern' || session?.isAway === true || (session?.calls.size ?? 0) > 0
  return isUnusedFor(seat, isGone ? -1 : UNHEARD_MS)
}

function isUnusedFor(seat: Seat, ms: number): boolean {
  const { session, isUp, call } = seat
  if (session === undefined || !isUp) return false
  const isIdle = session.front === 'modern' ? call?.isAwaited !== true : session.isIdle
  return isIdle && Date.now() - session.lastSeen > ms
}

/** Processes without a call go first. Among those of one stateless client, the one that was opened first. */
const lastUse = ({ session, call }: Seat) =>
  session?.front === 'modern' && call === undefined ? 0 : (session?.lastSeen ?? 0)
