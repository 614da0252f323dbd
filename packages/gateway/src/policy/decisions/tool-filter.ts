import { isObject } from '../../messages/json-rpc.ts'
import type { Decision } from './decision.ts'
import { withoutTwins } from '../../messages/alike.ts'
import { type ShownName, unknownTool } from './tools-override.ts'

/** Lists and calls use the same set, so a hidden tool cannot be called. */
export function toolFilter(allowed: () => ReadonlySet<string> | undefined, shown: ShownName): Decision {
  return {
    name: 'tool-filter',
    fromClient(request) {
      const names = allowed()
      if (names === undefined || request.method !== 'tools/call') return undefined
      const name = request.params?.['name']
      if (typeof name === 'string' && names.has(name)) return undefined
      return unknownTool(typeof name === 'string' ? shown(name) : name)
    },
    readsAnswersTo: (method) => method === 'tools/list',
    toClient({ method }, answer) {
      const names = allowed()
      const result = answer['result']
      if (names === undefined || method !== 'tools/list' || !isObject(result)) return answer
      // A list of another shape is shown empty: what cannot be checked is not let through.
      const tools = Array.isArray(result['tools']) ? result['tools'] : []
      const shown = tools.filter(
        (tool: unknown) => isObject(tool) && typeof tool['name'] === 'string' && names.has(tool['name']),
      )
      return { ...answer, result: { ...withoutTwins(result, 'tools'), tools: shown } }
    },
  }
}
