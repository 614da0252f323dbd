import { hash } from 'node:crypto'
import type { Attributes } from '@opentelemetry/api'
import { isObject, type JsonObject, type RpcRequest } from '../../../messages/json-rpc.ts'
import type { Asker } from '../../asker.ts'
import type { Session } from '../../../sessions/session.ts'
import { BoundedNames, OTHER } from './bounded-names.ts'

/**
 * Names follow https://opentelemetry.io/docs/specs/semconv/gen-ai/mcp/. What a client can choose freely becomes a label
 * only when it is one of a bounded set.
 */
const METHODS: ReadonlySet<string> = new Set([
  'initialize',
  'ping',
  'server/discover',
  'subscriptions/listen',
  'tools/list',
  'tools/call',
  'prompts/list',
  'prompts/get',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'resources/subscribe',
  'resources/unsubscribe',
  'completion/complete',
  'logging/setLevel',
  'tasks/get',
  'tasks/list',
  'tasks/cancel',
  'tasks/result',
  'tasks/update',
])

const MOST_NAMES = 200
const MOST_CODES = 20
const MAX_TEXT = 256

/** The labels of one workload. */
export class Labels {
  /** Tools and prompts that the server itself listed, or that could be called. */
  readonly #tools = new BoundedNames(MOST_NAMES)
  readonly #prompts = new BoundedNames(MOST_NAMES)
  readonly #codes = new BoundedNames(MOST_CODES)

  of({ method, params }: RpcRequest): Record<string, string> {
    const labels: Record<string, string> = { 'mcp.method.name': METHODS.has(method) ? method : OTHER }
    const name = params?.['name']
    if (method === 'tools/call') {
      labels['gen_ai.operation.name'] = 'execute_tool'
      labels['gen_ai.tool.name'] = typeof name === 'string' ? this.#tools.labelOf(name) : OTHER
    } else if (method === 'prompts/get') {
      labels['gen_ai.prompt.name'] = typeof name === 'string' ? this.#prompts.labelOf(name) : OTHER
    }
    return labels
  }

  ofFailure(failure: string): Attributes {
    // Our own names are few. Codes are the server's choice.
    if (!/^-?\d+$/.test(failure)) return { 'error.type': failure }
    this.#codes.admit(failure)
    return { 'error.type': this.#codes.labelOf(failure) }
  }

  learn({ method, params }: RpcRequest, response: JsonObject): void {
    const { result } = response
    if (!isObject(result) || result['isError'] === true) return
    if (method === 'tools/call') this.#tools.admit(params?.['name'])
    else if (method === 'prompts/get') this.#prompts.admit(params?.['name'])
    else if (method === 'tools/list') admitAll(this.#tools, result['tools'])
    else if (method === 'prompts/list') admitAll(this.#prompts, result['prompts'])
  }
}

function admitAll(names: BoundedNames, listed: unknown): void {
  if (Array.isArray(listed)) for (const item of listed) names.admit(isObject(item) ? item['name'] : undefined)
}

/** `{method} {target}`, made of labels only. */
export function spanName(labels: Readonly<Record<string, string>>): string {
  const target = labels['gen_ai.tool.name'] ?? labels['gen_ai.prompt.name']
  const method = labels['mcp.method.name'] ?? OTHER
  return target === undefined || target === OTHER ? method : `${method} ${target}`
}

/** Attributes that only a trace has. Neither arguments nor results: they may contain anything. */
export function spanAttributes(
  { method, params }: RpcRequest,
  { session, id }: Asker,
  ids: PublicIds,
): Record<string, string> {
  const { name, uri } = params ?? {}
  const attributes: Record<string, string> = {
    'mcp.method.name': method.slice(0, MAX_TEXT),
    'jsonrpc.request.id': String(id).slice(0, MAX_TEXT),
    'network.transport': 'tcp',
    'network.protocol.name': 'http',
  }
  if (session !== undefined) attributes['mcp.protocol.version'] = session.version
  if (session !== undefined && session.front !== 'modern') attributes['mcp.session.id'] = ids.of(session)
  if (method === 'tools/call') attributes['gen_ai.operation.name'] = 'execute_tool'
  if (method === 'tools/call' && typeof name === 'string') attributes['gen_ai.tool.name'] = name.slice(0, MAX_TEXT)
  if (method === 'prompts/get' && typeof name === 'string') attributes['gen_ai.prompt.name'] = name.slice(0, MAX_TEXT)
  if (method.startsWith('resources/') && typeof uri === 'string') attributes['mcp.resource.uri'] = withoutSecrets(uri)
  return attributes
}

/** The `error.type` of a call. Undefined when it succeeded. No response: the client no longer wanted one. */
export function failureOf(method: string, response: JsonObject | undefined): string | undefined {
  if (response === undefined) return 'cancelled'
  const { error, result } = response
  if (isObject(error)) return typeof error['code'] === 'number' ? String(error['code']) : OTHER
  return method === 'tools/call' && isObject(result) && result['isError'] === true ? 'tool_error' : undefined
}

/** Anyone who knows the id of a session can use it: a trace gets another id that only tells sessions apart. */
export class PublicIds {
  readonly #known = new WeakMap<Session, string>()

  of(session: Session): string {
    const known = this.#known.get(session) ?? hash('sha256', session.id).slice(0, 32)
    this.#known.set(session, known)
    return known
  }
}

/** Removes user names, passwords and queries. */
function withoutSecrets(uri: string): string {
  return uri
    .replace(/[?#].*$/s, '')
    .replace(/^([A-Za-z][A-Za-z0-9+.-]*:\/\/)[^/]*@/, '$1')
    .slice(0, MAX_TEXT)
}
