import type { LockedDefinition, LockedPart } from '../ports/stores.ts'
import { byName, changedDefinitions, type Changed } from './changed-definitions.ts'

/** All definitions that are accepted, for whatever kind of client. */
export function allAccepted({ accepted, only = {} }: LockedPart): LockedDefinition[] {
  return [...new Map([...Object.values(only).flat(), ...accepted].map((each) => [each.name, each])).values()]
}

/** The changes since acceptance in the list that a client of this kind got. */
export function changesFor(part: LockedPart, definitions: readonly LockedDefinition[], kind = ''): Changed[] {
  const changes = changedDefinitions([...part.accepted, ...(part.only?.[kind] ?? [])], definitions)
  if (kind === (part.kind ?? '')) return changes
  // A server may hide tools from clients that cannot use them.
  const isHidden = ({ name, after }: Changed) => !after && part.accepted.some((each) => each.name === name)
  return changes.filter((change) => !isHidden(change))
}

export function isNewKind(part: LockedPart, kind: string): boolean {
  return kind !== (part.kind ?? '') && part.only?.[kind] === undefined
}

/** The part with what the server offers in addition to the first client of a kind. */
export function withFirstOfKind(part: LockedPart, definitions: readonly LockedDefinition[], kind: string): LockedPart {
  const names = new Set(part.accepted.map(({ name }) => name))
  return { ...part, only: { ...part.only, [kind]: definitions.filter(({ name }) => !names.has(name)) } }
}

/** The part after the changes were accepted. */
export function withAccepted(part: LockedPart, changes: readonly Changed[]): LockedPart {
  const { seen, ...rest } = part
  const kind = seen?.kind ?? ''
  const [forAll, forKind] = [byName(part.accepted), byName(part.only?.[kind] ?? [])]
  const isOfKind = kind !== (part.kind ?? '')
  for (const { name, after } of changes) {
    const list = forAll.has(name) || !isOfKind ? forAll : forKind
    if (after) list.set(name, after)
    else list.delete(name)
  }
  const next = {
    ...rest,
    accepted: sorted(forAll),
    ...(isOfKind && { only: { ...part.only, [kind]: sorted(forKind) } }),
  }
  const isDone = seen === undefined || changesFor(next, seen.definitions, seen.kind).length === 0
  return { ...next, ...(!isDone && { seen }) }
}

function sorted(definitions: ReadonlyMap<string, LockedDefinition>): LockedDefinition[] {
  return [...definitions.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1))
}
