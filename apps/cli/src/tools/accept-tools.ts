import type { ToolChange } from '@toolhaven/contract/tools'
import { conflict } from '@toolhaven/core/errors'
import type { Context } from '../context.ts'
import { confirm } from '../output/prompt.ts'
import { readToolLock } from './read-tool-lock.ts'
import { showChanges } from './show-changes.ts'

interface AcceptFlags {
  prompt: readonly string[]
  template: readonly string[]
  instructions: boolean
  yes: boolean
  format: string
}

export async function acceptTools(
  context: Context,
  name: string,
  tools: readonly string[],
  { yes, format, ...flags }: AcceptFlags,
): Promise<void> {
  const { out, signal } = context
  const { client, lock } = await readToolLock(context, name)
  const isText = format !== 'json'
  const named = {
    ...(tools.length > 0 && { tools: [...tools] }),
    ...(flags.prompt.length > 0 && { prompts: [...flags.prompt] }),
    ...(flags.template.length > 0 && { resource_templates: [...flags.template] }),
    ...(flags.instructions && { instructions: true as const }),
  }
  const isAll = Object.keys(named).length === 0
  const wanted: Record<ToolChange['part'], readonly string[]> = {
    ...{ tool: tools, prompt: flags.prompt, resource_template: flags.template },
    instructions: flags.instructions ? ['instructions'] : [],
  }
  const chosen = lock.changes.filter((change) => isAll || wanted[change.part].includes(change.name))
  // The daemon checks that the given tools, prompts and templates exist.
  if (chosen.length === 0 && (isAll || Object.keys(named).join() === 'instructions')) {
    if (!isText) return out.json(lock)
    const what = isAll ? 'tools' : 'instructions'
    return out.note(`There is nothing to accept: the ${what} of ${name} are as they were accepted.`)
  }
  if (isText) showChanges(out, chosen)
  if (!yes) {
    const message = `Accept ${chosen.length === 1 ? 'this change' : `these ${chosen.length} changes`} of ${name}?`
    const instead = 'there is no terminal to ask at; check "thv tools diff" and add --yes'
    if (!(await confirm({ message, instead, signal }))) throw conflict('cancelled; nothing was changed')
  }
  // Without a change there is no revision, and the daemon reports that there is nothing to accept.
  const body = { ...named, revision: lock.revision ?? '' }
  const accepted = await client.call('acceptTools', { params: { name }, body }, signal)
  if (!isText) return out.json(accepted)
  const left = accepted.changes.length
  out.line(`the tools of ${name} are accepted${left > 0 ? `, but for ${left} that still differ` : ''}`)
}
