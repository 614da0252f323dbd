import type { Logger } from '@toolhaven/core/ports/logger'
import { isObject, type JsonObject } from '../../json-rpc.ts'
import type { GatewayLimits } from '../../options.ts'
import type { Session } from '../../sessions/session.ts'
import type { SessionTable } from '../../sessions/session-table.ts'
import type { ModernContext } from '../front-context.ts'
import { ModernClients } from './modern-clients.ts'
import { ParkedCalls } from './parked-calls.ts'
import { mirroredTools, type MirroredTools } from './tool-headers.ts'

export interface ModernStateOptions {
  name: string
  limits: GatewayLimits
  sessions: SessionTable
  logger: Logger
  ask: (session: Session, method: string, params: JsonObject) => Promise<JsonObject>
}

/** A server that pages for ever is not asked for ever. */
const MOST_PAGES = 100

/** What one endpoint keeps for its clients without sessions. */
export class ModernState implements ModernContext {
  readonly clients: ModernClients
  readonly parked = new ParkedCalls()
  readonly #options: ModernStateOptions
  readonly #dropped = new Set<string>()
  #mirrored: Promise<MirroredTools> | undefined
  #ids = 0

  constructor(options: ModernStateOptions) {
    this.#options = options
    const { limits, sessions } = options
    this.clients = new ModernClients({ limits, sessions, onToolsChanged: () => this.forgetTools() })
  }

  nextId(): string {
    return `modern-${++this.#ids}`
  }

  mirroredTools(session: Session): Promise<MirroredTools> {
    return (this.#mirrored ??= this.#readTools(session).catch((error: unknown) => {
      this.#mirrored = undefined
      throw error
    }))
  }

  /** Another server may have others. */
  forgetTools(): void {
    this.#mirrored = undefined
  }

  onDropped(tool: string, why: string): void {
    if (this.#dropped.has(tool)) return
    this.#dropped.add(tool)
    this.#options.logger.warn('a tool is not shown, for its definition is invalid', {
      workload: this.#options.name,
      tool,
      why,
    })
  }

  async #readTools(session: Session): Promise<MirroredTools> {
    const tools: unknown[] = []
    let cursor: unknown
    for (let page = 0; page < MOST_PAGES; page += 1) {
      const { result } = await this.#options.ask(session, 'tools/list', cursor === undefined ? {} : { cursor })
      if (!isObject(result)) break
      if (Array.isArray(result['tools'])) tools.push(...result['tools'])
      cursor = result['nextCursor']
      if (typeof cursor !== 'string') break
    }
    return mirroredTools(tools)
  }
}
