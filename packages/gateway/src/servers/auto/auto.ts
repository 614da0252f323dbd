import { describeError } from '@toolhaven/core/errors'
import type { AutoBackend, EndServer, Handshake } from '@toolhaven/core/ports/gateway'
import { isObject } from '../../messages/json-rpc.ts'
import type { JsonObject, RpcNotification, RpcRequest, RpcResponse } from '../../messages/json-rpc.ts'
import type { Call } from '../../sessions/call.ts'
import { canAnswerSome } from '../../sessions/server-requests.ts'
import type { Session } from '../../sessions/session.ts'
import type { ListChanged, ListPart } from '../../tools/locked-lists.ts'
import type { BackendLink } from '../backend.ts'
import { CallSeats } from './call-seats.ts'
import { connectStdio } from '../stdio/connect-stdio.ts'
import type { Opening } from '../stdio/greet-stdio.ts'
import { listenersOf, Seats, type Seat } from './seats.ts'
import { StdioBackend, type StdioBackendOptions } from '../stdio/stdio.ts'
import type { StdioPipeOptions } from '../stdio/stdio-pipe.ts'
import { TOOLS_CHANGED } from '../server-messages.ts'

export interface AutoOptions extends Omit<StdioPipeOptions, 'channel'> {
  backend: AutoBackend
  known: StdioBackendOptions['known']
  opening: Opening
  sessions: () => Iterable<Session>
  /** From now on the workload needs a process for each client that can answer. */
  onOwnNeeded: () => void
  /** The tools of this session's server have changed. Without a session: those of the server that all share. */
  onListChanged?: ListChanged | undefined
}

/** Starts the first server, which all clients share until it asks something. */
export async function connectAuto(
  options: AutoOptions,
  signal: AbortSignal,
): Promise<{ link: BackendLink; opening: Opening }> {
  const { backend, name, limits, logger, opening, onOutput, known, sessions } = options
  const { channel, start } = backend.first
  const servers = new AutoServers(options)
  const connected = await connectStdio(
    {
      ...{ name, limits, logger, channel, start, known, opening, onOutput, isExclusive: backend.needsOwn },
      owner: () => servers.ownerOfFirst,
      sessions: () => servers.sessionsOfFirst,
      listeners: () => listenersOf(servers.ownerOfFirst, sessions()),
      onAsk: (session) => servers.asked(session),
      onListChanged: (part) => servers.listOfFirstChanged(part),
      onLost: (reason) => servers.firstLost(reason),
    },
    signal,
  )
  // A stateless server asks in its answer to the call: it can always be shared.
  if (!(connected.link instanceof StdioBackend)) return connected
  servers.begin(connected.link)
  return { link: servers, opening: connected.opening }
}

/**
 * One server for all clients until it asks one of them. From then on each client that can answer has a server of its
 * own.
 */
class AutoServers implements BackendLink {
  readonly era = 'legacy'
  handshake: Handshake = { protocolVersion: '', serverName: '', serverVersion: '' }
  result: JsonObject = {}
  readonly #options: AutoOptions
  readonly #seats: Seats
  readonly #calls: CallSeats
  #isApart: boolean
  /** The first server, until one client gets it or it is given up. */
  #first: StdioBackend | undefined
  /** The client that has the first server to itself. */
  #ofFirst: Seat | undefined
  /** The first server, while it still answers calls from before it was known to ask. */
  #retired: { link: StdioBackend; end: EndServer } | undefined
  #isFirstClaimed = false
  #shared: Seat | undefined

  constructor(options: AutoOptions) {
    this.#options = options
    this.#isApart = options.backend.needsOwn
    this.#seats = new Seats({
      ...options,
      result: () => this.result,
      sharing: () => this.#sharing(),
      onListChanged: (session, part) => this.#listChanged(session === undefined ? this.#sharing() : [session], part),
      onClosed: (seat) => this.#closed(seat),
    })
    this.#calls = new CallSeats(this.#seats, options.limits.handshakeMs)
  }

  begin(first: StdioBackend): void {
    this.#first = first
    this.handshake = first.handshake
    this.result = first.result
    // A process that an earlier daemon used may still ask about calls of other clients.
    if (this.#options.backend.needsOwn && first.hasServedOnly(undefined))
      this.#seats.spare = {
        link: first,
        onTaken: (seat) => {
          this.#ofFirst = seat
          this.#first = undefined
          return this.#claimFirst()
        },
      }
    else if (this.#hasTasks || this.#isApart) this.#part(undefined)
  }

  get isPerSession(): boolean {
    return this.#isApart
  }

  /** Where clients have servers of their own, their tools are requested in their sessions. */
  get ask(): BackendLink['ask'] {
    const first = this.#first
    if (this.#isApart || first === undefined) return undefined
    return (method, params, signal) => first.ask(method, params, signal)
  }

  get ownerOfFirst(): Session | undefined {
    return this.#ofFirst?.session
  }

  get sessionsOfFirst(): Iterable<Session> {
    if (this.#ofFirst?.session !== undefined) return [this.#ofFirst.session]
    return this.#isApart ? [] : this.#options.sessions()
  }

  firstLost(reason: string): void {
    if (this.#ofFirst !== undefined) this.#seats.close(this.#ofFirst, reason)
    else if (!this.#isFirstClaimed) this.#options.onLost(reason)
  }

  listOfFirstChanged(part: ListPart): void {
    if (this.#isApart) this.#listChanged(this.sessionsOfFirst, part)
    else this.#options.onListChanged?.(undefined, part)
  }

  /** The first server asked something. `session`: the client that it asked. */
  asked(session: Session | undefined): void {
    if (!this.#isApart) this.#part(session)
  }

  async initialize(session: Session, request: RpcRequest): Promise<JsonObject> {
    if (!this.#isApart && this.#first !== undefined) return this.#first.initialize(session, request)
    if (!this.#needsOwn(session)) {
      const shared = await this.#sharedSeat().opened.promise
      return shared.initialize(session, request)
    }
    let answer: JsonObject | undefined
    const seat = this.#seats.open(session, async (link) => {
      answer = await link.initialize(session, request)
      return answer
    })
    await seat.opened.promise.catch((error: unknown) => {
      if (answer === undefined || !('error' in answer)) throw error
    })
    return answer ?? {}
  }

  request(call: Call): void {
    if (!this.#isApart && this.#first !== undefined) return this.#first.request(call)
    const { session } = call
    const mayHear = canAnswerSome(session) || session.logLevel !== undefined
    if (session.front === 'modern' && mayHear) return this.#calls.request(call)
    try {
      const seat = this.#seatOf(session)
      if (seat.isUp && seat.link !== undefined) return seat.link.request(call)
      const unsent = (error: unknown) => this.#seats.failUnsent(call, error)
      seat.opened.promise.then((link) => call.isSettled || link.request(call), unsent)
    } catch (error) {
      call.fail(describeError(error))
    }
  }

  notify(session: Session, notification: RpcNotification): void {
    if (!this.#isApart) return this.#first?.notify(session, notification)
    const [seat = this.#needsOwn(session) ? undefined : this.#shared] = this.#seats.of(session)
    // A server that has not started yet will ask for what it needs.
    if (seat === undefined) return this.#retired?.link.notify(session, notification)
    // In its place among the messages that wait for the server.
    if (seat.isUp) seat.link?.notify(session, notification)
    else seat.opened.promise.then((link) => link.notify(session, notification)).catch(() => undefined)
  }

  /** Only the server that asked gets the answer. */
  respond(session: Session, response: RpcResponse): void {
    for (const link of this.#linksOf(session)) link.respond(session, response)
  }

  /** Messages for the client wait in its outbox: there is nothing to open here. */
  listen(): void {}

  endSession(session: Session): void {
    for (const link of this.#linksOf(session)) link.endSession(session)
    for (const seat of this.#seats.of(session)) this.#seats.close(seat, 'the client ended its session')
  }

  async ping(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#first?.ping(signal), this.#seats.ping(signal)])
  }

  stop(reason: string, keepOpen: boolean): void {
    this.#first?.stop(reason, keepOpen)
    this.#first = undefined
    this.#retired?.link.stop(reason, false)
    void this.#retired?.end()
    this.#seats.closeAll(reason)
    this.#calls.failWaiting(reason)
  }

  /** From now on clients have their own servers. The client that was asked keeps the first, unless others used it too. */
  #part(session: Session | undefined): void {
    this.#isApart = true
    const first = this.#first
    // The server asked before it answered the handshake: its next questions are decided on after that.
    if (first === undefined) return
    this.#first = undefined
    if (!this.#options.backend.needsOwn) this.#options.onOwnNeeded()
    const end = this.#claimFirst()
    const mayKeep = session !== undefined && session.front !== 'modern' && first.hasServedOnly(session)
    if (mayKeep) this.#ofFirst = this.#seats.keep(session, first, end)
    else this.#retire(first, end)
    for (const other of this.#options.sessions()) if (other.subscriptions.size > 0) this.#moveNow(other)
  }

  #retire(link: StdioBackend, end: EndServer): void {
    this.#retired = { link, end }
    link.whenIdle(() => {
      this.#retired = undefined
      link.stop('clients have servers of their own now', false)
      void end()
    })
  }

  /** A client that waits for news must not have to wait for its next call. */
  #moveNow(session: Session): void {
    try {
      this.#seatOf(session)
    } catch {
      // All are taken: it is told with its next call.
    }
  }

  #claimFirst(): EndServer {
    this.#isFirstClaimed = true
    return this.#options.backend.claimFirst()
  }

  #needsOwn(session: Session): boolean {
    return session.front !== 'modern' && (this.#hasTasks || canAnswerSome(session))
  }

  /** Every client could see the tasks of a shared server. */
  get #hasTasks(): boolean {
    const { capabilities } = this.result
    return isObject(capabilities) && isObject(capabilities['tasks'])
  }

  /** Throws when all are taken. */
  #seatOf(session: Session): Seat {
    const [own] = this.#seats.of(session)
    if (own !== undefined) return own
    if (!this.#needsOwn(session)) return this.#sharedSeat()
    const seat = this.#seats.open(session, (link) => link.takeOver(session))
    // What the client knows about tools came from another server.
    seat.opened.promise.then(() => this.#hasMoved(session)).catch(() => undefined)
    return seat
  }

  #hasMoved(session: Session): void {
    this.#listChanged([session])
    const { capabilities } = this.result
    const isTold = isObject(capabilities) && isObject(capabilities['tools']) && capabilities['tools']['listChanged']
    if (isTold === true) session.send(JSON.stringify({ jsonrpc: '2.0', method: TOOLS_CHANGED }))
  }

  #sharedSeat(): Seat {
    return (this.#shared ??= this.#seats.open(undefined, (link) => link.greetForAll()))
  }

  #sharing(): Session[] {
    return [...this.#options.sessions()].filter(
      (session) => !this.#needsOwn(session) && this.#seats.of(session).length === 0,
    )
  }

  #listChanged(sessions: Iterable<Session>, part?: ListPart): void {
    for (const session of sessions) this.#options.onListChanged?.(session, part)
  }

  #linksOf(session: Session): StdioBackend[] {
    const seats = [...this.#seats.of(session), this.#shared]
    return [...seats.map((seat) => seat?.link), this.#first, this.#retired?.link].filter((link) => link !== undefined)
  }

  #closed(seat: Seat): void {
    if (this.#shared === seat) this.#shared = undefined
    if (this.#ofFirst === seat) this.#ofFirst = undefined
    // Not while room is being made for one of them.
    queueMicrotask(() => this.#calls.wake())
  }
}
