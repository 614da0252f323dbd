import type { ToolChange } from '@toolhaven/contract/tools'
import type { LockedDefinition } from '../ports/stores.ts'

export interface Changed {
  name: string
  kind: ToolChange['kind']
  before: LockedDefinition | undefined
  after: LockedDefinition | undefined
}

export function changedDefinitions(
  accepted: readonly LockedDefinition[],
  seen: readonly LockedDefinition[],
): Changed[] {
  const [before, after] = [byName(accepted), byName(seen)]
  const names = [...new Set([...before.keys(), ...after.keys()])].toSorted()
  return names.flatMap((name) => {
    const change = { name, before: before.get(name), after: after.get(name) }
    if (change.before?.hash === change.after?.hash) return []
    return [{ ...change, kind: change.before ? (change.after ? 'changed' : 'removed') : 'added' } as const]
  })
}

export function byName(definitions: readonly LockedDefinition[]): Map<string, LockedDefinition> {
  return new Map(definitions.map((definition) => [definition.name, definition]))
}
