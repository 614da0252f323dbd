import type { Socket } from 'node:net'
import type {
  AuditSpec,
  AuthenticationSpec,
  AuthorizationSpec,
  TelemetrySpec,
  ToolsOverride,
} from '@toolhaven/core/ports/gateway'
import type { Logger } from '@toolhaven/core/ports/logger'
import type { HttpRequest, HttpResponse } from '../http/server/exchange.ts'
import type { OpenAuditLog } from './observers/audit/audit-log.ts'
import { Notes } from '../http/server/notes.ts'
import type { HttpRefusal } from '../http/server/reply.ts'
import type { JsonObject, RpcNotification, RpcRequest } from '../messages/json-rpc.ts'
import { callerState } from './decisions/caller-state.ts'
import { debug } from './observers/debug.ts'
import { guard } from './admission/guard.ts'
import { limits, type KnownSessions, type Limits } from './admission/limits.ts'
import type { Admission, Asker, Middleware, Origin, Parsed, Watch } from './middleware.ts'
import type { Refusal } from './refusal.ts'
import { parse } from '../messages/parse.ts'
import { toolFilter } from './decisions/tool-filter.ts'
import { toolsOverride } from './decisions/tools-override.ts'
import type { Caller, Callers } from '../oidc/caller.ts'
import type { IdentityFetch } from '../oidc/identity-fetch.ts'
import type { TokenTimes } from '../oidc/token-check.ts'
import type { Session } from '../sessions/session.ts'
import type { TaskOwners } from '../sessions/task-owners.ts'
import type { TelemetryTimes } from './observers/telemetry/collector.ts'
import type { ToolWatch } from '../tools/tool-watch.ts'

export interface PipelineContext {
  allowedHosts: () => readonly string[]
  allowPeer: (socket: Socket) => boolean
  maxMessageBytes: number
  requestsPerMinute?: number | undefined
  clientRequestsPerMinute?: number | undefined
  allowedTools: () => ReadonlySet<string> | undefined
  /** Left out: nobody is asked who they are. */
  authentication?: AuthenticationSpec | undefined
  /** Left out: whoever may call may do everything. */
  authorization?: AuthorizationSpec | undefined
  toolsOverride?: ToolsOverride | undefined
  /** Left out: nobody looks whether tools change. */
  toolsChanged?: 'warn' | 'block' | undefined
  toolWatch?: ToolWatch | undefined
  /** Left out: no call is recorded. */
  audit?: AuditSpec | undefined
  openAuditLog?: OpenAuditLog | undefined
  /** Left out: requests are not told in the log of the workload. */
  debug?: ((line: string) => void) | undefined
  /** Replaces the secrets that are known. */
  mask?: ((text: string) => string) | undefined
  /** The address clients use. */
  origin: string
  identityFetch?: ((allowPrivate: boolean, caCertificate?: string) => IdentityFetch) | undefined
  tokenTimes?: Partial<TokenTimes> | undefined
  /** Left out: nothing is told of calls. */
  telemetry?: TelemetrySpec | undefined
  telemetryTimes?: Partial<TelemetryTimes> | undefined
  workload: string
  sessions: KnownSessions
  tasks: TaskOwners
  logger: Logger
}

export interface Refused {
  refusal: Refusal
  by: string
}

export type Passed = { request: RpcRequest } | Refused

/** What every request meets on its way to the server, and every answer, backwards, on its way back. */
export interface Pipeline {
  readonly names: readonly string[]
  /** Of one body of a client. */
  readonly maxMessageBytes: number
  admit(request: HttpRequest): Admission | Promise<Admission>
  /** Who sent a request that was admitted; undefined where nobody is asked. */
  callerOf(request: HttpRequest): Caller | undefined
  /** Whether a stream that answers this request may go on: rights may have ended since it was opened. Never rejects. */
  mayStay(request: HttpRequest): boolean | Promise<boolean>
  /** Whether this message may go out on such a stream. */
  mayHear(text: string, request: HttpRequest): boolean
  parse(body: readonly Buffer[]): Parsed | HttpRefusal
  /** Undefined where nobody watches. */
  watch(request: RpcRequest, asker: Asker): Watch | undefined
  /** The request as the server is to get it, or why it gets none. */
  fromClient(request: RpcRequest, asker: Asker): Passed
  /** What it has to wait for after all that; undefined: nothing. Then why the server gets it not, if so. Never rejects. */
  waitFor(request: RpcRequest, asker: Asker): Promise<Refused | undefined> | undefined
  /** Whether the server is to hear it. */
  notified(notification: RpcNotification, origin: Origin): boolean
  /** Whether anybody looks at the answers, besides those who watch. */
  readsAnswersTo(method: string): boolean
  /** Waits only where a look at the answer takes long. Throws or rejects where it cannot be judged. */
  toClient(request: RpcRequest, answer: JsonObject, asker: Asker): JsonObject | Promise<JsonObject>
  follow(request: HttpRequest, response: HttpResponse): void
  sessionEnded(session: Session): void
  /** Writes what is still held back; does not throw. */
  close(): Promise<void>
}

/** The only list and the only order. The backend follows the last line. What is not configured is not even loaded. */
async function inOrder(context: PipelineContext, callers: Callers): Promise<Middleware[]> {
  const limited = limits({ ...context, callers })
  return [
    guard(context), // first: a web page or another user must neither learn nor cost anything
    ...(await auditOf(context, callers)), // before whatever may refuse a caller: refusals are recorded
    ...(context.debug === undefined ? [] : [debug(context.debug)]), // there too, and for the same reason
    ...(await authenticationOf(context, callers, limited)), // before the body: strangers cost us no memory
    limited, // once it is known who calls, and before the body: what is too large is not even read
    ...(await telemetryOf(context)), // before whatever may refuse: a refusal is an outcome too; after who may see it
    parse({ isDecidedOn: () => isDecidedOn(context) }), // once, here: all that follows decides on the very message that is forwarded
    ...callerStateOf(context, callers), // with the parsed message, as all that decides
    ...toolsOverrideOf(context), // before whatever decides: a right belongs to the server's tool, not to its name here
    ...(await authorizationOf(context, callers)), // on the server's names, as the filter
    toolFilter(context.allowedTools), // after all rights: what this workload does not offer is unknown to everybody
    ...(await toolLockOf(context)), // last: it compares what the server itself says
  ]
}

/** Of all pipelines: when the rules change while a request is on its way, it is still known who sent it. */
const callers: Callers = new Notes()

export async function createPipeline(context: PipelineContext): Promise<Pipeline> {
  const list = await inOrder(context, callers)
  const backwards = list.filter((middleware) => middleware.toClient !== undefined).toReversed()
  const deciders = list.filter((middleware) => middleware.fromClient !== undefined)
  const followers = list.filter((middleware) => middleware.follow !== undefined)
  const watchers = list.filter((middleware) => middleware.watch !== undefined)
  const waiters = list.filter((middleware) => middleware.waits !== undefined)
  const authenticator = list.find((middleware) => middleware.mayStay !== undefined)
  const hearing = list.filter((middleware) => middleware.mayHear !== undefined)
  return {
    names: list.map((middleware) => middleware.name),
    maxMessageBytes: context.maxMessageBytes,
    admit: (request) => admit(list, request, 0),
    callerOf: (request) => callers.get(request),
    mayStay: (request) => authenticator?.mayStay?.(request) ?? true,
    mayHear: (text, request) => hearing.every((middleware) => middleware.mayHear?.(text, request) ?? true),
    parse: (body) => first(list, (middleware) => middleware.parse?.(body)) ?? { messages: [], isBatch: false },
    watch: (request, asker) => watchAll(watchers, request, asker),
    fromClient: (request, asker) => passAll(deciders, request, asker),
    waitFor: (request, asker) => waitFor(waiters, request, asker),
    notified: (notification, origin) =>
      list.filter((middleware) => middleware.holdsBack?.(notification, origin) === true).length === 0,
    readsAnswersTo: (method) => backwards.some((middleware) => middleware.readsAnswersTo?.(method) ?? true),
    toClient: (request, answer, asker) =>
      backwards.reduce<JsonObject | Promise<JsonObject>>((seen, middleware) => {
        const show = (body: JsonObject) => middleware.toClient?.(request, body, asker) ?? body
        return seen instanceof Promise ? seen.then(show) : show(seen)
      }, answer),
    follow: (request, response) => followers.forEach((middleware) => middleware.follow?.(request, response)),
    sessionEnded: (session) => list.forEach((middleware) => middleware.sessionEnded?.(session)),
    close: async () => {
      await Promise.all(list.map((middleware) => Promise.resolve(middleware.close?.())))
    },
  }
}

async function authenticationOf(context: PipelineContext, callers: Callers, strangers: Limits): Promise<Middleware[]> {
  const { authentication: spec, origin, logger, tokenTimes: times } = context
  if (spec === undefined) return []
  const { authentication } = await import('./admission/authentication.ts')
  const fetch = context.identityFetch?.(spec.allowPrivateIp === true, spec.caCertificate)
  if (fetch === undefined) throw new Error('authentication needs a way to reach the identity provider')
  const { withAuthToken } = await import('../oidc/with-auth-token.ts')
  return [authentication({ spec, origin, fetch: withAuthToken(fetch, spec), callers, strangers, logger, times })]
}

/** Then the message must say the same to every reader: whoever decides on it, records it, or carries it out. */
function isDecidedOn(context: PipelineContext): boolean {
  const { audit, authentication, authorization, toolsOverride: override, toolsChanged, allowedTools } = context
  const isByName = override !== undefined || toolsChanged === 'block' || allowedTools() !== undefined
  return audit !== undefined || authentication !== undefined || authorization !== undefined || isByName
}

async function auditOf(context: PipelineContext, callers: Callers): Promise<Middleware[]> {
  const { audit: spec, openAuditLog, mask = (text) => text } = context
  if (spec === undefined) return []
  if (openAuditLog === undefined) throw new Error('an audit configuration needs a place for its records')
  const { audit } = await import('./observers/audit.ts')
  return [audit({ spec, callers, mask, log: await openAuditLog(spec.logFile) })]
}

async function authorizationOf({ authorization: spec }: PipelineContext, callers: Callers): Promise<Middleware[]> {
  if (spec === undefined) return []
  const { createPolicyEngine } = await import('./decisions/cedar/cedar-engine.ts')
  const { authorization } = await import('./decisions/authorization.ts')
  return [authorization({ engine: await createPolicyEngine(spec), callers })]
}

function callerStateOf({ authentication, tasks }: PipelineContext, callers: Callers): Middleware[] {
  return authentication === undefined ? [] : [callerState({ callers, tasks })]
}

function toolsOverrideOf({ toolsOverride: overrides }: PipelineContext): Middleware[] {
  return overrides === undefined ? [] : [toolsOverride(overrides)]
}

async function toolLockOf({ toolsChanged: mode, toolWatch: watch, workload }: PipelineContext): Promise<Middleware[]> {
  if (mode === undefined || watch === undefined) return []
  const { toolLock } = await import('./decisions/tool-lock.ts')
  return [toolLock({ watch, mode, workload })]
}

async function telemetryOf(context: PipelineContext): Promise<Middleware[]> {
  const { telemetry: spec, workload, sessions, logger, telemetryTimes: times } = context
  if (spec === undefined) return []
  const { telemetry } = await import('./observers/telemetry.ts')
  return [telemetry({ spec, workload, sessions: () => sessions.size, logger, times })]
}

/** Each sees the message as those before it left it. */
function watchAll(watchers: readonly Middleware[], request: RpcRequest, asker: Asker): Watch | undefined {
  if (watchers.length === 0) return undefined
  const { session, from, id } = asker
  const watches: Watch[] = []
  let seen = { request, headers: asker.headers }
  for (const middleware of watchers) {
    const watch = middleware.watch?.(seen.request, { session, from, id, headers: seen.headers })
    if (watch === undefined) continue
    watches.push(watch)
    seen = { request: watch.request ?? seen.request, headers: watch.headers ?? seen.headers }
  }
  return { ...seen, onEnd: (response, refusedBy) => watches.forEach((watch) => watch.onEnd(response, refusedBy)) }
}

/** Each decides on the message as those before it left it. */
function passAll(list: readonly Middleware[], request: RpcRequest, asker: Asker): Passed {
  let seen = request
  for (const middleware of list) {
    const answer = middleware.fromClient?.(seen, asker)
    if (answer === undefined) continue
    if ('code' in answer) return { refusal: answer, by: middleware.name }
    seen = answer
  }
  return { request: seen }
}

/** At most one of them has to. */
function waitFor(
  waiters: readonly Middleware[],
  request: RpcRequest,
  asker: Asker,
): Promise<Refused | undefined> | undefined {
  for (const { name, waits } of waiters) {
    const waited = waits?.(request, asker)
    if (waited !== undefined) return waited.then((refusal) => refusal && { refusal, by: name })
  }
  return undefined
}

/** Waits only where one of them has to. */
function admit(list: readonly Middleware[], request: HttpRequest, from: number): Admission | Promise<Admission> {
  for (let at = from; at < list.length; at++) {
    const answer = list[at]?.admit?.(request)
    if (answer instanceof Promise) return answer.then((late) => late ?? admit(list, request, at + 1))
    if (answer !== undefined) return answer
  }
  return undefined
}

function first<T>(list: readonly Middleware[], ask: (middleware: Middleware) => T | undefined): T | undefined {
  for (const middleware of list) {
    const answer = ask(middleware)
    if (answer !== undefined) return answer
  }
  return undefined
}
