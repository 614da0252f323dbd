import type { LockedDefinition, LockedPart, SeenList } from '../ports/stores.ts'
import { byName, changedDefinitions, type Changed } from './changed-definitions.ts'

/** All definitions that are accepted, for whatever kind of client. */
export function allAccepted({ accepted, only = {} }: LockedPart): LockedDefinition[] {
  return [...new Map([...Object.values(only).flat(), ...accepted].map((each) => [each.name, each])).values()]
}

/** The lists that wait for acceptance, at most one for each kind of client. The newest comes first. */
export function waitingLists({ seen, others = [] }: Partial<LockedPart> = {}): SeenList[] {
  return seen === undefined ? [] : [seen, ...others]
}

export function withWaiting(part: LockedPart, [seen, ...others]: readonly SeenList[]): LockedPart {
  const { seen: _seen, others: _others, ...rest } = part
  return { ...rest, ...(seen && { seen }), ...(others.length > 0 && { others }) }
}

/** All changes that wait for acceptance. What several kinds of clients were offered counts once. */
export function waitingChanges(part: LockedPart): Changed[] {
  const changes = waitingLists(part).flatMap(({ definitions, kind }) => changesFor(part, definitions, kind))
  return [...new Map(changes.map((change) => [changeKey(change), change])).values()]
}

const changeKey = ({ name, after }: Changed) => JSON.stringify([name, after?.hash])

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

/**
 * The part with what the server offers in addition to the first client of a kind. A tool that waits for acceptance, or
 * that differs from what was accepted for others, is not accepted along with it.
 */
export function withFirstOfKind(part: LockedPart, definitions: readonly LockedDefinition[], kind: string): LockedPart {
  const names = new Set(part.accepted.map(({ name }) => name))
  const waiting = new Set(waitingChanges(part).map(({ name }) => name))
  const ofOthers = Object.values(part.only ?? {}).flat()
  const isNew = ({ name, hash }: LockedDefinition) => {
    const known = ofOthers.filter((each) => each.name === name)
    return !names.has(name) && (known.length === 0 ? !waiting.has(name) : known.some((each) => each.hash === hash))
  }
  return { ...part, only: { ...part.only, [kind]: definitions.filter(isNew) } }
}

/** The part after the changes were accepted. `shown`: the lists that they come from. Newer ones may wait by now. */
export function withAccepted(part: LockedPart, changes: readonly Changed[], shown: readonly SeenList[]): LockedPart {
  const keys = new Set(changes.map(changeKey))
  const next = shown.reduce((result, { definitions, kind = '' }) => {
    const ofKind = changesFor(part, definitions, kind).filter((change) => keys.has(changeKey(change)))
    return withAcceptedFor(result, ofKind, kind)
  }, part)
  return withWaiting(
    next,
    waitingLists(part).filter(({ definitions, kind }) => changesFor(next, definitions, kind).length > 0),
  )
}

function withAcceptedFor(part: LockedPart, changes: readonly Changed[], kind: string): LockedPart {
  const [forAll, forKind] = [byName(part.accepted), byName(part.only?.[kind] ?? [])]
  const isOfKind = kind !== (part.kind ?? '')
  for (const { name, after } of changes) {
    const list = forAll.has(name) || !isOfKind ? forAll : forKind
    if (after) list.set(name, after)
    else list.delete(name)
  }
  return {
    ...part,
    accepted: sorted(forAll),
    ...(isOfKind && { only: { ...part.only, [kind]: sorted(forKind) } }),
  }
}

function sorted(definitions: ReadonlyMap<string, LockedDefinition>): LockedDefinition[] {
  return [...definitions.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1))
}
