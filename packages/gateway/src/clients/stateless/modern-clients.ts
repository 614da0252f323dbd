import { parseMessage, type JsonObject } from '../../messages/json-rpc.ts'
import type { GatewayLimits } from '../../endpoint/options.ts'
import { NEWEST_VERSION } from '../../messages/protocol-versions.ts'
import { Session } from '../../sessions/session.ts'
import type { SessionTable } from '../../sessions/session-table.ts'
import type { ModernRequest } from './check-request.ts'

/**
 * A stateless client needs a session at a server that knows only sessions. It belongs to the gateway, which keeps it
 * for the next request.
 */
export class ModernSession extends Session {
  readonly #onToolsChanged: () => void

  constructor(limits: GatewayLimits, client: JsonObject, onToolsChanged: () => void) {
    super('modern', NEWEST_VERSION, client, limits)
    this.#onToolsChanged = onToolsChanged
  }

  /** A call that waits for its client to come back with answers has its own time limit. */
  override get isIdle(): boolean {
    return this.calls.size === 0
  }

  /**
   * Messages that belong to no call go only to clients that listen. Several clients may share this session, so none of
   * them gets any.
   */
  override send(text: string): void {
    const message = parseMessage(text)
    const isToolsChanged = message?.kind === 'notification' && message.method === 'notifications/tools/list_changed'
    if (isToolsChanged) this.#onToolsChanged()
  }
}

export interface ModernClientsOptions {
  limits: GatewayLimits
  sessions: SessionTable
  onToolsChanged: () => void
}

export function markOfClient({ capabilities, clientInfo }: Description, owner: string | undefined): string {
  return JSON.stringify([owner, clientInfo, capabilities])
}

type Description = Pick<ModernRequest, 'capabilities' | 'clientInfo'>

/** Requests that describe their client in the same way share a session. Different callers never share one. */
export class ModernClients {
  readonly #options: ModernClientsOptions
  readonly #byMark = new Map<string, ModernSession>()

  constructor(options: ModernClientsOptions) {
    this.#options = options
  }

  /** Undefined when the endpoint is full. `isNew`: the server does not know the session yet. */
  sessionOf(
    { capabilities, clientInfo }: Description,
    owner: string | undefined,
  ): { session: Session; isNew: boolean } | undefined {
    const mark = markOfClient({ capabilities, clientInfo }, owner)
    const known = this.#byMark.get(mark)
    if (known !== undefined && !known.isEnded) {
      known.lastSeen = Date.now()
      return { session: known, isNew: false }
    }
    const { limits, sessions, onToolsChanged } = this.#options
    const info = clientInfo ?? { name: 'unknown', version: '0' }
    const session = new ModernSession(
      limits,
      { protocolVersion: NEWEST_VERSION, capabilities, clientInfo: info },
      onToolsChanged,
    )
    session.owner = owner
    session.mark = mark
    if (!sessions.adopt(session)) return undefined
    this.#forgetEnded()
    this.#byMark.set(mark, session)
    return { session, isNew: true }
  }

  #forgetEnded(): void {
    for (const [mark, session] of this.#byMark) if (session.isEnded) this.#byMark.delete(mark)
  }
}
