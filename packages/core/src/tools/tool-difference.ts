import { lockPart, type ChangedField, type LockPart, type ToolChange } from '@toolhaven/contract/tools'
import type { LockedDefinition, StoredToolLock } from '../ports/stores.ts'
import { visibleText } from '@toolhaven/contract/visible-text'
import type { Changed } from './changed-definitions.ts'
import { waitingChanges } from './locked-part.ts'
import { wordDifference, type Budget } from './word-difference.ts'

/** The budget for all fields of all definitions together: at most about a second of work. */
const MOST_STEPS = 20_000_000

/** The changes since acceptance, by part and name. Invisible characters are escaped. */
export function toolDifference(lock: Pick<StoredToolLock, 'parts'>): ToolChange[] {
  const budget = { steps: MOST_STEPS }
  return changesOf(lock).map(({ part, name, kind, before, after }) => ({
    part,
    name: visibleText(name),
    kind,
    ...(before && { accepted_hash: before.hash }),
    ...(after && { hash: after.hash }),
    fields: fieldDifference(part, before, after, budget),
  }))
}

/** All changes to accept, tools first. */
export function changesOf({ parts }: Pick<StoredToolLock, 'parts'>): (Changed & { part: LockPart })[] {
  return lockPart.options.flatMap((part) => {
    const known = parts[part]
    return known === undefined ? [] : waitingChanges(known).map((change) => ({ part, ...change }))
  })
}

function fieldDifference(
  part: LockPart,
  before: LockedDefinition | undefined,
  after: LockedDefinition | undefined,
  budget: Budget,
) {
  const [old, now] = [fieldsOf(part, before), fieldsOf(part, after)]
  const paths = [...new Set([...old.keys(), ...now.keys()])].toSorted(inReadingOrder)
  return paths.flatMap((path): ChangedField[] => {
    const [from, to] = [old.get(path), now.get(path)]
    if (from === to) return []
    return [{ field: path, parts: wordDifference(from ?? '', to ?? '', budget) }]
  })
}

/** In the order in which a model reads them. */
const FIRST = ['title', 'description']

function inReadingOrder(a: string, b: string): number {
  const rank = (path: string) => (FIRST.includes(path) ? FIRST.indexOf(path) : FIRST.length)
  return rank(a) - rank(b) || (a < b ? -1 : 1)
}

/** Every value of a definition by its path. A list of plain values counts as one value. */
function fieldsOf(part: LockPart, locked: LockedDefinition | undefined): Map<string, string> {
  const fields = new Map<string, string>()
  const collect = (value: unknown, path: string): void => {
    const isWhole = typeof value !== 'object' || value === null
    const inner = isWhole ? [] : Object.entries(value)
    if (isWhole || inner.length === 0 || (Array.isArray(value) && value.every(isPlain))) {
      fields.set(path, visibleText(typeof value === 'string' ? value : listed(value)))
    } else for (const [key, item] of inner) collect(item, pathTo(path, key, Array.isArray(value)))
  }
  if (locked) collect(JSON.parse(locked.definition), '')
  // Equal by definition.
  fields.delete(part === 'resource_template' ? 'uriTemplate' : 'name')
  return fields
}

const isPlain = (value: unknown) => typeof value !== 'object' || value === null

function listed(value: unknown): string {
  return Array.isArray(value) && value.length > 0 ? value.map(String).join(', ') : JSON.stringify(value)
}

function pathTo(path: string, key: string, isIndex: boolean): string {
  if (isIndex) return `${path}[${key}]`
  const step = /^[\w$-]+$/.test(key) ? key : `["${visibleText(key)}"]`
  return path === '' || step.startsWith('[') ? `${path}${step}` : `${path}.${step}`
}
