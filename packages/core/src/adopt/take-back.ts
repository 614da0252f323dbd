import type { StoredAdoption } from '../ports/foreign-entries.ts'
import { secretsIn } from '../workloads/config/generated-secrets.ts'
import { changeLifecycle } from '../workloads/operations/lifecycle.ts'
import type { AdoptDeps } from './adopt-deps.ts'
import { untilGone } from '../workloads/operations/wait-for-status.ts'

/** Removes what an adoption made: the workload, its secrets and its record, in this order. Returns the removed secrets. */
export async function takeBack(
  deps: AdoptDeps,
  record: StoredAdoption,
): Promise<{ removed: string[]; notes: string[] }> {
  const { name } = record
  const { book } = deps.workloads
  if (book.find(name)) {
    if (book.find(name)?.stored.wanted !== 'absent') await changeLifecycle(deps.workloads, name, 'delete')
    await untilGone(deps, name)
  }
  const removed: string[] = []
  const notes: string[] = []
  for (const key of record.secrets) {
    const user = book.all().find(({ stored }) => secretsIn(stored.config).has(key))?.stored.config.name
    if (user !== undefined) notes.push(`secret ${key} was kept because ${user} uses it`)
    else if (await deletes(deps, key)) removed.push(key)
  }
  if ('secret' in record.originals) await deletes(deps, record.originals.secret)
  await deps.store.remove(name)
  deps.held.delete(name)
  deps.adopted.delete(name)
  await deps.workloads.syncClients()
  return { removed, notes }
}

async function deletes({ secrets }: AdoptDeps, key: string): Promise<boolean> {
  // It may never have been created, or a person has deleted it.
  if (!(await secrets.has(key))) return false
  await secrets.delete(key)
  return true
}
