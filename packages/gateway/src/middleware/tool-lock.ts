import { describeError } from '@toolhaven/core/errors'
import { isObject, RPC_ERROR, type JsonObject } from '../json-rpc.ts'
import { nameOf, toolHash } from '../tools/seen-tools.ts'
import type { Standing, ToolWatch } from '../tools/tool-watch.ts'
import type { Middleware, Refusal } from './middleware.ts'
import { unknownTool } from './tools-override.ts'

export interface ToolLockOptions {
  watch: ToolWatch
  /** `warn` only looks at lists that pass; `block` holds back what is not as it was accepted. */
  mode: 'warn' | 'block'
  workload: string
}

/** Tools are what they were when somebody accepted them, or it is known that they are not. */
export function toolLock({ watch, mode, workload }: ToolLockOptions): Middleware {
  const look: Middleware = {
    name: 'tool-lock',
    readsAnswersTo: (method) => method === 'tools/list',
    toClient(request, answer, { session }) {
      if (request.method === 'tools/list') watch.listed(session, request, answer)
      return answer
    },
  }
  if (mode === 'warn') return look
  return {
    ...look,
    fromClient(request, { session }): Refusal | undefined {
      const name = request.params?.['name']
      if (request.method !== 'tools/call') return undefined
      if (typeof name !== 'string') return unknownTool(name)
      const standing = watch.standingOf(session, name)
      // Of what was not seen, the server is asked first.
      return standing === 'unseen' || standing === 'missing' ? undefined : refusalOf(workload, name, standing)
    },
    waits({ method, params }, { session }) {
      const name = params?.['name']
      // The first list ever is the accepted one, but only when all its pages are known.
      if (method === 'tools/list' && watch.accepted === undefined) return watch.look(session, '').then(none, none)
      if (method !== 'tools/call' || typeof name !== 'string') return undefined
      if (watch.standingOf(session, name) === 'accepted') return undefined
      return watch.look(session, name).then((standing) => refusalOf(workload, name, standing), unchecked)
    },
    toClient(request, answer, asker) {
      look.toClient?.(request, answer, asker)
      return request.method === 'tools/list' ? onlyAccepted(answer, watch.accepted) : answer
    },
  }
}

const none = () => undefined

/** What is shown is compared itself, whatever was seen elsewhere. */
function onlyAccepted(answer: JsonObject, accepted: ReadonlyMap<string, string> | undefined): JsonObject {
  const { result } = answer
  if (!isObject(result)) return answer
  // A list of another shape is shown empty: what cannot be checked is not let through.
  const tools = Array.isArray(result['tools']) ? result['tools'] : []
  const shown = tools.filter((tool: unknown) => {
    const name = nameOf(tool)
    return name !== undefined && accepted?.get(name) === toolHash(tool)
  })
  return { ...answer, result: { ...result, tools: shown } }
}

function refusalOf(workload: string, name: string, standing: Standing): Refusal | undefined {
  if (standing === 'accepted') return undefined
  if (standing === 'missing') return unknownTool(name)
  if (standing === 'unseen') return unchecked(new Error('the server is being replaced'))
  const what = standing === 'added' ? 'was added to' : 'changed in'
  return {
    code: RPC_ERROR.denied,
    message: `Denied: the tool ${name.slice(0, 100)} ${what} ${workload} since its tools were accepted; "thv tools diff ${workload}" shows how, "thv tools accept ${workload}" allows it.`,
  }
}

function unchecked(error: unknown): Refusal {
  return {
    code: RPC_ERROR.server,
    message: `The tools of this server could not be compared with those that were accepted: ${describeError(error)}; try again.`,
  }
}
