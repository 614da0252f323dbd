import type { HttpRequest, HttpResponse } from '../http/server/exchange.ts'
import { Notes } from '../http/server/notes.ts'
import type { HttpRefusal } from '../http/server/reply.ts'
import type { JsonObject, RpcNotification, RpcRequest } from '../messages/json-rpc.ts'
import { createParser, type Parsed } from '../messages/parse.ts'
import type { Caller, Callers } from '../oidc/caller.ts'
import type { Session } from '../sessions/session.ts'
import type { Admission, Gate } from './admission/gate.ts'
import type { Asker, Origin } from './asker.ts'
import type { Decision } from './decisions/decision.ts'
import { createLists, type Lists } from './lists.ts'
import type { Observer, Watch } from './observers/observer.ts'
import type { PipelineContext } from './pipeline-context.ts'
import type { Refusal } from './refusal.ts'

export interface Refused {
  refusal: Refusal
  by: string
}

export type Passed = { request: RpcRequest } | Refused

/** What every request passes on its way to the server, and every answer, in reverse order, on its way back. */
export interface Pipeline {
  readonly lists: Lists
  /** For one body of a client. */
  readonly maxMessageBytes: number
  /** Undefined lets the exchange continue. Observers follow it from the guard on, whatever the outcome. */
  admit(request: HttpRequest, response: HttpResponse): Admission | Promise<Admission>
  /** The sender of an admitted request. Undefined where callers are not authenticated. */
  callerOf(request: HttpRequest): Caller | undefined
  /**
   * Whether a stream that answers this request may continue: rights may have ended since it was opened. Never rejects.
   */
  mayStay(request: HttpRequest): boolean | Promise<boolean>
  /** Whether this message may be sent on such a stream. */
  mayHear(text: string, request: HttpRequest): boolean
  /** Parses once: every decision is made on the very message that is forwarded. */
  parse(body: readonly Buffer[]): Parsed | HttpRefusal
  /** Undefined if no observer watches it. */
  watch(request: RpcRequest, asker: Asker): Watch | undefined
  /** The request as the server gets it, or why the server does not get it. */
  fromClient(request: RpcRequest, asker: Asker): Passed
  /**
   * What the request has to wait for after all that, and then perhaps why the server does not get it. Undefined:
   * nothing. Never rejects.
   */
  waitFor(request: RpcRequest, asker: Asker): Promise<Refused | undefined> | undefined
  notified(notification: RpcNotification, origin: Origin): void
  /** Whether a decision reads the answers, apart from observers. */
  readsAnswersTo(method: string): boolean
  /** Waits only where reading the answer takes long. Throws or rejects where it cannot be judged. */
  toClient(request: RpcRequest, answer: JsonObject, asker: Asker): JsonObject | Promise<JsonObject>
  sessionEnded(session: Session): void
  /** Writes what is still held back. Does not throw. */
  close(): Promise<void>
}

/** Shared by all pipelines: when the rules change while a request is on its way, its sender is still known. */
const callers: Callers = new Notes()

export async function createPipeline(context: PipelineContext): Promise<Pipeline> {
  const lists = await createLists(context, callers)
  const { guard, gates, observers, decisions } = lists
  const backwards = decisions.filter(({ toClient }) => toClient !== undefined).toReversed()
  const deciders = decisions.filter(({ fromClient }) => fromClient !== undefined)
  const waiters = decisions.filter(({ waits }) => waits !== undefined)
  const hearing = decisions.filter(({ mayHear }) => mayHear !== undefined)
  const followers = observers.filter(({ follow }) => follow !== undefined)
  const watchers = observers.filter(({ watch }) => watch !== undefined)
  const authenticator = gates.find(({ mayStay }) => mayStay !== undefined)
  return {
    lists,
    maxMessageBytes: context.maxMessageBytes,
    admit: (request, response) => {
      const refused = guard.admit(request)
      if (refused !== undefined) return refused
      for (const observer of followers) observer.follow?.(request, response)
      return admit(gates, request, 0)
    },
    callerOf: (request) => callers.get(request),
    mayStay: (request) => authenticator?.mayStay?.(request) ?? true,
    mayHear: (text, request) => hearing.every((decision) => decision.mayHear?.(text, request) ?? true),
    parse: createParser({ isDecidedOn: () => isDecidedOn(context) }),
    watch: (request, asker) => watchAll(watchers, request, asker),
    fromClient: (request, asker) => passAll(deciders, request, asker),
    waitFor: (request, asker) => waitFor(waiters, request, asker),
    notified: (notification, origin) => observers.forEach((observer) => observer.notified?.(notification, origin)),
    readsAnswersTo: (method) => backwards.some((decision) => decision.readsAnswersTo?.(method) ?? true),
    toClient: (request, answer, asker) =>
      backwards.reduce<JsonObject | Promise<JsonObject>>((seen, decision) => {
        const show = (body: JsonObject) => decision.toClient?.(request, body, asker) ?? body
        return seen instanceof Promise ? seen.then(show) : show(seen)
      }, answer),
    sessionEnded: (session) => observers.forEach((observer) => observer.sessionEnded?.(session)),
    close: async () => {
      await Promise.all(observers.map((observer) => Promise.resolve(observer.close?.())))
    },
  }
}

/** If so, the message must say the same to every reader: those that decide on it, record it, or carry it out. */
function isDecidedOn(context: PipelineContext): boolean {
  const { audit, authentication, authorization, toolsOverride: override, toolsChanged, allowedTools } = context
  const isByName = override !== undefined || toolsChanged === 'block' || allowedTools() !== undefined
  return audit !== undefined || authentication !== undefined || authorization !== undefined || isByName
}

/** Waits only where a gate has to. */
function admit(gates: readonly Gate[], request: HttpRequest, from: number): Admission | Promise<Admission> {
  for (let at = from; at < gates.length; at++) {
    const answer = gates[at]?.admit(request)
    if (answer instanceof Promise) return answer.then((late) => late ?? admit(gates, request, at + 1))
    if (answer !== undefined) return answer
  }
  return undefined
}

/** Each observer sees the message as those before it left it. */
function watchAll(watchers: readonly Observer[], request: RpcRequest, asker: Asker): Watch | undefined {
  if (watchers.length === 0) return undefined
  const { session, from, id } = asker
  const watches: Watch[] = []
  let seen = { request, headers: asker.headers }
  for (const observer of watchers) {
    const watch = observer.watch?.(seen.request, { session, from, id, headers: seen.headers })
    if (watch === undefined) continue
    watches.push(watch)
    seen = { request: watch.request ?? seen.request, headers: watch.headers ?? seen.headers }
  }
  return { ...seen, onEnd: (response, refusedBy) => watches.forEach((watch) => watch.onEnd(response, refusedBy)) }
}

/** Each decision sees the message as those before it left it. */
function passAll(deciders: readonly Decision[], request: RpcRequest, asker: Asker): Passed {
  let seen = request
  for (const decision of deciders) {
    const answer = decision.fromClient?.(seen, asker)
    if (answer === undefined) continue
    if ('code' in answer) return { refusal: answer, by: decision.name }
    seen = answer
  }
  return { request: seen }
}

/** At most one decision has to wait. */
function waitFor(
  waiters: readonly Decision[],
  request: RpcRequest,
  asker: Asker,
): Promise<Refused | undefined> | undefined {
  for (const { name, waits } of waiters) {
    const waited = waits?.(request, asker)
    if (waited !== undefined) return waited.then((refusal) => refusal && { refusal, by: name })
  }
  return undefined
}
