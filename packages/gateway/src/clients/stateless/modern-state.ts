import { unavailable } from '@toolhaven/core/errors'
import type { Logger } from '@toolhaven/core/ports/logger'
import type { JsonObject } from '../../messages/json-rpc.ts'
import type { GatewayLimits } from '../../endpoint/options.ts'
import type { KeptBytes } from '../../sessions/kept-bytes.ts'
import { KeptOfCallers } from '../../sessions/kept-of-callers.ts'
import type { Session } from '../../sessions/session.ts'
import type { SessionTable } from '../../sessions/session-table.ts'
import { TaskOwners } from '../../sessions/task-owners.ts'
import type { ModernContext } from '../front-context.ts'
import { ModernClients } from './modern-clients.ts'
import { ParkedCalls } from './parked-calls.ts'
import { SealedStates } from './sealed-states.ts'
import { readMirrored, type MirroredTools } from './tool-headers.ts'

export interface ModernStateOptions {
  name: string
  limits: GatewayLimits
  sessions: SessionTable
  logger: Logger
  /** Counts what is kept for all clients of the endpoint. */
  kept: KeptBytes
  ask: (session: Session, method: string, params: JsonObject) => Promise<JsonObject>
}

const NOT_LISTED =
  'The server has not listed its tools yet, so this call cannot be checked against them. Try again in a moment.'

/** What one endpoint keeps for its stateless clients. */
export class ModernState implements ModernContext {
  readonly clients: ModernClients
  readonly parked = new ParkedCalls()
  readonly kept: KeptOfCallers
  readonly states = new SealedStates()
  readonly tasks = new TaskOwners()
  readonly #options: ModernStateOptions
  readonly #dropped = new Set<string>()
  #mirrored: Promise<MirroredTools> | undefined
  #ids = 0

  constructor(options: ModernStateOptions) {
    this.#options = options
    const { limits, sessions } = options
    this.kept = new KeptOfCallers(limits.maxQueuedBytes, options.kept)
    this.clients = new ModernClients({ limits, sessions, onToolsChanged: () => this.forgetTools() })
  }

  nextId(): string {
    return `modern-${++this.#ids}`
  }

  /** A slow server goes on listing its tools for the next call. */
  async mirroredTools(session: Session): Promise<MirroredTools> {
    const reading = (this.#mirrored ??= this.#readMirrored(session))
    const { promise: late, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(() => reject(unavailable(NOT_LISTED)), this.#options.limits.toolsWaitMs)
    return Promise.race([reading, late]).finally(() => clearTimeout(timer))
  }

  /** Another server may have other tools. */
  forgetTools(): void {
    this.#mirrored = undefined
  }

  onDropped(tool: string, why: string): void {
    if (this.#dropped.has(tool)) return
    this.#dropped.add(tool)
    this.#options.logger.warn('a tool is hidden because its definition is invalid', {
      workload: this.#options.name,
      tool,
      why,
    })
  }

  #readMirrored(session: Session): Promise<MirroredTools> {
    const reading = readMirrored((params) => this.#options.ask(session, 'tools/list', params))
    // A server that fails this time may answer the next call.
    reading.catch(() => {
      if (this.#mirrored === reading) this.#mirrored = undefined
    })
    return reading
  }
}
