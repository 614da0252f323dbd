import type { JsonObject, McpRequest } from './mcp-messages.ts'
import { expandTemplate, type Offer } from './offers.ts'

/** The verb of each kind, on its button and in what is told of it. */
export const VERBS = { tool: 'Call', resource: 'Read', template: 'Read', prompt: 'Get' } as const

export function requestFor({ kind, id }: Pick<Offer, 'kind' | 'id'>, args: JsonObject): McpRequest {
  if (kind === 'tool') return { method: 'tools/call', params: { name: id, arguments: args } }
  if (kind === 'prompt') return { method: 'prompts/get', params: { name: id, arguments: args } }
  return { method: 'resources/read', params: { uri: kind === 'template' ? expandTemplate(id, args) : id } }
}
