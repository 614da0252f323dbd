import { randomUUID } from 'node:crypto'
import type { AuditSpec } from '@toolhaven/core/ports/gateway'
import type { HttpRequest } from '../../../http/server/exchange.ts'
import {
  isObject,
  RPC_ERROR,
  type JsonObject,
  type RpcNotification,
  type RpcRequest,
} from '../../../messages/json-rpc.ts'
import type { Caller } from '../../../oidc/caller.ts'
import type { Session } from '../../../sessions/session.ts'
import type { AuditEventType } from './event-types.ts'
import { masked } from './masked.ts'
import { timeText } from './time-text.ts'

type Outcome = 'success' | 'denied' | 'failure' | 'error'

export interface Happening {
  type: AuditEventType
  outcome: Outcome
  from: HttpRequest
  caller: Caller | undefined
  session?: Session | undefined
  message?: RpcRequest | RpcNotification | undefined
  response?: JsonObject | undefined
  extra: Readonly<Record<string, unknown>>
}

/** Longer texts from outside are cut: a record stays one line that a person can read. */
const LONGEST_TEXT = 500
/** How much is searched for secrets before the cut: a secret that is cut cannot be recognized. */
const LOOKED_AT = 64 * 1024

/** One line of the audit log. */
export function recordOf(spec: AuditSpec, mask: (text: string) => string, happening: Happening): string {
  const { type, outcome, from, caller, session, message, extra } = happening
  const short = (text: unknown) =>
    typeof text === 'string' ? mask(text.slice(0, LOOKED_AT)).slice(0, LONGEST_TEXT) : undefined
  const record = {
    time: timeText(),
    msg: 'audit_event',
    audit_id: randomUUID(),
    type,
    outcome,
    component: spec.component,
    source: {
      type: 'network',
      value: from.socket.remoteAddress ?? 'unknown',
      extra: { user_agent: short(from.headers['user-agent']) },
    },
    subjects: subjectsOf(caller, session, short),
    target: targetOf(from, message, short),
    metadata: { extra },
    data: dataOf(spec, mask, happening),
  }
  return `${JSON.stringify(record)}\n`
}

/** How a request ended, as far as its answer shows. */
export function outcomeOf(response: JsonObject | undefined, refusedBy: string | undefined): Outcome {
  if (refusedBy !== undefined) return 'denied'
  if (response === undefined) return 'failure'
  const { error, result } = response
  if (isObject(error)) return error['code'] === RPC_ERROR.server || error['code'] === INTERNAL ? 'error' : 'failure'
  return isObject(result) && result['isError'] === true ? 'failure' : 'success'
}

const INTERNAL = -32_603

export function outcomeOfStatus(status: number): Outcome {
  if (status === 401 || status === 403) return 'denied'
  if (status >= 500) return 'error'
  return status >= 400 ? 'failure' : 'success'
}

type Short = (text: unknown) => string | undefined

function subjectsOf(caller: Caller | undefined, session: Session | undefined, short: Short) {
  const { name, preferred_username: login, email } = caller?.claims ?? {}
  const info = session?.client['clientInfo']
  return {
    kind: caller?.kind ?? 'anonymous',
    user_id: caller?.kind === 'user' ? short(caller.name) : undefined,
    // Names and addresses in a profile are often chosen by their owner: anybody could be "admin".
    user: short(caller?.name) ?? 'anonymous',
    display_name: short(name) ?? short(login) ?? short(email),
    client_name: isObject(info) ? short(info['name']) : undefined,
    client_version: isObject(info) ? short(info['version']) : undefined,
  }
}

/** The field that names what a request is for. */
const NAMED: Readonly<Record<string, { field: string; type: string }>> = {
  'tools/call': { field: 'name', type: 'tool' },
  'prompts/get': { field: 'name', type: 'prompt' },
  'resources/read': { field: 'uri', type: 'resource' },
  'resources/subscribe': { field: 'uri', type: 'resource' },
  'resources/unsubscribe': { field: 'uri', type: 'resource' },
}

function targetOf(from: HttpRequest, message: RpcRequest | RpcNotification | undefined, short: Short) {
  const [endpoint = ''] = (from.url ?? '').split('?', 1)
  if (message === undefined) return { endpoint: short(endpoint), method: from.method, type: 'endpoint' }
  const { method, params } = message
  const named = Object.hasOwn(NAMED, method) ? NAMED[method] : undefined
  const name = named && short(params?.[named.field])
  return { endpoint: short(endpoint), method: short(method), name, type: named?.type ?? 'endpoint' }
}

function dataOf(spec: AuditSpec, mask: (text: string) => string, { message, response }: Happening) {
  const request = spec.hasRequestData ? bounded(spec, mask, message?.params) : undefined
  const answer = spec.hasResponseData ? bounded(spec, mask, response?.['result'] ?? response?.['error']) : undefined
  if (request === undefined && answer === undefined) return undefined
  return { ...(request !== undefined && { request }), ...(answer !== undefined && { response: answer }) }
}

/** Half a document is worth little and may end within a secret: the record has all of it, or only its size. */
function bounded(spec: AuditSpec, mask: (text: string) => string, value: unknown): unknown {
  if (value === undefined) return undefined
  const bytes = Buffer.byteLength(JSON.stringify(value))
  return bytes <= spec.maxDataBytes ? masked(value, mask) : { omitted_bytes: bytes }
}
