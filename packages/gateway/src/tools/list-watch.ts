import { randomUUID } from 'node:crypto'
import { describeError } from '@toolhaven/core/errors'
import type { GatewayEvents } from '@toolhaven/core/ports/gateway'
import type { Logger } from '@toolhaven/core/ports/logger'
import type { BackendLink } from '../servers/backend.ts'
import { isObject, RPC_ERROR, type JsonObject, type RpcRequest } from '../messages/json-rpc.ts'
import { askInNameOf } from '../sessions/call.ts'
import type { Session } from '../sessions/session.ts'
import { listAll } from './list-all.ts'
import { clientKind } from './client-kind.ts'
import { isOffered, type LockedList } from './locked-lists.ts'
import { seenDefinitions } from './seen-definitions.ts'

export interface WatchOptions {
  name: string
  events: Pick<GatewayEvents, 'onDefinitions' | 'acceptedHashes'>
  logger: Logger
  /** The server behind the endpoint. Waits for one that is restarting. */
  server: () => Promise<BackendLink>
  link: () => BackendLink | undefined
}

/** The hash of each definition that a server was seen to have. */
export type Hashes = ReadonlyMap<string, string>

/** The whole list was just seen, in a session or in the gateway's own name. */
type OnSeen = (link: BackendLink, session: Session | undefined) => void

/** `isKnown`: the server listed them, or does not know such a list. Any other error may be temporary. */
interface Listing {
  all: readonly unknown[]
  isKnown: boolean
}

/** `at`: how many changes of the list the server had announced by then. */
interface View {
  hashes: Hashes
  at: number
}

const LIST_MS = 30_000
/** A server that announces changes all the time is asked at this interval, not more often. */
const PAUSE_MS = 1_000
const LONG_PAUSE_MS = 30_000

/** What the server of an endpoint currently has in one list: read from the lists that clients ask for, or by asking. */
export class ListWatch {
  readonly list: LockedList
  readonly #options: WatchOptions
  readonly #onSeen: OnSeen | undefined
  /** By owner: the server, or a session where each has its own server. */
  readonly #views = new WeakMap<object, View>()
  readonly #changes = new WeakMap<object, number>()
  readonly #reading = new Map<object, Promise<void>>()
  /** Pages of a client's list that have arrived so far. */
  readonly #pages = new WeakMap<Session, { all: unknown[]; next: string }>()
  #timer: NodeJS.Timeout | undefined
  #complaint: string | undefined
  /** The newest server, which may not be in place yet. */
  #coming: BackendLink | undefined

  constructor(list: LockedList, options: WatchOptions, onSeen?: OnSeen) {
    this.list = list
    this.#options = options
    this.#onSeen = onSeen
  }

  get accepted(): Hashes | undefined {
    return this.#options.events.acceptedHashes?.(this.#options.name, this.list.part)
  }

  /** A server is about to take its place. Resolves when its list was seen, or cannot be. */
  async connecting(link: BackendLink): Promise<void> {
    this.#coming = link
    this.#complaint = undefined
    if (link.ask !== undefined) await this.#readQuietly(link, undefined)
  }

  /** Clients may never ask for this list, and what it lacks now must not be added later unnoticed. */
  lookIfNew(link: BackendLink, session: Session | undefined): void {
    if (this.accepted === undefined) void this.#readQuietly(link, session)
  }

  /** The server says that its list has changed, or there is another server behind a session. */
  changed(session: Session | undefined): void {
    const link = this.#options.link() ?? this.#coming
    if (link === undefined) return
    const owner = ownerOf(link, session)
    this.#changes.set(owner, this.#changesOf(owner) + 1)
    // With a server that does not keep sessions, looking may itself cause another change of server.
    const wait = this.#reading.has(owner) ? LONG_PAUSE_MS : PAUSE_MS
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      if (this.#isCurrent(link)) void this.#readQuietly(link, session)
    }, wait)
    this.#timer.unref()
  }

  /** What the server has. Undefined: not listed again since it may have changed. */
  current(session: Session | undefined): Hashes | undefined {
    const link = this.#options.link()
    if (link === undefined) return undefined
    const owner = ownerOf(link, session)
    const view = this.#views.get(owner)
    return view?.at === this.#changesOf(owner) ? view.hashes : undefined
  }

  /** The same, after a look at what the server has now. Rejects when it cannot be seen. */
  async look(session: Session | undefined): Promise<Hashes | undefined> {
    const link = await this.#options.server()
    const owner = ownerOf(link, session)
    const since = this.#changesOf(owner)
    await this.#read(link, session)
    // The list that was under way may be older than the change.
    if ((this.#views.get(owner)?.at ?? -1) < since) await this.#read(link, session)
    return link === this.#options.link() ? this.#views.get(owner)?.hashes : undefined
  }

  /** An answer to a client's list request. */
  listed(session: Session | undefined, { params }: RpcRequest, { result }: JsonObject): void {
    const link = this.#options.link()
    const page = isObject(result) ? result[this.list.field] : undefined
    if (link === undefined || session === undefined || !isObject(result) || !Array.isArray(page)) return
    const { cursor } = params ?? {}
    const before = this.#pages.get(session)
    this.#pages.delete(session)
    if (cursor !== undefined && cursor !== before?.next) return
    const all = cursor === undefined ? page : [...(before?.all ?? []), ...page]
    const next = result['nextCursor']
    if (typeof next === 'string') return void this.#pages.set(session, { all, next })
    const owner = ownerOf(link, session)
    try {
      // It may have been requested before the last change: only a list of our own is certain to be newer.
      this.#take(owner, this.#views.get(owner)?.at ?? 0, { all, isKnown: true }, session)
      this.#onSeen?.(link, session)
    } catch (error) {
      this.#complain(error)
    }
  }

  close(): void {
    clearTimeout(this.#timer)
  }

  #readQuietly(link: BackendLink, session: Session | undefined): Promise<void> {
    return this.#read(link, session).catch((error: unknown) => {
      if (this.#isCurrent(link)) this.#complain(error)
    })
  }

  /** Once for all that wait. */
  #read(link: BackendLink, session: Session | undefined): Promise<void> {
    const owner = ownerOf(link, session)
    const known = this.#reading.get(owner)
    if (known !== undefined) return known
    const at = this.#changesOf(owner)
    const reading = this.#ask(link, session)
      .then((listing) => this.#take(owner, at, listing, session))
      .then(() => this.#onSeen?.(link, session))
      .finally(() => this.#reading.delete(owner))
    this.#reading.set(owner, reading)
    return reading
  }

  async #ask(link: BackendLink, session: Session | undefined): Promise<Listing> {
    // Not every server answers a request that it does not know.
    if (!isOffered(this.list, link.result)) return { all: [], isKnown: true }
    const signal = AbortSignal.timeout(LIST_MS)
    const { field, method, part } = this.list
    const isUndeclared = part === 'tool' && !declaresTools(link)
    // Many servers declare resources and know nothing about templates: their resources must stay readable.
    const isOptional = part === 'resource_template' || isUndeclared
    let error: unknown
    const askOnce = async (params: JsonObject) => {
      const answer = await ask(link, session, { method, params }, signal)
      error = answer['error']
      return answer
    }
    try {
      const all = await listAll(field, askOnce, isOptional)
      return { all, isKnown: !isObject(error) || error['code'] === RPC_ERROR.methodNotFound }
    } catch (failure) {
      // The server said that it has none, and does not answer.
      if (isUndeclared && signal.aborted) return { all: [], isKnown: false }
      throw failure
    }
  }

  #take(owner: object, at: number, { all, isKnown }: Listing, session: Session | undefined): void {
    const { events, name } = this.#options
    const seen = seenDefinitions(this.list, all)
    this.#views.set(owner, { at, hashes: new Map(seen.definitions.map((each) => [each.name, each.hash])) })
    // What is seen first is accepted, so an error must not stand for an empty list. An empty list of tools is never
    // accepted first.
    if (isKnown || this.list.part === 'tool' || this.accepted !== undefined)
      // A server that is shared was greeted by the gateway, and says the same to every client.
      events.onDefinitions?.(name, this.list.part, owner === session ? { ...seen, kind: clientKind(session) } : seen)
  }

  #isCurrent(link: BackendLink): boolean {
    return link === (this.#options.link() ?? this.#coming)
  }

  #changesOf(owner: object): number {
    return this.#changes.get(owner) ?? 0
  }

  #complain(error: unknown): void {
    const reason = describeError(error)
    if (reason === this.#complaint) return
    this.#complaint = reason
    const { logger, name: workload } = this.#options
    logger.warn(`the ${this.list.noun}s of a server could not be listed`, { workload, reason })
  }
}

function declaresTools({ result: { capabilities } }: BackendLink): boolean {
  return isObject(capabilities) && isObject(capabilities['tools'])
}

function ownerOf(link: BackendLink, session: Session | undefined): object {
  return link.isPerSession && session !== undefined ? session : link
}

function ask(
  link: BackendLink,
  session: Session | undefined,
  { method, params }: { method: string; params: JsonObject },
  signal: AbortSignal,
): Promise<JsonObject> {
  if (link.ask !== undefined && (session === undefined || !link.isPerSession)) return link.ask(method, params, signal)
  if (session === undefined || session.isEnded) return Promise.reject(new Error('there is no session to ask in'))
  return askInNameOf(session, { id: `toolhaven-${randomUUID()}`, method, params }, (call) => link.request(call), signal)
}
