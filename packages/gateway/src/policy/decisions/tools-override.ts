import type { ToolsOverride } from '@toolhaven/core/ports/gateway'
import { isObject, WrittenRequest, RPC_ERROR, type RpcRequest } from '../../messages/json-rpc.ts'
import type { Decision } from './decision.ts'
import type { Refusal } from '../refusal.ts'
import { withoutTwins } from '../../messages/alike.ts'

/** Clients see and call tools under the names given here. The server does not notice. */
export function toolsOverride(overrides: ToolsOverride): Decision {
  const entries = new Map(Object.entries(overrides))
  const serverNames = new Map<string, string>()
  for (const [name, { name: given }] of entries) if (given !== undefined) serverNames.set(given, name)

  return {
    name: 'tools-override',
    fromClient(request, { isUnderWay }): RpcRequest | Refusal | undefined {
      const name = request.params?.['name']
      if (isUnderWay || request.method !== 'tools/call' || typeof name !== 'string') return undefined
      const serverName = serverNames.get(name)
      if (serverName !== undefined) return serverName === name ? undefined : withName(request, serverName)
      // Its former name is no longer used: what is not in the list cannot be called.
      return entries.get(name)?.name === undefined ? undefined : unknownTool(name)
    },
    readsAnswersTo: (method) => method === 'tools/list',
    toClient({ method }, answer) {
      const result = answer['result']
      if (method !== 'tools/list' || !isObject(result) || !Array.isArray(result['tools'])) return answer
      const tools = result['tools'].flatMap((tool: unknown) => {
        if (!isObject(tool) || typeof tool['name'] !== 'string') return [tool]
        const override = entries.get(tool['name'])
        // Another tool has this name for clients: a call would reach that one.
        if (override?.name === undefined && serverNames.has(tool['name'])) return []
        return override === undefined ? [tool] : [{ ...tool, ...withoutUndefined(override) }]
      })
      return { ...answer, result: { ...withoutTwins(result, 'tools'), tools } }
    },
  }
}

/** The name by which clients know a tool of the server. A refusal must not tell them the name that was replaced. */
export type ShownName = (serverName: string) => string

export function shownName(overrides: ToolsOverride = {}): ShownName {
  return (name) => (Object.hasOwn(overrides, name) ? overrides[name]?.name : undefined) ?? name
}

export function unknownTool(name: unknown): Refusal {
  const shown = typeof name === 'string' ? name.slice(0, 100) : 'no name'
  return {
    code: RPC_ERROR.invalidParams,
    message: `Unknown tool: ${shown}. It is not among the tools this workload offers.`,
  }
}

function withName(request: RpcRequest, name: string): RpcRequest {
  const params = { ...request.params, name }
  const body = { ...request.body, params }
  return new WrittenRequest(request, body, params)
}

function withoutUndefined({ name, description }: ToolsOverride[string]) {
  return { ...(name !== undefined && { name }), ...(description !== undefined && { description }) }
}
