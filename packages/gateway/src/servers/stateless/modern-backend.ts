import { setTimeout as pause } from 'node:timers/promises'
import { backoffMs } from '@toolhaven/contract/backoff'
import type { Handshake } from '@toolhaven/core/ports/gateway'
import { describeError } from '@toolhaven/core/errors'
import { mirroredHeaders, readMirrored, type MirroredTools } from '../../clients/stateless/tool-headers.ts'
import {
  isObject,
  onOneLine,
  RPC_ERROR,
  type JsonObject,
  type RpcNotification,
  type RpcRequest,
  type RpcResponse,
} from '../../messages/json-rpc.ts'
import { META, metaOf, MODERN_ERROR } from '../../messages/modern-era.ts'
import type { GatewayLimits } from '../../endpoint/options.ts'
import { negotiateVersion } from '../../messages/protocol-versions.ts'
import type { Call } from '../../sessions/call.ts'
import { isLogLevel } from '../../sessions/log-levels.ts'
import type { Session } from '../../sessions/session.ts'
import type { ListPart } from '../../tools/locked-lists.ts'
import { toHandshake, type BackendLink } from '../backend.ts'
import { OWN_META } from '../discovery.ts'
import { isSubscriber, LIST_CHANGED, TOOLS_CHANGED } from '../server-messages.ts'
import { within } from '../within.ts'
import { Questions } from './questions.ts'
import { askServer, type ServerRequests } from './requests.ts'
import { SharedListen } from './shared-listen.ts'
import { toLegacy, toLegacyCapabilities, withKnownOutputs, withOwnMeta } from './to-legacy.ts'

export interface ModernBackendOptions {
  name: string
  requests: ServerRequests
  /** What the server said about itself, in the form of an answer to initialize. */
  result: JsonObject
  sessions: () => Iterable<Session>
  /** How long requests wait for a server that does not listen, and calls for the list of tools. */
  limits: Pick<GatewayLimits, 'backendWaitMs' | 'toolsWaitMs'>
  /** If given, the gateway listens to the server whether or not any client does. */
  onListChanged?: ((part: ListPart) => void) | undefined
}

/** A server that asks more often than this is asking in circles. */
const MOST_ROUNDS = 32
const PAUSES = { firstMs: 100, longestMs: 5_000 }
const TOOLS_LIST_MS = 30_000

/**
 * A stateless server. Requests of stateless clients pass through unchanged. For clients with sessions the gateway holds
 * the session: it describes them with each request, asks them the server's questions, and listens for them.
 */
export class ModernBackend implements BackendLink {
  readonly era = 'modern'
  readonly isPerSession = false
  readonly result: JsonObject
  readonly #options: ModernBackendOptions
  readonly #requests: ServerRequests
  readonly #questions = new Questions()
  readonly #listen: SharedListen
  readonly #listeners = new Set<Session>()
  #tools: Promise<MirroredTools> | undefined

  constructor(options: ModernBackendOptions) {
    this.#options = options
    this.#requests = options.requests
    this.result = options.result
    this.#listen = new SharedListen({
      requests: options.requests,
      capabilities: options.result['capabilities'],
      onNotification: (notification) => this.#heard(notification),
    })
    // What clients subscribed to at an earlier process must be subscribed to again at this one.
    for (const session of options.sessions()) if (session.subscriptions.size > 0) this.#listeners.add(session)
    if (this.#isHeard) void this.#updateListen()
  }

  get #isHeard(): boolean {
    return this.#listeners.size > 0 || this.#options.onListChanged !== undefined
  }

  get handshake(): Handshake {
    return toHandshake(this.result)
  }

  async initialize(_session: Session, request: RpcRequest): Promise<JsonObject> {
    const { capabilities, serverInfo, instructions } = this.result
    const result = {
      protocolVersion: negotiateVersion(request.params?.['protocolVersion']),
      capabilities: toLegacyCapabilities(capabilities),
      serverInfo: serverInfo ?? { name: this.#options.name, version: '0' },
      ...(instructions !== undefined && { instructions }),
    }
    return { jsonrpc: '2.0', id: request.id, result }
  }

  request(call: Call): void {
    const { method, params } = call.request
    if (call.session.front === 'modern' && META.version in metaOf(params)) return this.#pass(call, params ?? {})
    if (method === 'ping') return call.answer({ jsonrpc: '2.0', result: {} })
    if (method === 'logging/setLevel') return this.#setLevel(call)
    if (method === 'resources/subscribe' || method === 'resources/unsubscribe') return void this.#subscription(call)
    // The tasks of earlier revisions are not those of this revision's extension.
    if (method.startsWith('tasks/')) return call.fail(`Method not found: ${method}`, RPC_ERROR.methodNotFound)
    void this.#bridge(call, {}, 1)
  }

  ask(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    return askServer(this.#requests, { method, params: { ...params, _meta: OWN_META } }, signal)
  }

  /** Stateless servers get no notifications but cancellations, and those were sent with the calls. */
  notify(): void {}

  respond(session: Session, response: RpcResponse): void {
    this.#questions.respond(session, response)
  }

  listen(session: Session): void {
    this.#listeners.add(session)
    void this.#updateListen()
  }

  endSession(session: Session): void {
    this.#questions.drop((call) => call.session === session, 'the client left')
    if (!this.#listeners.delete(session)) return
    if (!this.#isHeard) this.#listen.close()
    else void this.#updateListen()
  }

  /** Any answer is a sign of life. */
  async ping(signal: AbortSignal): Promise<void> {
    await askServer(this.#requests, { method: 'server/discover', params: { _meta: OWN_META } }, signal)
  }

  stop(reason: string, keepOpen: boolean): void {
    this.#listen.close()
    this.#requests.stop(reason, keepOpen)
    this.#questions.drop(() => true, reason)
  }

  #pass(call: Call, params: JsonObject): void {
    const { headers, session } = call
    const { method } = call.request
    call.onCancel = this.#requests.send(
      { method, params, headers, session, waitMs: this.#options.limits.backendWaitMs },
      {
        onNotification: (notification) => call.related(onOneLine(notification)),
        onAnswer: (body) => call.answer(body),
        onLost: (error) => call.fail(describeError(error)),
      },
    )
  }

  /** One round of a call of a client with a session. `more` is the outcome of the round before. */
  async #bridge(call: Call, more: JsonObject, round: number, isRetry = false): Promise<void> {
    const { session } = call
    const { method, params } = call.request
    const headers = await this.#headersFor(call).catch(() => ({}))
    if (call.isSettled) return
    call.onCancel = this.#requests.send(
      {
        method,
        params: { ...withOwnMeta(session, params, this.#has('logging')), ...more },
        headers: { ...call.headers, ...headers },
        session,
        waitMs: this.#options.limits.backendWaitMs,
      },
      {
        onNotification: (notification) => call.related(onOneLine(notification)),
        onAnswer: (body) => {
          if (isMismatch(body) && !isRetry) {
            // The tool's marks have changed since we last looked.
            this.#tools = undefined
            void this.#bridge(call, more, round, true)
          } else if (isObject(body['result']) && body['result']['resultType'] === 'input_required') {
            void this.#goOn(call, body['result'], round)
          } else {
            if (method === 'tools/list') call.shape = withKnownOutputs
            call.answer(toLegacy(method, body))
          }
        },
        onLost: (error) => call.fail(describeError(error)),
      },
    )
  }

  /** The server needs something from the client before it can answer. */
  async #goOn(call: Call, { inputRequests, requestState }: JsonObject, round: number): Promise<void> {
    if (round > MOST_ROUNDS) return call.fail('The server went on asking instead of answering.')
    const more: JsonObject = typeof requestState === 'string' ? { requestState } : {}
    if (isObject(inputRequests) && Object.keys(inputRequests).length > 0) {
      call.onCancel = () => this.#questions.drop((candidate) => candidate === call, 'the client cancelled the call')
      const outcome = await this.#questions.ask(call, inputRequests)
      if ('error' in outcome) return call.answer({ jsonrpc: '2.0', error: outcome.error })
      more['inputResponses'] = outcome.answers
    } else {
      call.onCancel = undefined
      await pause(backoffMs(round, PAUSES))
    }
    if (!call.isSettled) await this.#bridge(call, more, round + 1)
  }

  #setLevel(call: Call): void {
    if (!this.#has('logging')) return call.fail('Method not found: logging/setLevel', RPC_ERROR.methodNotFound)
    const level = call.request.params?.['level']
    if (!isLogLevel(level)) return call.fail('Invalid params: level is not a log level', RPC_ERROR.invalidParams)
    call.session.logLevel = level
    call.answer({ jsonrpc: '2.0', result: {} })
  }

  async #subscription(call: Call): Promise<void> {
    const { session } = call
    const { method, params } = call.request
    const uri = params?.['uri']
    if (!this.#has('resources', 'subscribe')) return call.fail(`Method not found: ${method}`, RPC_ERROR.methodNotFound)
    if (typeof uri !== 'string') return call.fail('Invalid params: uri must be a string', RPC_ERROR.invalidParams)
    if (method === 'resources/unsubscribe') {
      session.subscriptions.delete(uri)
      await this.#updateListen()
      return call.answer({ jsonrpc: '2.0', result: {} })
    }
    session.subscriptions.add(uri)
    this.#listeners.add(session)
    const granted = await this.#updateListen()
    if (granted.has(uri)) return call.answer({ jsonrpc: '2.0', result: {} })
    session.subscriptions.delete(uri)
    call.fail('The server does not report changes of this resource.', RPC_ERROR.invalidParams)
  }

  #updateListen(): Promise<ReadonlySet<string>> {
    return this.#listen.want(new Set([...this.#listeners].flatMap((session) => [...session.subscriptions])))
  }

  #heard({ method, params, text }: RpcNotification): void {
    if (method === TOOLS_CHANGED) this.#tools = undefined
    const listed = LIST_CHANGED.get(method)
    const isForAll = listed !== undefined
    if (isForAll) this.#options.onListChanged?.(listed)
    if (!isForAll && method !== 'notifications/resources/updated') return
    for (const session of this.#options.sessions())
      if (isForAll || isSubscriber(session, params?.['uri'])) session.send(text)
  }

  /** Clients with sessions do not repeat parameters in headers, so the gateway does it for them. */
  async #headersFor({ request: { method, params } }: Call): Promise<Record<string, string>> {
    if (!this.#requests.takesHeaders || method !== 'tools/call') return {}
    this.#tools ??= readMirrored((page) =>
      askServer(
        this.#requests,
        { method: 'tools/list', params: { ...page, _meta: OWN_META } },
        AbortSignal.timeout(TOOLS_LIST_MS),
      ),
    ).catch((error: unknown) => {
      this.#tools = undefined
      throw error
    })
    // Otherwise the call is sent without headers, and a server that needs them says so.
    const tools = await within(this.#tools, this.#options.limits.toolsWaitMs)
    const mirrored = tools?.get(String(params?.['name']))
    return mirrored === undefined ? {} : mirroredHeaders(mirrored, params?.['arguments'])
  }

  #has(feature: string, ability?: string): boolean {
    const { capabilities } = this.result
    if (!isObject(capabilities) || !isObject(capabilities[feature])) return false
    return ability === undefined || capabilities[feature][ability] === true
  }
}

function isMismatch({ error }: JsonObject): boolean {
  return isObject(error) && error['code'] === MODERN_ERROR.headerMismatch
}
