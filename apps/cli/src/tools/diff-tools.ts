import type { Context } from '../context.ts'
import { readToolLock } from './read-tool-lock.ts'
import { showChanges } from './show-changes.ts'

export async function diffTools(context: Context, name: string, format: string): Promise<void> {
  const { out } = context
  const { lock } = await readToolLock(context, name)
  if (format === 'json') return out.json(lock)
  if (lock.changes.length === 0) return out.note(`The tools of ${name} are as they were accepted.`)
  showChanges(out, lock.changes)
  const what = lock.mode === 'block' ? 'allows what changed or was added' : 'takes this for the accepted state'
  out.note(`"thv tools accept ${name}" ${what}.`)
}
