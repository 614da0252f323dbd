import type { Server } from 'node:http'
import { isDeepStrictEqual } from 'node:util'
import type { LockPart } from '@toolhaven/contract/tools'
import type { Backend, EndpointSpec, EndpointTraffic, Handshake, IsolatedSpec } from '@toolhaven/core/ports/gateway'
import { describeError, unavailable } from '@toolhaven/core/errors'
import { NeedsLogin } from '@toolhaven/core/workloads/needs-login'
import type { HttpRequest, HttpResponse } from '../http/server/exchange.ts'
import { BackendSlot } from './backend-slot.ts'
import type { BackendLink } from '../servers/backend.ts'
import { LIST_CHANGED } from '../servers/server-messages.ts'
import { connect } from './connect.ts'
import { dispatch, type DispatchContext } from '../sessions/dispatch.ts'
import { endpointPipeline } from './endpoint-pipeline.ts'
import { endpointServer } from './endpoint-server.ts'
import type { FrontContext } from '../clients/front-context.ts'
import { ModernState } from '../clients/stateless/modern-state.ts'
import type { EventStream } from '../http/server/event-stream.ts'
import { OpenStreams } from '../http/server/open-streams.ts'
import { sendRefusal, sendVerdict } from '../http/server/reply.ts'
import { initializeSession } from './initialize-session.ts'
import type { JsonObject, RpcMessage, RpcRequest } from '../messages/json-rpc.ts'
import { stopListening } from './listen.ts'
import type { GatewayLimits, GatewayOptions } from './options.ts'
import type { Pipeline } from '../policy/pipeline.ts'
import { route } from './route.ts'
import { Traffic } from './traffic.ts'
import { askInNameOf, type ReplySink } from '../sessions/call.ts'
import { KeptBytes } from '../sessions/kept-bytes.ts'
import type { Session } from '../sessions/session.ts'
import { SessionTable } from '../sessions/session-table.ts'
import { ToolWatch } from '../tools/tool-watch.ts'
import { CallMemory } from '../messages/weight.ts'

/** What all workloads share. */
interface SharedBounds {
  kept: KeptBytes
  calls: CallMemory
}

/** One workload's port: clients in front, its server behind, sessions in between. */
export class Endpoint implements FrontContext {
  readonly limits: GatewayLimits
  readonly memory: CallMemory
  readonly sessions: SessionTable
  readonly modern: ModernState
  readonly #options: GatewayOptions
  readonly #slot: BackendSlot
  readonly #streams: OpenStreams
  readonly #timer: NodeJS.Timeout
  readonly #traffic = new Traffic()
  readonly #tools: ToolWatch
  readonly #kept: KeptBytes
  readonly #dispatching: DispatchContext
  #spec: EndpointSpec
  #pipeline: Pipeline | undefined
  #server: Server | undefined
  #connects = 0
  /** A server that goes on without us is being told so. */
  #farewell: Promise<void> | undefined

  constructor(options: GatewayOptions, limits: GatewayLimits, spec: EndpointSpec, inAll: SharedBounds) {
    const [{ name }, { events, logger }] = [spec, options]
    this.#options = options
    this.#spec = spec
    this.limits = limits
    this.#streams = new OpenStreams(limits.maxQueuedBytes, () => this.pipeline)
    this.#slot = new BackendSlot(name)
    this.#kept = new KeptBytes(limits.maxKeptBytes, inAll.kept)
    this.memory = new CallMemory(limits.maxCallBytes, inAll.calls)
    this.sessions = new SessionTable({
      ...{ name, limits, logger, kept: this.#kept, store: options.sessionStore },
      isolated: () => this.isolated,
      onEnd: (session) => {
        this.#slot.link?.endSession(session)
        this.#pipeline?.sessionEnded(session)
      },
      upstreamIdleMs: () => this.#spec.limits?.sessionIdleMs ?? limits.upstreamIdleMs,
      onUnused: (session) => this.#slot.link?.restSession?.(session),
    })
    this.#tools = new ToolWatch({ name, events, logger, server: () => this.server(), link: () => this.#slot.link })
    const { sessions } = this
    this.modern = new ModernState({ name, limits, logger, sessions, kept: this.#kept, ask: this.ask.bind(this) })
    this.#dispatching = {
      ...{ slot: this.#slot, limits, memory: this.memory, sessions, traffic: this.#traffic },
      pipeline: () => this.pipeline,
      onSettled: ({ method }) => {
        if (method.startsWith('resources/') || method === 'logging/setLevel') sessions.changed()
      },
    }
    this.#timer = setInterval(() => this.#tick(), limits.keepAliveMs).unref()
  }

  get pipeline(): Pipeline {
    if (this.#pipeline === undefined) throw new Error('the endpoint is not open')
    return this.#pipeline
  }

  get isolated(): IsolatedSpec | undefined {
    return this.#spec.isolated
  }

  get traffic(): EndpointTraffic {
    return { sessions: this.sessions.size, ...this.#traffic.lastMinute() }
  }

  get isConnected(): boolean {
    return this.#slot.link !== undefined
  }

  async open(): Promise<void> {
    try {
      this.#pipeline = await this.#makePipeline(this.#spec)
      // Before the port is bound: nobody would close it if this failed.
      await this.sessions.load()
      this.#server = await this.#bind(this.#spec)
    } catch (error) {
      clearInterval(this.#timer)
      throw error
    }
  }

  /** The new address is bound before the old one is given up. */
  async change(spec: EndpointSpec): Promise<void> {
    if (isDeepStrictEqual(spec, this.#spec)) return
    const former = { spec: this.#spec, pipeline: this.#pipeline, server: this.#server }
    const isElsewhere = spec.host !== former.spec.host || spec.port !== former.spec.port
    const pipeline = await this.#makePipeline(spec)
    const undo = async (error: unknown) => {
      await pipeline.close()
      throw error
    }
    if (isElsewhere) this.#server = await this.#bind(spec).catch(undo)
    this.#pipeline = pipeline
    this.#spec = spec
    this.#streams.endUnwelcome()
    await former.pipeline?.close()
    if (isElsewhere) await stopListening(former.server)
    const isOtherMode = (spec.isolated === undefined) !== (former.spec.isolated === undefined)
    if (isOtherMode) for (const session of [...this.sessions.all()]) this.sessions.end(session)
  }

  async connect(backend: Backend, signal: AbortSignal): Promise<Handshake> {
    this.disconnect('the server is being restarted')
    const attempt = ++this.#connects
    const { name, toolsChanged } = this.#spec
    const onLost = (lost: object, reason: string) => {
      if (lost !== this.#slot.link) return
      // An HTTP server may be back at the same address any moment: calls go on trying.
      const former = backend.kind === 'http' ? undefined : this.#slot.empty(reason)
      // Or it would go on listening for its clients where nothing is.
      if (backend.kind !== 'isolated') former?.stop(reason, true)
      this.#options.events.onBackendLost(name, reason)
    }
    const tools = toolsChanged === undefined ? undefined : this.#tools
    const link = await connect(
      { name, limits: this.limits, options: this.#options, sessions: this.sessions, onLost, tools },
      backend,
      signal,
    ).catch((error: unknown) => {
      if (error instanceof NeedsLogin && attempt === this.#connects) this.#slot.block(error.message)
      throw error
    })
    if (attempt !== this.#connects) {
      link.stop('another server took its place', false)
      throw unavailable(`The server ${name} was replaced while it was being connected.`)
    }
    this.modern.forgetTools()
    this.modern.tasks.keepThoseOf('first' in backend ? backend.first.processId : backend.processId)
    this.#slot.fill(link)
    for (const session of this.sessions.all()) if (session.isListening) void link.listen(session)
    return link.handshake
  }

  disconnect(reason: string, isForGood = false, keepOpen = false): void {
    // First of all: the end of its session would tell a caller less.
    if (isForGood) this.sessions.failCalls(reason)
    if (isForGood) this.#slot.link?.endSessions?.()
    this.#connects++
    const link = this.#slot.empty(reason)
    link?.stop(reason, keepOpen)
    this.#farewell = link?.farewell ?? this.#farewell
  }

  async ping(signal: AbortSignal): Promise<void> {
    const { link } = this.#slot
    if (link === undefined) throw unavailable(`The server ${this.#spec.name} is not connected.`)
    await link.ping(signal)
  }

  /** Clients see others from now on. */
  toolsAccepted(parts: readonly LockPart[]): void {
    for (const [method, part] of LIST_CHANGED) if (parts.includes(part)) this.sessions.tell(method)
  }

  /** Ends everything, the stored sessions too. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#tools.close()
    this.modern.parked.clear()
    await this.sessions.forget()
    this.disconnect('the workload was removed', true)
    this.#slot.close()
    await this.#farewell
    await stopListening(this.#server)
    await this.#pipeline?.close()
  }

  /** Lets calls in flight finish, then gives up the port; sessions and the server behind are left for the next daemon. */
  async shutdown(drainMs: number): Promise<void> {
    clearInterval(this.#timer)
    this.#tools.close()
    this.#server?.close()
    await this.#traffic.drain(drainMs)
    this.modern.parked.clear()
    for (const session of [...this.sessions.all()]) if (session.front === 'modern') this.sessions.end(session)
    this.disconnect('the daemon is restarting', false, true)
    this.#slot.close()
    // Those that wait for a process of their own are told now: their connections end with the port.
    this.sessions.failCalls('the daemon is restarting')
    await Promise.all([this.#farewell, this.sessions.flush()])
    await stopListening(this.#server)
    await this.#pipeline?.close()
  }

  openStream(response: HttpResponse, headers?: Readonly<Record<string, string>>): EventStream {
    return this.#streams.open(response, headers)
  }

  attempt(response: HttpResponse, work: () => void | Promise<void>): void {
    try {
      work()?.catch((error: unknown) => this.#failed(response, error))
    } catch (error) {
      this.#failed(response, error)
    }
  }

  initialize(session: Session, request: RpcRequest, from: HttpRequest): Promise<JsonObject> {
    const context = { pipeline: this.pipeline, slot: this.#slot, waitMs: this.limits.backendWaitMs }
    return initializeSession(context, session, request, from)
  }

  server(): Promise<BackendLink> {
    return this.#slot.wait(this.limits.backendWaitMs)
  }

  async ask(session: Session, method: string, params: JsonObject): Promise<JsonObject> {
    const link = await this.#slot.waitFor(session, this.limits.backendWaitMs)
    const signal = AbortSignal.timeout(this.limits.ownRequestMs)
    return askInNameOf(session, { method, params, id: this.modern.nextId() }, (call) => link.request(call), signal)
  }

  async listening(session: Session): Promise<void> {
    if (!session.isEnded) await this.#slot.link?.listen(session)
  }

  dispatch(session: Session, message: RpcMessage, reply: ReplySink, from: HttpRequest): void {
    dispatch(this.#dispatching, session, message, reply, from)
  }

  #bind(spec: EndpointSpec): Promise<Server> {
    return endpointServer(spec, this.#kept, this.#options.waiting, (...exchange) => this.#handle(...exchange))
  }

  #makePipeline(spec: EndpointSpec): Promise<Pipeline> {
    const live = { sessions: this.sessions, toolWatch: this.#tools, tasks: this.modern.tasks }
    return endpointPipeline(this.#options, this.limits, spec, live)
  }

  #handle(request: HttpRequest, response: HttpResponse): void {
    const { pipeline } = this
    const verdict = pipeline.admit(request, response)
    if (verdict === undefined) return this.#route(request, response)
    if (!(verdict instanceof Promise)) return sendVerdict(response, verdict)
    verdict.then(
      (late) => {
        if (this.#pipeline !== pipeline) this.#handle(request, response)
        else if (late !== undefined) sendVerdict(response, late)
        else if (!request.destroyed) this.#route(request, response)
      },
      (error: unknown) => this.#failed(response, error),
    )
  }

  #route(request: HttpRequest, response: HttpResponse): void {
    this.attempt(response, () => route(this, request, response))
  }

  #failed(response: HttpResponse, error: unknown): void {
    const { name: workload } = this.#spec
    this.#options.logger.error('a request to the gateway failed', { workload, error: describeError(error) })
    sendRefusal(response, { status: 500, message: 'The gateway failed to handle this request.' })
  }

  #tick(): void {
    this.#streams.keepAlive()
    this.#streams.endUnwelcome()
    this.sessions.sweep(Date.now())
  }
}
