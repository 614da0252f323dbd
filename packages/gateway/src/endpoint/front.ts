import type { EndpointSpec, IsolatedSpec } from '@toolhaven/core/ports/gateway'
import { describeError } from '@toolhaven/core/errors'
import { ModernState } from '../clients/stateless/modern-state.ts'
import type { EventStream } from '../http/server/event-stream.ts'
import type { HttpRequest, HttpResponse } from '../http/server/exchange.ts'
import { OpenStreams } from '../http/server/open-streams.ts'
import { sendRefusal, sendVerdict } from '../http/server/reply.ts'
import type { JsonObject } from '../messages/json-rpc.ts'
import { CallMemory } from '../messages/weight.ts'
import type { Pipeline } from '../policy/pipeline.ts'
import type { BackendLink } from '../servers/backend.ts'
import { askInNameOf } from '../sessions/call.ts'
import type { DispatchContext } from '../sessions/dispatch.ts'
import { KeptBytes } from '../sessions/kept-bytes.ts'
import type { Session } from '../sessions/session.ts'
import { SessionTable } from '../sessions/session-table.ts'
import type { BackendSlot } from './backend-slot.ts'
import type { GatewayLimits, GatewayOptions } from './options.ts'
import { route, type RouteContext } from './route.ts'
import { Traffic } from './traffic.ts'

/** What all workloads share. */
export interface SharedBounds {
  kept: KeptBytes
  calls: CallMemory
}

/**
 * Everything between a request at a workload's port and the server behind it. The endpoint opens and closes the port.
 */
export class Front implements RouteContext {
  readonly limits: GatewayLimits
  readonly memory: CallMemory
  readonly kept: KeptBytes
  readonly sessions: SessionTable
  readonly modern: ModernState
  readonly streams: OpenStreams
  readonly dispatching: DispatchContext
  readonly traffic = new Traffic()
  readonly #options: GatewayOptions
  readonly #slot: BackendSlot
  #spec: EndpointSpec
  #pipeline: Pipeline | undefined

  constructor(
    options: GatewayOptions,
    limits: GatewayLimits,
    spec: EndpointSpec,
    slot: BackendSlot,
    inAll: SharedBounds,
  ) {
    const [{ name }, { logger }] = [spec, options]
    this.#options = options
    this.#slot = slot
    this.#spec = spec
    this.limits = limits
    this.streams = new OpenStreams(limits.maxQueuedBytes, () => this.pipeline)
    this.kept = new KeptBytes(limits.maxKeptBytes, inAll.kept)
    this.memory = new CallMemory(limits.maxCallBytes, inAll.calls)
    this.sessions = new SessionTable({
      ...{ name, limits, logger, kept: this.kept, store: options.sessionStore },
      isolated: () => this.isolated,
      onEnd: (session) => {
        slot.link?.endSession(session)
        this.#pipeline?.sessionEnded(session)
      },
      upstreamIdleMs: () => this.#spec.limits?.sessionIdleMs ?? limits.upstreamIdleMs,
      onUnused: (session) => slot.link?.restSession?.(session),
    })
    const { sessions, kept } = this
    this.modern = new ModernState({ name, limits, logger, sessions, kept, ask: this.ask.bind(this) })
    this.dispatching = {
      ...{ slot, limits, memory: this.memory, sessions, traffic: this.traffic },
      pipeline: () => this.pipeline,
      onSettled: ({ method }) => {
        if (method.startsWith('resources/') || method === 'logging/setLevel') sessions.changed()
      },
    }
  }

  /** Applies these rules to every request from now on. */
  obey(spec: EndpointSpec, pipeline: Pipeline): void {
    this.#spec = spec
    this.#pipeline = pipeline
    this.streams.endUnwelcome()
  }

  get pipeline(): Pipeline {
    if (this.#pipeline === undefined) throw new Error('the endpoint is not open')
    return this.#pipeline
  }

  get isolated(): IsolatedSpec | undefined {
    return this.#spec.isolated
  }

  get isConnected(): boolean {
    return this.#slot.link !== undefined
  }

  handle(request: HttpRequest, response: HttpResponse): void {
    const { pipeline } = this
    const verdict = pipeline.admit(request, response)
    if (verdict === undefined) return this.#route(request, response)
    if (!(verdict instanceof Promise)) return sendVerdict(response, verdict)
    verdict.then(
      (late) => {
        if (this.#pipeline !== pipeline) this.handle(request, response)
        else if (late !== undefined) sendVerdict(response, late)
        else if (!request.destroyed) this.#route(request, response)
      },
      (error: unknown) => this.#failed(response, error),
    )
  }

  attempt(response: HttpResponse, work: () => void | Promise<void>): void {
    try {
      work()?.catch((error: unknown) => this.#failed(response, error))
    } catch (error) {
      this.#failed(response, error)
    }
  }

  openStream(response: HttpResponse, headers?: Readonly<Record<string, string>>): EventStream {
    return this.streams.open(response, headers)
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

  #route(request: HttpRequest, response: HttpResponse): void {
    this.attempt(response, () => route(this, request, response))
  }

  #failed(response: HttpResponse, error: unknown): void {
    const { name: workload } = this.#spec
    this.#options.logger.error('a request to the gateway failed', { workload, error: describeError(error) })
    sendRefusal(response, { status: 500, message: 'The gateway failed to handle this request.' })
  }
}
