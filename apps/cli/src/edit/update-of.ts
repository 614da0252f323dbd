import type { CreateRequest, UpdateRequest } from '@toolhaven/contract/workload-request'
import { invalid } from '@toolhaven/core/errors'
import { closest } from '@toolhaven/core/closest'
import { FLAG_OF_FIELD } from '../output/in-flags.ts'
import { spelledFlag } from '../spelled-flag.ts'

/** How a list is added to: entries with the same key replace each other. Other lists are replaced as a whole. */
const KEY_OF_ENTRY: Readonly<Record<string, (entry: unknown) => string>> = {
  secrets: (entry) => String(Object(entry).target),
  volumes: (entry) => String(entry).split(':')[1] ?? String(entry),
  allow_hosts: String,
  install_hosts: String,
  tools: String,
}
const ADDED_TO = new Set(['secrets', 'volumes', 'allow_hosts', 'install_hosts'])
/** Objects that come whole from a file, and are replaced whole. */
const WHOLE = new Set(['permission_profile', 'audit_config', 'tools_override'])

type Fields = Readonly<Record<string, unknown>>

/** The edit that adds what is wished to what was asked for before, and takes back what is unset. */
export function updateOf(asked: CreateRequest, wished: CreateRequest, unset: readonly string[]): UpdateRequest {
  const before: Fields = asked
  const changed: Record<string, unknown> = {}
  for (const [field, value] of Object.entries(wished)) changed[field] = added(field, before[field], value)
  for (const option of unset) {
    const [flag = '', ...rest] = option.replace(/^--/, '').split('=')
    const [field = '', inner] = fieldOf(flag).split('.')
    const present = changed[field] ?? before[field]
    const key = inner ?? (rest.length > 0 ? rest.join('=') : undefined)
    changed[field] = key === undefined ? null : without(field, present, key, option)
  }
  return changed
}

function added(field: string, before: unknown, value: unknown): unknown {
  if (Array.isArray(before) && Array.isArray(value) && ADDED_TO.has(field)) {
    const keyOf = KEY_OF_ENTRY[field] ?? String
    const keys = new Set(value.map(keyOf))
    return [...before.filter((entry) => !keys.has(keyOf(entry))), ...value]
  }
  return isObject(before) && isObject(value) && !WHOLE.has(field) ? { ...before, ...value } : value
}

function without(field: string, present: unknown, key: string, option: string): unknown {
  if (Array.isArray(present)) {
    const keyOf = KEY_OF_ENTRY[field] ?? String
    const kept = present.filter((entry) => keyOf(entry) !== key)
    if (kept.length === present.length) throw notThere(option, present.map(keyOf))
    return kept
  }
  const entries = isObject(present) ? Object.entries(present) : []
  const kept = entries.filter(([name]) => name !== key)
  if (kept.length === entries.length && option.includes('='))
    throw notThere(
      option,
      entries.map(([name]) => name),
    )
  return Object.fromEntries(kept)
}

function notThere(option: string, keys: readonly string[]) {
  return invalid(
    `--unset ${option}: there is no such entry; there ${keys.length > 0 ? `are: ${keys.join(', ')}` : 'is none'}`,
  )
}

const FIELD_OF_OPTION = new Map<string, string>([
  ['args', 'cmd_arguments'],
  ...FLAG_OF_FIELD.filter(([field]) => !field.includes(' ') && field !== 'resources' && field !== 'name').map(
    ([field, flag]): [string, string] => [spelledFlag(flag).slice(2), field],
  ),
])

function fieldOf(option: string): string {
  const field = FIELD_OF_OPTION.get(option)
  if (field !== undefined) return field
  const names = [...FIELD_OF_OPTION.keys()]
  const meant = closest(option, names)
  throw invalid(
    `--unset ${option}: there is no such option${meant === undefined ? '' : `; did you mean ${meant}?`}\n"thv edit --help" lists them. Write them without dashes, as in --unset memory.`,
  )
}

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
