import type { Group } from '@toolhaven/contract/groups'
import { DEFAULT_GROUP } from '@toolhaven/contract/names'
import { conflict, invalid } from '../errors.ts'
import type { Journal, StoredGroup } from '../ports/stores.ts'
import { compareNames, type WorkloadBook } from '../workloads/running/book.ts'
import { moveToGroup } from '../workloads/operations/move.ts'
import type { GroupBook } from './group-book.ts'

export interface GroupsDeps {
  groups: GroupBook
  book: WorkloadBook
  journal: Journal
  deleteWorkload: (name: string) => Promise<void>
  syncClients: () => Promise<void>
}

export function listGroups({ groups }: Pick<GroupsDeps, 'groups'>): Group[] {
  return groups.all().map(toRecord)
}

export function getGroup({ groups }: Pick<GroupsDeps, 'groups'>, name: string): Group {
  return toRecord(groups.get(name))
}

export async function createGroup(deps: GroupsDeps, name: string): Promise<{ name: string }> {
  await deps.groups.change(name, (existing) => {
    if (existing) throw conflict(`group ${name} already exists`)
    return { name, registeredClients: [] }
  })
  await deps.journal.append({ actor: 'api', action: 'create-group', target: name })
  return { name }
}

/** Moves its workloads to the default group, or deletes them too. */
export async function deleteGroup(deps: GroupsDeps, name: string, withWorkloads: boolean): Promise<void> {
  if (name === DEFAULT_GROUP)
    throw invalid(
      'the group default cannot be deleted: workloads without another group belong to it; delete those workloads instead',
    )
  deps.groups.get(name)
  await emptyGroup(deps, name, withWorkloads)
  await deps.groups.change(name, () => undefined)
  // Workloads that joined while the others moved.
  await emptyGroup(deps, name, withWorkloads)
  await deps.journal.append({ actor: 'api', action: 'delete-group', target: name, detail: { withWorkloads } })
  void deps.syncClients()
}

async function emptyGroup(deps: GroupsDeps, name: string, withWorkloads: boolean): Promise<void> {
  const members = deps.book.all().filter(({ stored }) => stored.config.group === name && stored.wanted !== 'absent')
  for (const { stored } of members) {
    if (withWorkloads) await deps.deleteWorkload(stored.config.name)
    else await moveToGroup(deps.book, stored.config.name, DEFAULT_GROUP)
  }
}

function toRecord(group: StoredGroup): Group {
  return { name: group.name, registered_clients: group.registeredClients.toSorted(compareNames) }
}
