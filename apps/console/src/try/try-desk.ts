import type { QueryClient } from '@tanstack/react-query'
import { serverConnectionRoutes } from '@toolhaven/contract/server-connection'
import { messageOf } from '../api.ts'
import { rememberCall } from '../home/first-run-choice.ts'
import { askDaemon } from '../ask-daemon.ts'
import { pageSession } from '../session/page-session.ts'
import {
  type JsonObject,
  type McpRequest,
  type Question,
  type QuestionAnswer,
  RpcFault,
  type RpcMessage,
} from './mcp-messages.ts'
import { McpSession } from './mcp-session.ts'
import type { Offer } from './offers.ts'
import { requestFor } from './requests.ts'

export type Outcome = 'running' | 'answered' | 'tool-error' | 'refused' | 'server-error' | 'failed' | 'cancelled'

export interface Traffic {
  isSent: boolean
  text: string
}

/** One call, from the button to its end. */
export interface Try {
  id: number
  kind: Offer['kind']
  /** The name of what was tried. */
  item: string
  args: JsonObject
  request: McpRequest
  at: number
  outcome: Outcome
  tookMs?: number
  result?: JsonObject
  /** Why it did not work, apart from what a tool says itself. */
  fault?: string
  progress?: { done: number; total: number | undefined; says: string }
  /** Log messages that came with it. */
  notes: readonly string[]
  traffic: readonly Traffic[]
}

export interface AskedQuestion {
  id: number
  question: Question
  answer: (answer: QuestionAnswer) => void
  /** A server may ask without end. Which call it asks for is not said, so all of them end. */
  cancelCalls: () => void
}

export interface DeskState {
  /** Newest first. */
  tries: readonly Try[]
  questions: readonly AskedQuestion[]
}

const MOST_TRIES = 50
const MOST_TRAFFIC = 200

/** What was tried of one server while the page is open, and the session for it. Nothing of it is kept. */
export class TryDesk {
  readonly session: McpSession
  readonly #address: string
  readonly #watchers = new Set<() => void>()
  readonly #stops = new Map<number, AbortController>()
  #state: DeskState = { tries: [], questions: [] }
  #nextId = 1
  #token: string | undefined

  constructor(server: string) {
    const path = serverConnectionRoutes.sendToServer.path.replace('{name}', encodeURIComponent(server))
    this.#address = new URL(path, location.origin).href
    this.session = new McpSession({
      fetch: (init) => this.#fetch(init),
      answer: (question, signal) => this.#ask(question, signal),
    })
  }

  readonly subscribe = (watcher: () => void) => {
    this.#watchers.add(watcher)
    return () => void this.#watchers.delete(watcher)
  }

  readonly state = () => this.#state

  /** For a server that asks who calls. It is forgotten with the page. */
  useToken(token: string): void {
    this.session.close()
    this.#token = token
  }

  async run({ kind, id: item }: Pick<Offer, 'kind' | 'id'>, args: JsonObject): Promise<void> {
    const id = this.#nextId++
    const request = requestFor({ kind, id: item }, args)
    const entry: Try = { id, kind, item, args, request, at: Date.now(), outcome: 'running', notes: [], traffic: [] }
    this.#set({ tries: [entry, ...this.#state.tries].slice(0, MOST_TRIES) })
    const stop = new AbortController()
    this.#stops.set(id, stop)
    const began = performance.now()
    const end = (change: Partial<Try>) => this.#change(id, () => ({ tookMs: performance.now() - began, ...change }))
    try {
      const result = await this.session.ask(request, {
        signal: stop.signal,
        onTraffic: (traffic) =>
          this.#change(id, (before) => ({ traffic: [...before.traffic, traffic].slice(-MOST_TRAFFIC) })),
        onNotice: (notice) => this.#change(id, (before) => changeOf(notice, before)),
      })
      if (kind === 'tool') rememberCall()
      end({ result, outcome: result['isError'] === true ? 'tool-error' : 'answered' })
    } catch (error) {
      end(stop.signal.aborted ? { outcome: 'cancelled' } : { outcome: outcomeOf(error), fault: messageOf(error) })
    } finally {
      this.#stops.delete(id)
    }
  }

  cancel(id: number): void {
    this.#stops.get(id)?.abort()
  }

  forget(): void {
    this.#set({ tries: this.#state.tries.filter(({ outcome }) => outcome === 'running') })
  }

  #ask(question: Question, signal: AbortSignal): Promise<QuestionAnswer> {
    const id = this.#nextId++
    return new Promise((resolve, reject) => {
      const close = () => this.#set({ questions: this.#state.questions.filter((each) => each.id !== id) })
      const answer = (given: QuestionAnswer) => {
        close()
        resolve(given)
      }
      const cancelCalls = () => this.#stops.forEach((stop) => stop.abort())
      signal.addEventListener('abort', () => {
        close()
        reject(signal.reason)
      })
      this.#set({ questions: [...this.#state.questions, { id, question, answer, cancelCalls }] })
    })
  }

  async #fetch(init: RequestInit): Promise<Response> {
    const request = new Request(this.#address, init)
    if (this.#token !== undefined) request.headers.set('authorization', `Bearer ${this.#token}`)
    return askDaemon(await pageSession.admit(request))
  }

  #change(id: number, change: (before: Try) => Partial<Try>): void {
    const tries = this.#state.tries.map((each) => (each.id === id ? { ...each, ...change(each) } : each))
    this.#set({ tries })
  }

  #set(part: Partial<DeskState>): void {
    this.#state = { ...this.#state, ...part }
    for (const watcher of this.#watchers) watcher()
  }
}

const DENIED = -32_003

function outcomeOf(error: unknown): Outcome {
  if (!(error instanceof RpcFault)) return 'failed'
  return error.code === DENIED ? 'refused' : 'server-error'
}

function changeOf({ method, params = {} }: RpcMessage, { notes }: Try): Partial<Try> {
  if (method === 'notifications/message') {
    const { level, data } = params
    const said = typeof data === 'string' ? data : JSON.stringify(data)
    return { notes: [...notes, `${String(level)}: ${said}`].slice(-MOST_TRAFFIC) }
  }
  const { progress, total, message } = params
  if (method !== 'notifications/progress' || typeof progress !== 'number') return {}
  const isKnown = typeof total === 'number' && total > 0
  return {
    progress: {
      ...{ done: progress, total: isKnown ? total : undefined },
      says: typeof message === 'string' ? message : '',
    },
  }
}

/** One for each server, for as long as the page is open: a call goes on while its log is read. */
export function deskOf(cache: QueryClient, server: string): TryDesk {
  const key = ['desk', server]
  const known = cache.getQueryData<TryDesk>(key)
  if (known) return known
  const desk = new TryDesk(server)
  cache.setQueryDefaults(['desk'], { gcTime: Infinity })
  cache.setQueryData(key, desk)
  addEventListener('pagehide', () => desk.session.close())
  return desk
}
