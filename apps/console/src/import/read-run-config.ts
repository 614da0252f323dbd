import { parseOutside } from '@toolhaven/contract/parse-outside'
import { type RunConfig, runConfig } from '@toolhaven/contract/run-config'

export interface ReadConfig {
  config: RunConfig
  /** Fields that this version does not know. They are not in the configuration. */
  left: string[]
}

/** Whether it says that it is what `thv export` writes. */
export function isRunConfig(value: unknown): boolean {
  return isObject(value) && 'schema_version' in value
}

/** The configuration, without what this version does not know. Throws a sentence. */
export function readRunConfig(value: unknown): ReadConfig {
  const copy: unknown = structuredClone(value)
  const left = takeUnknown(copy)
  const found = parseOutside(runConfig, copy)
  if (found.success) return { config: found.data, left }
  const faults = found.error.issues.map(({ path, message }) => `${path.map(String).join('.')} ${message}`.trim())
  throw new Error(`This run configuration cannot be taken: ${faults.slice(0, 5).join('; ')}.`)
}

function takeUnknown(value: unknown): string[] {
  const issues = parseOutside(runConfig, value).error?.issues ?? []
  const taken = issues.flatMap((issue) => {
    if (issue.code !== 'unrecognized_keys') return []
    const place = issue.path.reduce<unknown>((at, key) => (isObject(at) ? Reflect.get(at, key) : undefined), value)
    return issue.keys.map((key) => {
      if (isObject(place)) Reflect.deleteProperty(place, key)
      return [...issue.path.map(String), key].join('.')
    })
  })
  return taken.toSorted()
}

/** They follow from the other fields, or are read once and stored as another. */
const DERIVED = new Set(['schema_version', 'middleware_configs', 'permission_profile_name_or_path'])

/** Fields of a configuration that say something and are not in the one that would be in force. */
export function fieldsNotTaken(given: RunConfig, inForce: RunConfig): string[] {
  return Object.entries(given)
    .filter(([field, value]) => !DERIVED.has(field) && !(field in inForce) && !saysNothing(value))
    .map(([field]) => field)
}

function saysNothing(value: unknown): boolean {
  return value === '' || value === false || (isObject(value) && Object.keys(value).length === 0)
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null
