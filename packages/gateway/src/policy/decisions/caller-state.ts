import { isObject, RPC_ERROR, type JsonObject } from '../../messages/json-rpc.ts'
import type { Callers } from '../../oidc/caller.ts'
import type { TaskOwners } from '../../sessions/task-owners.ts'
import type { Decision } from './decision.ts'
import type { Refusal } from '../refusal.ts'

export interface CallerStateOptions {
  callers: Callers
  tasks: TaskOwners
}

/**
 * A server behind the gateway cannot tell callers apart. What it lets them carry from one request to the next, its
 * state and the ids of tasks, is valid only for the caller it was given to.
 */
export function callerState({ callers, tasks }: CallerStateOptions): Decision {
  return {
    name: 'caller-state',
    fromClient({ method, params = {} }, { from, session }): Refusal | undefined {
      const owner = callers.get(from)?.id
      if (owner === undefined) return undefined
      // The gateway keeps the state of clients with sessions, so they have none to send.
      const mayHaveState = session === undefined || session.front === 'modern'
      if ('requestState' in params && (!mayHaveState || typeof params['requestState'] !== 'string')) return NO_STATE
      if (!method.startsWith('tasks/') || method === 'tasks/list') return undefined
      return tasks.isOwn(params['taskId'], owner) ? undefined : UNKNOWN_TASK
    },
    toClient({ method }, answer, { from }) {
      const owner = callers.get(from)?.id
      const { result } = answer
      if (owner === undefined || !isObject(result)) return answer
      if (method === 'tasks/list') return { ...answer, result: { ...result, tasks: ownOf(result, tasks, owner) } }
      const taskId = isObject(result['task']) ? result['task']['taskId'] : result['taskId']
      if (typeof taskId === 'string' && !method.startsWith('tasks/')) tasks.add(taskId, owner)
      return answer
    },
  }
}

function ownOf(result: JsonObject, tasks: TaskOwners, owner: string): unknown[] {
  // A list of another shape is shown empty: what cannot be checked is not let through.
  const listed: unknown[] = Array.isArray(result['tasks']) ? result['tasks'] : []
  return listed.filter((task) => isObject(task) && tasks.isOwn(task['taskId'], owner))
}

const NO_STATE: Refusal = {
  code: RPC_ERROR.invalidParams,
  message: 'Invalid params: requestState must be the string that came with the answer to this request.',
}

const UNKNOWN_TASK: Refusal = {
  code: RPC_ERROR.invalidParams,
  message: 'Invalid params: you have no task with this taskId.',
}
