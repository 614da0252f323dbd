import { isObject, type JsonObject, type RpcRequest } from '../../../messages/json-rpc.ts'
import { MOST_SUBSCRIPTIONS, TOO_MANY } from '../../../sessions/subscriptions.ts'
import type { Question } from './cedar-engine.ts'

/** Methods without content or effect, and lists, which show only what the caller may use. */
const FREE: ReadonlySet<string> = new Set([
  'initialize',
  'ping',
  'logging/setLevel',
  'server/discover',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
])

/** What a request wants to do: all of it must be allowed. Undefined when the request does not say. */
export function questionsOf({
  method,
  params = {},
}: Pick<RpcRequest, 'method' | 'params'>): readonly Question[] | undefined {
  if (FREE.has(method)) return []
  switch (method) {
    case 'tools/call':
      return one('call_tool', 'Tool', params['name'], params['arguments'])
    case 'prompts/get':
      return one('get_prompt', 'Prompt', params['name'], params['arguments'])
    case 'resources/read':
    case 'resources/subscribe':
    case 'resources/unsubscribe':
      return one('read_resource', 'Resource', params['uri'])
    case 'completion/complete':
      return completionOf(params['ref'])
    case 'subscriptions/listen':
      return subscriptionsOf(params['notifications'])
    default:
      return [{ action: 'use_method', type: 'Method', id: method }]
  }
}

/**
 * Why a request asks for more than is judged at once. Undefined when it does not. Each resource costs a look at all
 * policies.
 */
export function tooManyQuestions({ method, params }: Pick<RpcRequest, 'method' | 'params'>): string | undefined {
  const filter = method === 'subscriptions/listen' ? params?.['notifications'] : undefined
  const uris = isObject(filter) ? filter['resourceSubscriptions'] : undefined
  return Array.isArray(uris) && uris.length > MOST_SUBSCRIPTIONS ? TOO_MANY : undefined
}

/** The list in the answer to a method, and the permission needed to see an item of it. */
export const LISTS: Readonly<Record<string, { field: string; ask: (item: JsonObject) => Question | undefined }>> = {
  'tools/list': { field: 'tools', ask: (item) => one('call_tool', 'Tool', item['name'])?.[0] },
  'prompts/list': { field: 'prompts', ask: (item) => one('get_prompt', 'Prompt', item['name'])?.[0] },
  'resources/list': { field: 'resources', ask: (item) => one('read_resource', 'Resource', item['uri'])?.[0] },
  'resources/templates/list': {
    field: 'resourceTemplates',
    ask: (item) => one('read_resource', 'Resource', item['uriTemplate'])?.[0],
  },
}

function one(action: string, type: Question['type'], id: unknown, args?: unknown): [Question] | undefined {
  if (typeof id !== 'string' || (args !== undefined && !isObject(args))) return undefined
  return [{ action, type, id, args }]
}

/** Values for a prompt's argument or a template's variable tell something about what is behind it. */
function completionOf(ref: unknown): readonly Question[] | undefined {
  if (!isObject(ref)) return undefined
  if (ref['type'] === 'ref/prompt') return one('get_prompt', 'Prompt', ref['name'])
  return ref['type'] === 'ref/resource' ? one('read_resource', 'Resource', ref['uri']) : undefined
}

function subscriptionsOf(filter: unknown): readonly Question[] | undefined {
  const uris = isObject(filter) ? (filter['resourceSubscriptions'] ?? []) : undefined
  if (!Array.isArray(uris)) return undefined
  const questions = uris.map((uri: unknown) => one('read_resource', 'Resource', uri)?.[0])
  return questions.every((question) => question !== undefined) ? questions : undefined
}
