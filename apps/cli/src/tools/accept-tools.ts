import { conflict } from '@toolhaven/core/errors'
import type { Context } from '../context.ts'
import { confirm } from '../output/prompt.ts'
import { readToolLock } from './read-tool-lock.ts'
import { showChanges } from './show-changes.ts'

export async function acceptTools(
  context: Context,
  name: string,
  tools: readonly string[],
  { yes, format }: { yes: boolean; format: string },
): Promise<void> {
  const { out, signal } = context
  const { client, lock } = await readToolLock(context, name)
  const isText = format !== 'json'
  if (lock.changes.length === 0 && tools.length === 0) {
    if (!isText) return out.json(lock)
    return out.note(`There is nothing to accept: the tools of ${name} are as they were accepted.`)
  }
  const chosen = tools.length === 0 ? lock.changes : lock.changes.filter(({ tool }) => tools.includes(tool))
  if (isText) showChanges(out, chosen)
  if (!yes) {
    const message = `Accept ${chosen.length === 1 ? 'this change' : `these ${chosen.length} changes`} of ${name}?`
    const instead = 'there is nobody to ask; look at "thv tools diff" and give --yes'
    if (!(await confirm({ message, instead, signal }))) throw conflict('cancelled; nothing was changed')
  }
  // Without a change there is no revision, and nothing to accept: the daemon says so.
  const body = { ...(tools.length > 0 && { tools: [...tools] }), revision: lock.revision ?? '' }
  const accepted = await client.call('acceptTools', { params: { name }, body }, signal)
  if (!isText) return out.json(accepted)
  const left = accepted.changes.length
  out.line(`the tools of ${name} are accepted${left > 0 ? `, but for ${left} that still differ` : ''}`)
}
