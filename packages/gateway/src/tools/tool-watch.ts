import { randomUUID } from 'node:crypto'
import { describeError } from '@toolhaven/core/errors'
import type { GatewayEvents } from '@toolhaven/core/ports/gateway'
import type { Logger } from '@toolhaven/core/ports/logger'
import type { BackendLink } from '../backends/backend.ts'
import { isObject, type JsonObject, type RpcRequest } from '../json-rpc.ts'
import { askInNameOf } from '../sessions/call.ts'
import type { Session } from '../sessions/session.ts'
import { listAllTools } from './list-all-tools.ts'
import { seenTools } from './seen-tools.ts'

export interface ToolWatchOptions {
  name: string
  events: Pick<GatewayEvents, 'onTools' | 'acceptedTools'>
  logger: Logger
  /** The server behind; waits for one that restarts. */
  server: () => Promise<BackendLink>
  link: () => BackendLink | undefined
}

/** What a server was seen to have. `at`: how often it had said by then that its tools change. */
interface View {
  hashes: ReadonlyMap<string, string>
  at: number
}

/** How a tool of the server stands to the accepted one; `unseen`: nobody has looked since there was reason to. */
export type Standing = 'accepted' | 'changed' | 'added' | 'missing' | 'unseen'

const LIST_MS = 30_000
/** Whoever sees a workload run shall know of its tools; a server that is slow to list them runs all the same. */
const FIRST_LOOK_MS = 5_000
/** A server that says all the time that its tools change is asked this often, not more. */
const PAUSE_MS = 1_000
const LONG_PAUSE_MS = 30_000

/** Which tools the server of an endpoint has at the moment: found in the lists clients ask for, or by asking. */
export class ToolWatch {
  readonly #options: ToolWatchOptions
  /** By whose they are: the server's, or a session's where each has one of its own. */
  readonly #views = new WeakMap<object, View>()
  readonly #changes = new WeakMap<object, number>()
  readonly #reading = new Map<object, Promise<void>>()
  /** Pages of a client's list that came so far. */
  readonly #pages = new WeakMap<Session, { tools: unknown[]; next: string }>()
  #timer: NodeJS.Timeout | undefined
  #complaint: string | undefined
  /** The newest server, perhaps not yet in its place. */
  #coming: BackendLink | undefined

  constructor(options: ToolWatchOptions) {
    this.#options = options
  }

  get accepted(): ReadonlyMap<string, string> | undefined {
    return this.#options.events.acceptedTools?.(this.#options.name)
  }

  /** A server is about to take its place. Resolves when its tools were seen, or take too long for anybody to wait. */
  async connecting(link: BackendLink, signal: AbortSignal): Promise<void> {
    this.#coming = link
    this.#complaint = undefined
    if (link.ask === undefined) return
    const limit = AbortSignal.any([signal, AbortSignal.timeout(FIRST_LOOK_MS)])
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const onAbort = () => resolve()
    limit.addEventListener('abort', onAbort)
    if (limit.aborted) resolve()
    await Promise.race([this.#readQuietly(link, undefined), late])
    limit.removeEventListener('abort', onAbort)
  }

  /** The server says that its tools are others now; or there is another server behind a session. */
  readonly changed = (session?: Session): void => {
    const link = this.#options.link() ?? this.#coming
    if (link === undefined) return
    const owner = ownerOf(link, session)
    this.#changes.set(owner, this.#changesOf(owner) + 1)
    // To look may itself be what makes a server that does not keep sessions another one.
    const wait = this.#reading.has(owner) ? LONG_PAUSE_MS : PAUSE_MS
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      if (this.#isCurrent(link)) void this.#readQuietly(link, session)
    }, wait)
    this.#timer.unref()
  }

  standingOf(session: Session | undefined, tool: string): Standing {
    const link = this.#options.link()
    if (link === undefined) return 'unseen'
    const owner = ownerOf(link, session)
    const view = this.#views.get(owner)
    return view?.at === this.#changesOf(owner) ? this.#standing(view, tool) : 'unseen'
  }

  /** The same, after a look at what the server has now. Rejects when it cannot be seen. */
  async look(session: Session | undefined, tool: string): Promise<Standing> {
    const link = await this.#options.server()
    const owner = ownerOf(link, session)
    const since = this.#changesOf(owner)
    await this.#read(link, session)
    // The list that was under way may be older than the change.
    if ((this.#views.get(owner)?.at ?? -1) < since) await this.#read(link, session)
    const view = this.#views.get(owner)
    return view === undefined || link !== this.#options.link() ? 'unseen' : this.#standing(view, tool)
  }

  /** An answer to a client's list. */
  listed(session: Session | undefined, { params }: RpcRequest, { result }: JsonObject): void {
    const link = this.#options.link()
    if (link === undefined || session === undefined || !isObject(result) || !Array.isArray(result['tools'])) return
    const { cursor } = params ?? {}
    const before = this.#pages.get(session)
    this.#pages.delete(session)
    if (cursor !== undefined && cursor !== before?.next) return
    const tools = cursor === undefined ? result['tools'] : [...(before?.tools ?? []), ...result['tools']]
    const next = result['nextCursor']
    if (typeof next === 'string') return void this.#pages.set(session, { tools, next })
    const owner = ownerOf(link, session)
    try {
      // It may have been asked for before the last change: only a list of our own is certain to be newer.
      this.#take(owner, this.#views.get(owner)?.at ?? 0, tools)
    } catch (error) {
      this.#complain(error)
    }
  }

  close(): void {
    clearTimeout(this.#timer)
  }

  #standing({ hashes }: View, tool: string): Standing {
    const hash = hashes.get(tool)
    if (hash === undefined) return 'missing'
    const accepted = this.accepted?.get(tool)
    if (accepted === undefined) return 'added'
    return accepted === hash ? 'accepted' : 'changed'
  }

  #readQuietly(link: BackendLink, session: Session | undefined): Promise<void> {
    return this.#read(link, session).catch((error: unknown) => {
      if (this.#isCurrent(link)) this.#complain(error)
    })
  }

  /** Once for all who wait. */
  #read(link: BackendLink, session: Session | undefined): Promise<void> {
    const owner = ownerOf(link, session)
    const known = this.#reading.get(owner)
    if (known !== undefined) return known
    const at = this.#changesOf(owner)
    const signal = AbortSignal.timeout(LIST_MS)
    const reading = listAllTools((params) => ask(link, session, params, signal))
      .then((tools) => this.#take(owner, at, tools))
      .finally(() => this.#reading.delete(owner))
    this.#reading.set(owner, reading)
    return reading
  }

  #take(owner: object, at: number, tools: readonly unknown[]): void {
    const { events, name } = this.#options
    const seen = seenTools(tools)
    this.#views.set(owner, { at, hashes: new Map(seen.tools.map((tool) => [tool.name, tool.hash])) })
    events.onTools?.(name, seen)
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
    this.#options.logger.warn('the tools of a server could not be looked at', { workload: this.#options.name, reason })
  }
}

function ownerOf(link: BackendLink, session: Session | undefined): object {
  return link.isPerSession && session !== undefined ? session : link
}

function ask(
  link: BackendLink,
  session: Session | undefined,
  params: JsonObject,
  signal: AbortSignal,
): Promise<JsonObject> {
  const method = 'tools/list'
  if (link.ask !== undefined && (session === undefined || !link.isPerSession)) return link.ask(method, params, signal)
  if (session === undefined || session.isEnded) return Promise.reject(new Error('there is no session to ask in'))
  return askInNameOf(session, { id: `toolhaven-${randomUUID()}`, method, params }, (call) => link.request(call), signal)
}
