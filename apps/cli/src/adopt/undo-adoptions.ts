import type { UndoneAdoption } from '@toolhaven/contract/adopt'
import { conflict, describeError } from '@toolhaven/core/errors'
import type { Context } from '../context.ts'
import { confirm } from '../output/prompt.ts'
import { printable } from '@toolhaven/contract/visible-text'
import { ADOPTED, chooseNamed } from './choose-named.ts'
import { showProgress } from './show-progress.ts'

/** Gives servers back to their clients: the named ones, or all. */
export async function undoAdoptions(
  context: Context,
  names: readonly string[],
  flags: { yes: boolean; format: string },
): Promise<void> {
  const { out, signal } = context
  const client = await context.daemon()
  const { adoptions } = await client.call('discoverServers', {}, signal)
  const chosen = names.length > 0 ? chooseNamed(adoptions, names, ADOPTED) : adoptions
  if (chosen.length === 0) {
    if (flags.format === 'json') return out.json({ undone: [], failures: [] })
    return out.note('There is nothing to undo: nothing was adopted.')
  }
  if (!flags.yes)
    await askFirst(
      chosen.map(({ name }) => name),
      signal,
    )
  const undone: UndoneAdoption[] = []
  const failures: { name: string; reason: string }[] = []
  for (const { name } of chosen) {
    try {
      const outcome = await showProgress(context, client, name, () =>
        client.call('undoAdoption', { body: { name } }, signal),
      )
      undone.push(outcome)
      if (flags.format !== 'json') report(context, outcome)
    } catch (error) {
      signal.throwIfAborted()
      failures.push({ name, reason: describeError(error) })
    }
  }
  if (flags.format === 'json') out.json({ undone, failures })
  if (failures.length > 0)
    throw conflict(failures.map(({ name, reason }) => printable(`${name} is still adopted: ${reason}`)).join('\n'))
}

async function askFirst(names: readonly string[], signal: AbortSignal): Promise<void> {
  const message = `Give ${names.join(', ')} back to their clients, and remove the workloads and their secrets?`
  const instead = `there is no terminal to ask at; add --yes to give back ${names.join(', ')}`
  if (!(await confirm({ message, instead, signal }))) throw conflict('cancelled; nothing was changed')
}

function report({ out }: Context, { name, restored, removed_secrets: secrets, notes }: UndoneAdoption): void {
  const clients = [...new Set(restored.map(({ client_type: type }) => type))].join(', ')
  out.line(`${name} is undone${clients === '' ? '' : `: ${clients} as before`}`)
  if (secrets.length > 0) out.note(printable(`Removed secrets: ${secrets.join(', ')}`))
  for (const note of notes) out.note(printable(note))
}
