import { unavailable } from '@toolhaven/core/errors'
import type { PolicyEngine, Question } from './cedar/cedar-engine.ts'
import { filterInPieces } from './cedar/filter-in-pieces.ts'
import { LISTS, questionsOf, tooManyQuestions } from './cedar/questions.ts'
import { isObject, parseMessage, RPC_ERROR } from '../../messages/json-rpc.ts'
import type { Callers } from '../../oidc/caller.ts'
import type { Decision } from './decision.ts'
import type { Refusal } from '../refusal.ts'
import type { ShownName } from './tools-override.ts'
import { withoutTwins } from '../../messages/alike.ts'

export interface AuthorizationOptions {
  engine: PolicyEngine
  /** The sender of each request. `admission/authentication.ts` fills it; without authentication it is empty. */
  callers: Callers
  shown: ShownName
}

/** Each item costs a look at all policies. No client needs more of them at once. */
const MOST_ITEMS = 5_000

const tooLong = (field: string) =>
  `the policies of this workload cannot judge more than ${MOST_ITEMS} ${field} at once, and its server lists more. Make the server list them in pages.`

/** Denies what no policy permits, whatever its method. Lists show what the caller may use. */
export function authorization({ engine, callers, shown }: AuthorizationOptions): Decision {
  return {
    name: 'authorization',
    fromClient(request, { from }): Refusal | undefined {
      const tooMany = tooManyQuestions(request)
      if (tooMany !== undefined) return { code: RPC_ERROR.invalidParams, message: `Invalid params: ${tooMany}.` }
      const questions = questionsOf(request)
      if (questions === undefined)
        return {
          code: RPC_ERROR.invalidParams,
          message: `Invalid params: ${request.method} does not say what it is for.`,
        }
      const caller = callers.get(from)
      const denied = questions.find((question) => !isAllowed(engine, caller, request.method, question))
      return denied && denial(denied, shown)
    },
    mayHear(text, request): boolean {
      // Most messages need not be parsed for this check. Every character of the name may be escaped.
      const message = text.includes('updated') || text.includes('\\u') ? parseMessage(text) : undefined
      if (message?.kind !== 'notification' || message.method !== 'notifications/resources/updated') return true
      const questions = questionsOf({ method: 'resources/read', params: message.params })
      return questions?.every((question) => engine.allows(callers.get(request), question)) ?? false
    },
    readsAnswersTo: (method) => Object.hasOwn(LISTS, method),
    toClient({ method }, answer, { from }) {
      const list = Object.hasOwn(LISTS, method) ? LISTS[method] : undefined
      const result = answer['result']
      if (list === undefined || !isObject(result)) return answer
      const caller = callers.get(from)
      // A list of another shape is shown empty: what cannot be checked is not let through.
      const items: unknown = result[list.field]
      const all: readonly unknown[] = Array.isArray(items) ? items : []
      if (all.length > MOST_ITEMS) throw unavailable(tooLong(list.field))
      const judged = filterInPieces(all, (item) => {
        const question = isObject(item) ? list.ask(item) : undefined
        return question !== undefined && engine.mayAllow(caller, question)
      })
      // Made for this caller: no cache may show it to another.
      const cache = 'cacheScope' in result ? { cacheScope: 'private' } : {}
      const withShown = (shown: unknown[]) => ({
        ...answer,
        result: { ...withoutTwins(result, list.field), ...cache, [list.field]: shown },
      })
      return judged instanceof Promise ? judged.then(withShown) : withShown(judged)
    },
  }
}

/** Completion comes before the arguments are known, so it is judged like an item of a list. */
function isAllowed(
  engine: PolicyEngine,
  caller: Parameters<PolicyEngine['allows']>[0],
  method: string,
  question: Question,
): boolean {
  return method === 'completion/complete' ? engine.mayAllow(caller, question) : engine.allows(caller, question)
}

const WHAT = {
  Tool: 'call the tool',
  Prompt: 'get the prompt',
  Resource: 'read the resource',
  Method: 'use the method',
}

function denial({ type, id }: Question, shown: ShownName): Refusal {
  const name = type === 'Tool' ? shown(id) : id
  return {
    code: RPC_ERROR.denied,
    message: `Denied: the policies of this workload do not allow you to ${WHAT[type]} ${name.slice(0, 200)}.`,
  }
}
