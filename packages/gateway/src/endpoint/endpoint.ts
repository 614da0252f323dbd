import type { Server } from 'node:http'
import { isDeepStrictEqual } from 'node:util'
import type { LockPart } from '@toolhaven/contract/tools'
import type { Backend, EndpointSpec, EndpointTraffic, Handshake } from '@toolhaven/core/ports/gateway'
import { unavailable } from '@toolhaven/core/errors'
import { NeedsLogin } from '@toolhaven/core/workloads/needs-login'
import type { Pipeline } from '../policy/pipeline.ts'
import { LIST_CHANGED } from '../servers/server-messages.ts'
import { ToolWatch } from '../tools/tool-watch.ts'
import { BackendSlot } from './backend-slot.ts'
import { connect } from './connect.ts'
import { endpointPipeline } from './endpoint-pipeline.ts'
import { endpointServer } from './endpoint-server.ts'
import { Front, type SharedBounds } from './front.ts'
import { stopListening } from './listen.ts'
import type { GatewayLimits, GatewayOptions } from './options.ts'

/** One workload's port, from its opening to its end, and the server behind it. The front handles the requests. */
export class Endpoint {
  readonly #options: GatewayOptions
  readonly #limits: GatewayLimits
  readonly #slot: BackendSlot
  readonly #front: Front
  readonly #timer: NodeJS.Timeout
  readonly #tools: ToolWatch
  #spec: EndpointSpec
  #pipeline: Pipeline | undefined
  #server: Server | undefined
  #connects = 0
  /** Telling a server that goes on running that the gateway leaves. */
  #farewell: Promise<void> | undefined

  constructor(options: GatewayOptions, limits: GatewayLimits, spec: EndpointSpec, inAll: SharedBounds) {
    const [{ name }, { events, logger }] = [spec, options]
    this.#options = options
    this.#limits = limits
    this.#spec = spec
    this.#slot = new BackendSlot(name)
    this.#front = new Front(options, limits, spec, this.#slot, inAll)
    const server = () => this.#front.server()
    this.#tools = new ToolWatch({ name, events, logger, server, link: () => this.#slot.link })
    this.#timer = setInterval(() => this.#tick(), limits.keepAliveMs).unref()
  }

  get traffic(): EndpointTraffic {
    const { sessions, traffic } = this.#front
    return { sessions: sessions.size, ...traffic.lastMinute() }
  }

  async open(): Promise<void> {
    try {
      this.#obey(this.#spec, await this.#makePipeline(this.#spec))
      // Before the port is bound, because a bound port would stay open if this failed.
      await this.#front.sessions.load()
      this.#server = await this.#bind(this.#spec)
    } catch (error) {
      clearInterval(this.#timer)
      throw error
    }
  }

  /** Binds the new address before it gives up the old one. */
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
    this.#obey(spec, pipeline)
    await former.pipeline?.close()
    if (isElsewhere) await stopListening(former.server)
    const isOtherMode = (spec.isolated === undefined) !== (former.spec.isolated === undefined)
    const { sessions } = this.#front
    if (isOtherMode) for (const session of [...sessions.all()]) sessions.end(session)
  }

  async connect(backend: Backend, signal: AbortSignal): Promise<Handshake> {
    this.disconnect('the server is being restarted')
    const attempt = ++this.#connects
    const { name, toolsChanged } = this.#spec
    const { sessions, modern } = this.#front
    const onLost = (lost: object, reason: string) => {
      if (lost !== this.#slot.link) return
      // An HTTP server may be back at the same address at any moment, so calls keep trying.
      const former = backend.kind === 'http' ? undefined : this.#slot.empty(reason)
      // It would keep listening for its clients where no server is.
      if (backend.kind !== 'isolated') former?.stop(reason, true)
      this.#options.events.onBackendLost(name, reason)
    }
    const tools = toolsChanged === undefined ? undefined : this.#tools
    const link = await connect(
      { name, limits: this.#limits, options: this.#options, sessions, onLost, tools },
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
    modern.forgetTools()
    modern.tasks.keepThoseOf('first' in backend ? backend.first.processId : backend.processId)
    this.#slot.fill(link)
    for (const session of sessions.all()) if (session.isListening) void link.listen(session)
    return link.handshake
  }

  disconnect(reason: string, isForGood = false, keepOpen = false): void {
    // First of all: the end of the session would tell a caller less.
    if (isForGood) this.#front.sessions.failCalls(reason)
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

  /** Clients now see the accepted tools. */
  toolsAccepted(parts: readonly LockPart[]): void {
    for (const [method, part] of LIST_CHANGED) if (parts.includes(part)) this.#front.sessions.tell(method)
  }

  /** Ends everything, including the stored sessions. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#tools.close()
    this.#front.modern.parked.clear()
    await this.#front.sessions.forget()
    this.disconnect('the workload was removed', true)
    this.#slot.close()
    await this.#farewell
    await stopListening(this.#server)
    await this.#pipeline?.close()
  }

  /**
   * Lets calls in flight finish, then gives up the port. Sessions and the server behind are left for the next daemon.
   */
  async shutdown(drainMs: number): Promise<void> {
    const { sessions, modern, traffic } = this.#front
    clearInterval(this.#timer)
    this.#tools.close()
    this.#server?.close()
    await traffic.drain(drainMs)
    modern.parked.clear()
    for (const session of [...sessions.all()]) if (session.front === 'modern') sessions.end(session)
    this.disconnect('the daemon is restarting', false, true)
    this.#slot.close()
    // Calls that wait for a process of their own are told now: their connections end with the port.
    sessions.failCalls('the daemon is restarting')
    await Promise.all([this.#farewell, sessions.flush()])
    await stopListening(this.#server)
    await this.#pipeline?.close()
  }

  #obey(spec: EndpointSpec, pipeline: Pipeline): void {
    this.#spec = spec
    this.#pipeline = pipeline
    this.#front.obey(spec, pipeline)
  }

  #bind(spec: EndpointSpec): Promise<Server> {
    const { waiting } = this.#options
    return endpointServer(spec, this.#front.kept, waiting, (...exchange) => this.#front.handle(...exchange))
  }

  #makePipeline(spec: EndpointSpec): Promise<Pipeline> {
    const { sessions, modern } = this.#front
    return endpointPipeline(this.#options, this.#limits, spec, {
      sessions,
      toolWatch: this.#tools,
      tasks: modern.tasks,
    })
  }

  #tick(): void {
    const { streams, sessions } = this.#front
    streams.keepAlive()
    streams.endUnwelcome()
    sessions.sweep(Date.now())
  }
}
