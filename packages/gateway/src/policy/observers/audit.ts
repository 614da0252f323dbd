import type { AuditSpec } from '@toolhaven/core/ports/gateway'
import { Notes } from '../../http/server/notes.ts'
import type { AuditLog } from './audit/audit-log.ts'
import { typeOfNotification, typeOfRequest, type AuditEventType } from './audit/event-types.ts'
import { outcomeOf, outcomeOfStatus, recordOf, type Happening } from './audit/record.ts'
import { isObject } from '../../messages/json-rpc.ts'
import type { Callers } from '../../oidc/caller.ts'
import type { Observer } from './observer.ts'

export interface AuditOptions {
  spec: AuditSpec
  log: AuditLog
  callers: Callers
  /** Replaces known secrets. */
  mask: (text: string) => string
}

/** From the guard on, until its messages have records of their own. */
type Stage = 'followed' | 'recorded'

const STREAMS: ReadonlySet<string> = new Set(['/mcp', '/sse'])

/** Records who did what and how it ended, including refusals. */
export function audit({ spec, log, callers, mask }: AuditOptions): Observer {
  const included = new Set(spec.eventTypes)
  const excluded = new Set(spec.excludeEventTypes)
  const isWanted = (type: AuditEventType) => !excluded.has(type) && (included.size === 0 || included.has(type))
  const stages = new Notes<Stage>()
  const record = (happening: Omit<Happening, 'caller'>) => {
    const caller = callers.get(happening.from)
    if (isWanted(happening.type)) log.write(recordOf(spec, mask, { ...happening, caller }))
  }

  return {
    name: 'audit',
    follow(request, response) {
      stages.set(request, 'followed')
      const since = performance.now()
      response.once('close', () => {
        if (stages.get(request) !== 'followed' || !response.headersSent) return
        const status = response.statusCode
        const [path = ''] = (request.url ?? '').split('?', 1)
        const isStream = request.method === 'GET' && STREAMS.has(path) && status < 400
        if (!isStream && status < 400 && request.method !== 'DELETE') return
        const type = isStream ? 'sse_connection' : 'http_request'
        const extra = { duration_ms: elapsed(since), status }
        record({ type, outcome: outcomeOfStatus(status), from: request, extra })
      })
    },
    watch(message, { from, session }) {
      const since = performance.now()
      stages.set(from, 'recorded')
      return {
        onEnd: (response, refusedBy) => {
          const error = response?.['error']
          const extra = {
            duration_ms: elapsed(since),
            transport: session?.front ?? 'modern',
            ...(response === undefined && { cancelled: true }),
            ...(refusedBy !== undefined && { refused_by: refusedBy }),
            ...(isObject(error) && { error_code: error['code'] }),
          }
          const outcome = outcomeOf(response, refusedBy)
          record({ type: typeOfRequest(message.method), outcome, from, session, message, response, extra })
        },
      }
    },
    notified(message, { from, session }) {
      stages.set(from, 'recorded')
      const outcome = message.method.startsWith('notifications/') ? 'success' : 'denied'
      const extra = { transport: session?.front ?? 'modern' }
      record({ type: typeOfNotification(message.method), outcome, from, session, message, extra })
    },
    close: () => log.close(),
  }
}

function elapsed(since: number): number {
  return Math.round((performance.now() - since) * 1000) / 1000
}
