import type { CreateRequest, UpdateRequest } from '@toolhaven/contract/workload-request'
import { invalid } from '@toolhaven/core/errors'
import { closest } from '@toolhaven/core/closest'
import { FIELD_OF_UNSET } from './edit-options.ts'

/** The keys of lists that grow: a new entry replaces one with the same key. Other lists are replaced as a whole. */
const KEY_OF_ENTRY: Readonly<Record<string, (entry: unknown) => string>> = {
  secrets: (entry) => String(Object(entry).target),
  volumes: (entry) => String(entry).split(':')[1] ?? String(entry),
  allow_hosts: String,
  install_hosts: String,
  tools: String,
}
const ADDED_TO = new Set([
  ...['secrets', 'volumes', 'allow_hosts', 'install_hosts'],
  'telemetry_config.environmentVariables',
])
/** Objects that are replaced as a whole, because they come from a file. */
const WHOLE = new Set(['permission_profile', 'audit_config', 'tools_override'])

type Fields = Readonly<Record<string, unknown>>

/** The edit that adds the given options to the original request, and removes the unset ones. */
export function updateOf(asked: CreateRequest, wished: CreateRequest, unset: readonly string[]): UpdateRequest {
  const before: Fields = asked
  const changed: Record<string, unknown> = {}
  for (const [field, value] of Object.entries(wished)) changed[field] = added(field, before[field], value)
  for (const option of unset) {
    const [flag = '', ...rest] = option.replace(/^--/, '').split('=')
    const [named = '', ...inner] = fieldOf(flag).split('.')
    if (named === 'headers' && rest.length === 0) changed['headers_from_secrets'] = null
    const field = named === 'headers' && isHiddenHeader(asked, rest.join('=')) ? 'headers_from_secrets' : named
    const present = changed[field] ?? before[field]
    const path = rest.length > 0 ? [...inner, rest.join('=')] : inner
    changed[field] = path.length === 0 ? null : without(field, present, path, option)
  }
  return changed
}

const isHiddenHeader = ({ headers_from_secrets: hidden = {} }: CreateRequest, header: string) =>
  Object.hasOwn(hidden, header)

function added(field: string, before: unknown, value: unknown): unknown {
  if (Array.isArray(before) && Array.isArray(value) && ADDED_TO.has(field)) {
    const keyOf = KEY_OF_ENTRY[field] ?? String
    const keys = new Set(value.map(keyOf))
    return [...before.filter((entry) => !keys.has(keyOf(entry))), ...value]
  }
  if (!isObject(before) || !isObject(value) || WHOLE.has(field)) return value
  const inner = Object.entries(value).map(([name, each]) => [name, added(`${field}.${name}`, before[name], each)])
  return { ...before, ...Object.fromEntries(inner) }
}

/** Removes the value at the path. Also drops inner values that become empty. */
function without(field: string, present: unknown, [key = '', ...inner]: readonly string[], option: string): unknown {
  if (Array.isArray(present)) {
    const keyOf = KEY_OF_ENTRY[field] ?? String
    const kept = present.filter((entry) => keyOf(entry) !== key)
    if (kept.length === present.length) throw notThere(option, present.map(keyOf))
    return kept
  }
  const entries = isObject(present) ? Object.entries(present) : []
  const kept = entries.filter(([name]) => name !== key)
  if (inner.length > 0) {
    const rest = without(`${field}.${key}`, Object(present)[key], inner, option)
    if (Object.keys(Object(rest)).length > 0) kept.push([key, rest])
  } else if (kept.length === entries.length && option.includes('='))
    throw notThere(
      option,
      entries.map(([name]) => name),
    )
  return Object.fromEntries(kept)
}

function notThere(option: string, keys: readonly string[]) {
  const flag = option.replace(/^--/, '').split('=', 1)[0]
  return invalid(
    keys.length > 0
      ? `--unset ${option}: there is no such entry; there are: ${keys.join(', ')}`
      : `--unset ${option}: the workload has no value of --${flag}\n"thv inspect NAME" shows what it has.`,
  )
}

function fieldOf(option: string): string {
  const field = FIELD_OF_UNSET.get(option)
  if (field !== undefined) return field
  const names = [...FIELD_OF_UNSET.keys()]
  const meant = closest(option, names)
  throw invalid(
    `--unset ${option}: there is no such option${meant === undefined ? '' : `; did you mean ${meant}?`}\n"thv edit --help" lists them. Write them without dashes, as in --unset memory.`,
  )
}

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
