import { isObject } from '../../../messages/json-rpc.ts'
import type { Caller } from '../../../oidc/caller.ts'

/** How policies name a caller. */
export const PRINCIPALS: Readonly<Record<Caller['kind'], string>> = { user: 'User', client: 'OAuthClient' }

/**
 * Used where the endpoint does not authenticate. It is a type of its own, so that no subject can be mistaken for it.
 */
export const ANONYMOUS_PRINCIPAL = { type: 'Anonymous', id: 'anonymous' } as const

/**
 * Formerly the type of all callers. A policy that uses it could mean either kind, and a policy that forbids must not
 * stop matching.
 */
const FORMER = 'Client'

/** What is wrong with policies (as JSON) or entities that use the former type, each with its replacement. */
export function formerPrincipals(node: unknown): string[] {
  const found = new Set<string>()
  collect(node, found)
  return [...found]
}

function collect(node: unknown, found: Set<string>): void {
  if (Array.isArray(node)) return node.forEach((item) => collect(item, found))
  if (!isObject(node)) return
  const { type, id, entity_type: entityType } = node
  if (entityType === FORMER) found.add(TYPE_FAULT)
  if (type === FORMER && typeof id === 'string') found.add(faultOf(JSON.stringify(id)))
  Object.values(node).forEach((value) => collect(value, found))
}

const KINDS = `for a user and "is ${PRINCIPALS.client}" for a program that calls in its own name`
const TYPE_FAULT = `"is ${FORMER}" is no longer used, because users and clients are kept apart: write "is ${PRINCIPALS.user}" ${KINDS}. Write both if you mean both`

function faultOf(id: string): string {
  if (id === '"anonymous"')
    return `${FORMER}::${id} is no longer used: write ${ANONYMOUS_PRINCIPAL.type}::${id} for callers without a token`
  const choice = `write ${PRINCIPALS.user}::${id} for a user (the sub of a token) or ${PRINCIPALS.client}::${id} for a program that calls in its own name (the client_id). Write both if you mean both`
  return `${FORMER}::${id} is no longer used, because users and clients are kept apart: ${choice}`
}
