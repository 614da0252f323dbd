import type * as Cedar from '@cedar-policy/cedar-wasm/nodejs'
import type { AuthorizationSpec } from '@toolhaven/core/ports/gateway'
import { isObject } from '../../../messages/json-rpc.ts'
import { formerPrincipals } from './principals.ts'

type Engine = typeof Cedar
type Entity = Cedar.EntityJson

/** Valid policies and entities. */
export interface PolicySet {
  /** By the name that errors and audit records use. */
  policies: Readonly<Record<string, string>>
  /** The names of the policies that forbid. */
  forbids: ReadonlySet<string>
  /** Arguments of calls that policies look at. */
  argumentNames: ReadonlySet<string>
  /** A policy uses the context as a whole, so every argument counts. */
  usesWholeContext: boolean
  entities: readonly Entity[]
}

/** Everything that is wrong with policies and entities, or both of them ready for use. */
export function readPolicySet(cedar: Engine, spec: AuthorizationSpec): PolicySet | { faults: string[] } {
  const faults: string[] = []
  const policies: Record<string, string> = {}
  const forbids = new Set<string>()
  const uses = { names: new Set<string>(), whole: false }
  for (const [at, text] of spec.policies.entries()) {
    const name = `policies[${at}]`
    const parts = cedar.policySetTextToParts(text)
    if (parts.type === 'failure') faults.push(`${name}: ${wordsOf(parts.errors)}`)
    else if (parts.policy_templates.length > 0)
      faults.push(`${name}: templates with ?principal or ?resource are not supported`)
    else if (parts.policies.length === 0) faults.push(`${name}: it contains no policy`)
    else
      for (const [part, policy] of parts.policies.entries()) {
        const id = parts.policies.length === 1 ? name : `${name}.${part}`
        const json = cedar.policyToJson(policy)
        if (json.type === 'failure') {
          faults.push(`${id}: ${wordsOf(json.errors)}`)
          continue
        }
        faults.push(...formerPrincipals(json.json).map((fault) => `${id}: ${fault}`))
        policies[id] = policy
        if (json.json.effect === 'forbid') forbids.add(id)
        findContextUses(json.json.conditions, uses)
      }
  }
  const entities = readEntities(cedar, spec.entitiesJson, faults)
  if (faults.length > 0) return { faults }
  return { policies, forbids, argumentNames: uses.names, usesWholeContext: uses.whole, entities }
}

function readEntities(cedar: Engine, text: string | undefined, faults: string[]): Entity[] {
  if (text === undefined || text.trim() === '') return []
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    faults.push('entities_json: is not JSON')
    return []
  }
  if (!Array.isArray(value)) {
    faults.push('entities_json: must be a list of entities')
    return []
  }
  const entities: Entity[] = []
  for (const [at, item] of value.entries()) {
    if (isEntity(item)) entities.push({ attrs: {}, parents: [], ...item })
    else faults.push(`entities_json[${at}]: must have a uid with type and id`)
  }
  for (const fault of formerPrincipals(entities)) faults.push(`entities_json: ${fault}`)
  const seen = new Set<string>()
  for (const { uid } of entities) {
    const key = entityKey(uid)
    if (seen.has(key)) faults.push(`entities_json: ${key} appears twice`)
    seen.add(key)
  }
  if (faults.length > 0) return []
  const answer = cedar.checkParseEntities({ entities })
  if (answer.type === 'failure') faults.push(`entities_json: ${wordsOf(answer.errors)}`)
  return entities
}

/** The engine checks its attributes and parents. */
function isEntity(value: unknown): value is Pick<Entity, 'uid'> & Partial<Entity> {
  if (!isObject(value)) return false
  const uid = isObject(value['uid']) && isObject(value['uid']['__entity']) ? value['uid']['__entity'] : value['uid']
  return isObject(uid) && typeof uid['type'] === 'string' && typeof uid['id'] === 'string'
}

export function entityKey(uid: Entity['uid']): string {
  const { type, id } = '__entity' in uid ? uid.__entity : uid
  return `${type}::${JSON.stringify(id)}`
}

const ARGUMENT = 'arg_'

/** `context.arg_x` and `context has arg_x` name an argument. Any other use of `context` may look at all of them. */
function findContextUses(node: unknown, uses: { names: Set<string>; whole: boolean }): void {
  if (Array.isArray(node)) return node.forEach((item) => findContextUses(item, uses))
  if (!isObject(node)) return
  for (const [key, value] of Object.entries(node)) {
    if ((key === '.' || key === 'has') && isObject(value) && isContext(value['left'])) {
      const attr: unknown = Array.isArray(value['attr']) ? value['attr'][0] : value['attr']
      if (typeof attr === 'string' && attr.startsWith(ARGUMENT)) uses.names.add(attr.slice(ARGUMENT.length))
    } else if (key === 'Var' && value === 'context') uses.whole = true
    else findContextUses(value, uses)
  }
}

function isContext(node: unknown): boolean {
  return isObject(node) && node['Var'] === 'context'
}

type Fault = { message: string; sourceLocations?: { start: number; end: number; label: string | null }[] }

/** What the parser says, and where. */
function wordsOf(errors: readonly Fault[]): string {
  return errors
    .map(({ message, sourceLocations: [place] = [] }) => {
      if (place === undefined) return message
      return `${message} at character ${place.start + 1}${place.label === null ? '' : ` (${place.label})`}`
    })
    .join('; ')
}
