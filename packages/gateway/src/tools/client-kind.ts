import { isObject } from '../messages/json-rpc.ts'
import type { Session } from '../sessions/session.ts'

const ASKABLE = [
  ['elicitation'],
  ['elicitation', 'form'],
  ['elicitation', 'url'],
  ['roots'],
  ['sampling'],
  ['sampling', 'context'],
  ['sampling', 'tools'],
] as const

/** What a client can be asked for: servers offer some tools only to clients that have these capabilities. */
export function clientKind({ client }: Pick<Session, 'client'>): string {
  const has = (path: readonly string[]) => {
    let value = client['capabilities']
    for (const key of path) value = isObject(value) ? value[key] : undefined
    return isObject(value)
  }
  return ASKABLE.filter(has)
    .map((path) => path.join('.'))
    .join(' ')
}
