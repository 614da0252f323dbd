import { hash } from 'node:crypto'
import type * as Cedar from '@cedar-policy/cedar-wasm/nodejs'
import type { AuthorizationSpec } from '@toolhaven/core/ports/gateway'
import { invalid } from '@toolhaven/core/errors'
import { hasAlike, isAlike } from '../../../messages/alike.ts'
import type { JsonObject } from '../../../messages/json-rpc.ts'
import type { Caller } from '../../../oidc/caller.ts'
import { toCedar, type CedarValue } from './cedar-value.ts'
import { ANONYMOUS_PRINCIPAL, PRINCIPALS } from './principals.ts'
import { entityKey, readPolicySet, type PolicySet } from './policy-set.ts'

type Engine = typeof Cedar
type Entity = Cedar.EntityJson
type Context = Record<string, CedarValue>

/** One thing that a caller wants to do. */
export interface Question {
  action: string
  type: 'Tool' | 'Prompt' | 'Resource' | 'Method'
  id: string
  /** Arguments of the call. Undefined where there are none yet, as in a list. */
  args?: JsonObject | undefined
}

export interface PolicyEngine {
  /** Whether a caller may do this. */
  allows(caller: Caller | undefined, question: Question): boolean
  /** Whether there are arguments with which a caller may do this. */
  mayAllow(caller: Caller | undefined, question: Question): boolean
}

/** Everything that is wrong with policies and entities. */
export async function policyFaults(spec: AuthorizationSpec): Promise<string[]> {
  const read = readPolicySet(await loadCedar(), spec)
  return 'faults' in read ? read.faults : []
}

export async function createPolicyEngine(spec: AuthorizationSpec): Promise<PolicyEngine> {
  const cedar = await loadCedar()
  const read = readPolicySet(cedar, spec)
  if ('faults' in read) throw invalid(`authz_config: ${read.faults.join('; ')}`)
  return new CedarEngine(cedar, read)
}

/** Four megabytes that are loaded only for workloads with policies. */
function loadCedar(): Promise<Engine> {
  return import('@cedar-policy/cedar-wasm/nodejs')
}

/** Decisions kept per caller. They depend only on the policies, the token and the question. */
const MOST_KEPT = 2_000
const LONGEST_KEY = 1_000

/** Stands for all callers of an endpoint without authentication. */
const ANONYMOUS: Pick<Caller, 'claims'> = { claims: {} }
type Asking = Caller | typeof ANONYMOUS

class CedarEngine implements PolicyEngine {
  readonly #cedar: Engine
  readonly #set: PolicySet
  readonly #setId: string
  readonly #entities: ReadonlyMap<string, Entity>
  readonly #principals = new WeakMap<Asking, Entity>()
  readonly #kept = new WeakMap<Asking, Map<string, boolean>>()
  readonly #unknownArguments: Context

  constructor(cedar: Engine, set: PolicySet) {
    this.#cedar = cedar
    this.#set = set
    // The engine keeps parsed sets by name: equal policies share one, and others can never replace it.
    this.#setId = hash('sha256', JSON.stringify(set.policies))
    cedar.preparsePolicySet(this.#setId, { staticPolicies: set.policies })
    this.#entities = new Map(set.entities.map((entity) => [entityKey(entity.uid), entity]))
    this.#unknownArguments = Object.fromEntries(
      [...set.argumentNames].map((name) => [`arg_${name}`, { __extn: { fn: 'unknown', arg: `arg_${name}` } }]),
    )
  }

  allows(caller: Caller | undefined, question: Question): boolean {
    const args = this.#argumentsOf(question.args ?? {})
    if (args === undefined) return false
    return this.#remembered(caller, question, JSON.stringify(args), (who, entity) => {
      const answer = this.#cedar.statefulIsAuthorized({
        ...this.#call(who, question, entity, args),
        preparsedPolicySetId: this.#setId,
      })
      if (answer.type === 'failure') return false
      const { decision, diagnostics } = answer.response
      return decision === 'allow' && !diagnostics.errors.some(({ policyId }) => this.#set.forbids.has(policyId))
    })
  }

  mayAllow(caller: Caller | undefined, question: Question): boolean {
    if (this.#set.argumentNames.size === 0) return this.allows(caller, question)
    return this.#remembered(caller, question, '?', (who, entity) => {
      const answer = this.#cedar.isAuthorizedPartial({
        ...this.#call(who, question, entity, this.#unknownArguments),
        policies: { staticPolicies: this.#set.policies },
      })
      if (answer.type === 'failure') return false
      const { decision, errored } = answer.response
      return decision !== 'deny' && !errored.some((id) => this.#set.forbids.has(id))
    })
  }

  /** Only the arguments that policies look at. Undefined when one of them cannot be judged. */
  #argumentsOf(args: JsonObject): Context | undefined {
    const { argumentNames, usesWholeContext } = this.#set
    const context: Context = {}
    if (argumentNames.size === 0 && !usesWholeContext) return context
    if (usesWholeContext && hasAlike(Object.keys(args))) return undefined
    for (const [name, value] of Object.entries(args)) {
      if (!usesWholeContext && !argumentNames.has(name)) {
        // Some servers ignore the case of names: the judged name must be the only one of its kind.
        if ([...argumentNames].some((known) => isAlike(known, name))) return undefined
        continue
      }
      if (value === null) continue
      const converted = name.isWellFormed() ? toCedar(value) : undefined
      if (converted === undefined) return undefined
      context[`arg_${name}`] = converted
    }
    return context
  }

  #call(principal: Entity, { action }: Question, resource: Entity, context: Context) {
    const own = new Set([entityKey(principal.uid), entityKey(resource.uid)])
    const others = this.#set.entities.filter(({ uid }) => !own.has(entityKey(uid)))
    return {
      principal: principal.uid,
      action: { type: 'Action', id: action },
      resource: resource.uid,
      context,
      entities: [...others, principal, resource],
    }
  }

  #remembered(
    caller: Asking = ANONYMOUS,
    question: Question,
    args: string,
    decide: (principal: Entity, resource: Entity) => boolean,
  ): boolean {
    const key = JSON.stringify([question.action, question.type, question.id, args])
    const kept = this.#kept.get(caller) ?? new Map<string, boolean>()
    const known = kept.get(key)
    if (known !== undefined) return known
    const verdict = this.#decideSafely(caller, question, decide)
    if (key.length > LONGEST_KEY) return verdict
    if (kept.size >= MOST_KEPT) kept.clear()
    this.#kept.set(caller, kept.set(key, verdict))
    return verdict
  }

  #decideSafely(caller: Asking, question: Question, decide: (principal: Entity, resource: Entity) => boolean): boolean {
    try {
      return decide(this.#principalOf(caller), this.#resourceOf(question))
    } catch {
      // The engine throws on text it cannot read. What cannot be judged is denied.
      return false
    }
  }

  #principalOf(caller: Asking): Entity {
    const known = this.#principals.get(caller)
    if (known !== undefined) return known
    const { type, id } = 'kind' in caller ? { type: PRINCIPALS[caller.kind], id: caller.name } : ANONYMOUS_PRINCIPAL
    const entity = this.#described(type, id, claimsOf(caller))
    this.#principals.set(caller, entity)
    return entity
  }

  #resourceOf({ type, id }: Question): Entity {
    return this.#described(type, id, type === 'Resource' ? { uri: id } : { name: id })
  }

  /** What the configured entities say about it, together with what is certain. */
  #described(type: string, id: string, attrs: Context): Entity {
    const uid = { type, id }
    const configured = this.#entities.get(entityKey(uid))
    return { uid, attrs: { ...configured?.attrs, ...attrs }, parents: configured?.parents ?? [] }
  }
}

function claimsOf({ claims }: Asking): Context {
  const attrs: Context = {}
  for (const [name, claim] of Object.entries(claims)) {
    const value = name.isWellFormed() ? toCedar(claim) : undefined
    if (value !== undefined) attrs[`claim_${name}`] = value
  }
  return attrs
}
