import { describeError } from '@toolhaven/core/errors'
import { isObject, RPC_ERROR, type JsonObject, type RpcRequest } from '../../messages/json-rpc.ts'
import type { Session } from '../../sessions/session.ts'
import type { Hashes, ListWatch } from '../../tools/list-watch.ts'
import { keyOf, lockedListOf, type LockedList } from '../../tools/locked-lists.ts'
import { mayComeFrom } from '../../tools/may-come-from.ts'
import { definitionHash, INSTRUCTIONS, seenInstructions } from '../../tools/seen-definitions.ts'
import { isHandshake, type ToolWatch } from '../../tools/tool-watch.ts'
import type { Decision } from './decision.ts'
import type { Refusal } from '../refusal.ts'
import { withoutTwins } from '../../messages/alike.ts'
import { type ShownName, unknownTool } from './tools-override.ts'

export interface ToolLockOptions {
  watch: ToolWatch
  /** `warn` only watches. `block` withholds whatever differs from what was accepted. */
  mode: 'warn' | 'block'
  workload: string
  shown: ShownName
}

/** Compares what a server says about itself with what was accepted. */
export function toolLock({ watch, mode, workload, shown }: ToolLockOptions): Decision {
  const look: Decision = {
    name: 'tool-lock',
    readsAnswersTo: (method) => isHandshake(method) || lockedListOf(method) !== undefined,
    toClient(request, answer, { session }) {
      watch.answered(session, request, answer)
      return answer
    },
  }
  if (mode === 'warn') return look
  const refusal = (use: Use, standing: Standing) => refusalOf({ workload, shown }, use, standing)
  return {
    ...look,
    fromClient(request, { session }): Refusal | undefined {
      const use = useOf(watch, request)
      if (use === undefined) return undefined
      if (use.name === undefined) return unknown(use.watch.list, request.params?.['name'])
      const standing = standingOf(use, use.watch.current(session))
      // The server is asked first about definitions that have not been seen.
      return standing === 'unseen' || standing === 'missing' ? undefined : refusal(use, standing)
    },
    waits(request, { session }) {
      const list = lockedListOf(request.method)
      // The first list ever becomes the accepted one, but only when all its pages are known.
      if (list !== undefined) {
        const listed = watch.of(list.part)
        return listed.accepted === undefined ? firstLook(listed, session) : undefined
      }
      const use = useOf(watch, request)
      if (use?.name === undefined || standingOf(use, use.watch.current(session)) === 'accepted') return undefined
      return use.watch.look(session).then(
        (hashes) => refusal(use, standingOf(use, hashes)),
        (error: unknown) => unchecked(use.watch.list, error),
      )
    },
    toClient(request, answer, { session }) {
      watch.answered(session, request, answer)
      if (isHandshake(request.method)) return withAcceptedInstructions(answer, watch.acceptedInstructions)
      const list = lockedListOf(request.method)
      return list === undefined ? answer : onlyAccepted(list, answer, watch.of(list.part).accepted)
    },
  }
}

/** What a request uses of the server. `name` is undefined when the request names nothing. */
interface Use {
  watch: ListWatch
  name: string | undefined
  /** A resource that may come from a template. Most do not. */
  isUri?: true
}

function useOf(watch: ToolWatch, { method, params = {} }: RpcRequest): Use | undefined {
  if (method === 'tools/call') return { watch: watch.of('tool'), name: textOf(params['name']) }
  if (method === 'prompts/get') return { watch: watch.of('prompt'), name: textOf(params['name']) }
  if (method === 'resources/read') return ofTemplate(watch, params['uri'])
  if (method !== 'completion/complete' || !isObject(params['ref'])) return undefined
  const { type, name, uri } = params['ref']
  if (type === 'ref/prompt') return { watch: watch.of('prompt'), name: textOf(name) }
  return type === 'ref/resource' ? ofTemplate(watch, uri) : undefined
}

function ofTemplate(watch: ToolWatch, uri: unknown): Use | undefined {
  const name = textOf(uri)
  // The server itself answers a request that names no resource.
  return name === undefined ? undefined : { watch: watch.of('resource_template'), name, isUri: true }
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined)

/**
 * How a definition of the server compares with the accepted one. `unseen`: the gateway has not looked since it may have changed.
 */
type Standing = 'accepted' | 'changed' | 'added' | 'missing' | 'unseen'

function standingOf({ watch: { accepted }, name = '', isUri }: Use, hashes: Hashes | undefined): Standing {
  if (hashes === undefined) return 'unseen'
  if (!isUri) return standing(accepted, hashes, name)
  const standings = [...hashes.keys()]
    .filter((template) => template === name || mayComeFrom(name, template))
    .map((template) => standing(accepted, hashes, template))
  return standings.find((each) => each !== 'accepted') ?? 'accepted'
}

function standing(accepted: Hashes | undefined, hashes: Hashes, name: string): Standing {
  const hash = hashes.get(name)
  if (hash === undefined) return 'missing'
  const known = accepted?.get(name)
  if (known === undefined) return 'added'
  return known === hash ? 'accepted' : 'changed'
}

/** Failures do not matter: the list that passes is compared itself. */
const firstLook = (watch: ListWatch, session: Session | undefined) => watch.look(session).then(none, none)
const none = () => undefined

/** What is shown is compared itself, whatever was seen elsewhere. */
function onlyAccepted(list: LockedList, answer: JsonObject, accepted: Hashes | undefined): JsonObject {
  const { result } = answer
  if (!isObject(result)) return answer
  // A list of another shape is shown empty: what cannot be checked is not let through.
  const listed = result[list.field]
  const shown = (Array.isArray(listed) ? listed : []).filter((definition: unknown) => {
    const name = keyOf(list, definition)
    return name !== undefined && accepted?.get(name) === definitionHash(definition)
  })
  return { ...answer, result: { ...withoutTwins(result, list.field), [list.field]: shown } }
}

/** Nothing replaces them: a model would read a replacement as the server's words. */
function withAcceptedInstructions(answer: JsonObject, accepted: Hashes | undefined): JsonObject {
  const { result } = answer
  if (!isObject(result)) return answer
  const { instructions, ...rest } = withoutTwins(result, INSTRUCTIONS)
  const [said] = seenInstructions(instructions).definitions
  const isAccepted = said === undefined || accepted?.get(INSTRUCTIONS) === said.hash
  if (isAccepted && Object.keys(rest).length + Number('instructions' in result) === Object.keys(result).length)
    return answer
  return { ...answer, result: isAccepted && said !== undefined ? { ...rest, instructions } : rest }
}

function refusalOf(
  { workload, shown }: Pick<ToolLockOptions, 'workload' | 'shown'>,
  { watch: { list }, name: serverName = '' }: Use,
  standing: Standing,
): Refusal | undefined {
  if (standing === 'accepted') return undefined
  const name = list.part === 'tool' ? shown(serverName) : serverName
  if (standing === 'missing') return unknown(list, name)
  if (standing === 'unseen') return unchecked(list, new Error('the server is being replaced'))
  const what = standing === 'added' ? 'was added to' : 'changed in'
  return {
    code: RPC_ERROR.denied,
    message: `Denied: the ${list.noun} ${name.slice(0, 100)} ${what} ${workload} since its ${list.noun}s were accepted. "thv tools diff ${workload}" shows how, "thv tools accept ${workload}" allows it.`,
  }
}

function unknown({ part, noun }: LockedList, name: unknown): Refusal {
  if (part === 'tool') return unknownTool(name)
  const shown = typeof name === 'string' ? name.slice(0, 100) : 'no name'
  return { code: RPC_ERROR.invalidParams, message: `Unknown ${noun}: ${shown}` }
}

function unchecked({ noun }: LockedList, error: unknown): Refusal {
  return {
    code: RPC_ERROR.server,
    message: `The ${noun}s of this server could not be compared with the accepted ones: ${describeError(error)}. Try again.`,
  }
}
