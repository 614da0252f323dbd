import type { BackendLink } from '../servers/backend.ts'
import { isObject, type JsonObject, type RpcRequest } from '../messages/json-rpc.ts'
import type { Session } from '../sessions/session.ts'
import { ListWatch, type Hashes, type WatchOptions } from './list-watch.ts'
import { LOCKED_LISTS, type ListChanged, type ListPart, type LockedList } from './locked-lists.ts'
import { INSTRUCTIONS, seenInstructions } from './seen-definitions.ts'

/** A workload that is running should have known tools, but a server that is slow to list them runs all the same. */
const FIRST_LOOK_MS = 5_000

/** What the server of an endpoint currently says about itself: its lists and its instructions. */
export class ToolWatch {
  readonly #options: WatchOptions
  readonly #lists: ReadonlyMap<ListPart, ListWatch>
  /** The newest handshake of a server, the gateway's own or a client's. */
  #handshake: JsonObject | undefined

  constructor(options: WatchOptions) {
    this.#options = options
    const onTools = (link: BackendLink, session: Session | undefined) => this.#toolsSeen(link, session)
    const watchOf = (list: LockedList) => new ListWatch(list, options, list.part === 'tool' ? onTools : undefined)
    this.#lists = new Map(LOCKED_LISTS.map((list) => [list.part, watchOf(list)]))
  }

  of(part: ListPart): ListWatch {
    const watch = this.#lists.get(part)
    if (watch === undefined) throw new Error(`no watch for ${part}`)
    return watch
  }

  get acceptedInstructions(): Hashes | undefined {
    return this.#options.events.acceptedHashes?.(this.#options.name, INSTRUCTIONS)
  }

  /** A server is about to take its place. Resolves when all of it was seen, or takes too long to wait for. */
  async connecting(link: BackendLink, signal: AbortSignal): Promise<void> {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(FIRST_LOOK_MS)])
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const onAbort = () => resolve()
    limit.addEventListener('abort', onAbort)
    if (limit.aborted) resolve()
    await Promise.race([this.#lookAtAll(link), late])
    limit.removeEventListener('abort', onAbort)
  }

  readonly changed: ListChanged = (session, part) => {
    for (const [each, watch] of this.#lists) if (part === undefined || part === each) watch.changed(session)
  }

  /** An answer to a client that may contain definitions. */
  answered(session: Session | undefined, request: RpcRequest, answer: JsonObject): void {
    const { method } = request
    if (isHandshake(method) && isObject(answer['result'])) return this.#instructed(answer['result'])
    for (const watch of this.#lists.values()) if (watch.list.method === method) watch.listed(session, request, answer)
  }

  close(): void {
    for (const watch of this.#lists.values()) watch.close()
  }

  /** The tools first: everything else counts as known once they are. */
  async #lookAtAll(link: BackendLink): Promise<void> {
    this.#handshake = link.result
    await this.of('tool').connecting(link)
    this.#instructed(link.result)
    await Promise.all(this.#others.map((watch) => watch.connecting(link)))
  }

  /** Where each client has its own process, the tools are first seen in a client's session: nobody else could look. */
  #toolsSeen(link: BackendLink, session: Session | undefined): void {
    if (this.of('tool').accepted === undefined) return
    if (this.acceptedInstructions === undefined) this.#instructed(this.#handshake ?? link.result)
    for (const watch of this.#others) watch.lookIfNew(link, session)
  }

  get #others(): ListWatch[] {
    return [...this.#lists.values()].filter(({ list }) => list.part !== 'tool')
  }

  #instructed(handshake: JsonObject): void {
    this.#handshake = handshake
    const { instructions } = handshake
    this.#options.events.onDefinitions?.(this.#options.name, INSTRUCTIONS, seenInstructions(instructions))
  }
}

/** Requests whose answer contains the server's instructions, in either era. */
export function isHandshake(method: string): boolean {
  return method === 'initialize' || method === 'server/discover'
}
