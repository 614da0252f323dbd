import { conflict, invalid } from '@toolhaven/core/errors'
import type { UpdateRequest } from '@toolhaven/contract/workload-request'
import type { WorkloadDetails } from '@toolhaven/contract/workloads'
import type { Context } from '../context.ts'
import { withSecretStore } from '../commands/secret/with-secret-store.ts'
import { homeDirOf } from '../home-dir.ts'
import { orUnknownGroup, orUnknownWorkload } from '../lifecycle/or-unknown.ts'
import type { Output } from '../output/output.ts'
import { confirm } from '../output/prompt.ts'
import { printable } from '@toolhaven/contract/visible-text'
import { WorkloadFailed, waitForOutcome, withNextStep } from '../output/wait-for-outcome.ts'
import { withServerMeant } from '../registry/with-server-meant.ts'
import { createRequestOf } from '../run/create-request.ts'
import { isFolder } from '../run/folder-request.ts'
import { type Difference, differencesOf } from './differences.ts'
import { asRunFlags, type EditFlags } from './edit-flags.ts'
import { folderEdit } from './folder-edit.ts'
import { refuseProblems } from './refuse-problems.ts'
import { updateOf } from './update-of.ts'

/** Shows the changes, asks, makes them, and waits until the workload runs. */
export async function editWorkload(context: Context, [name = '', ...args]: readonly string[], flags: EditFlags) {
  const { out, cwd, env, signal } = context
  const params = { name }
  if (isFolder(flags.server ?? ''))
    throw invalid(
      `--server takes no folder; give it with --folder, or run it as a workload of its own: thv run ${flags.server}`,
    )
  const caller = { cwd, env, homeDir: homeDirOf(env) }
  const { image, ...others } = await createRequestOf(caller, [flags.server ?? ''], asRunFlags(flags))
  const named = { ...others, ...(flags.server !== undefined && image !== undefined && { image }) }
  const ofFolder = flags.folder !== undefined || flags.write || flags.watch
  if (Object.keys(named).length + args.length + flags.unset.length === 0 && !ofFolder)
    throw invalid(`what should change of ${name}? Give the options of "thv run", or --unset OPTION`)
  const client = await context.daemon()
  const { request, revision } = await orUnknownWorkload(client, [name], signal, () =>
    client.call('getWorkloadRequest', { params }, signal),
  )
  const workload = await client.call('getWorkload', { params }, signal)
  // Includes headers whose values are in the secret store.
  const { headers_from_secrets: hidden } = workload
  const before = { ...request, ...(hidden && { headers_from_secrets: hidden }) }
  const wished = { ...named, ...folderEdit(caller, { name, folder: request.folder }, args, flags) }
  const body = updateOf(before, wished, flags.unset)
  refuseBoth({ ...before, ...body }.folder)
  const changes = differencesOf(before, body)
  // A change of only the group needs no restart.
  const restarts = changes.length > 0 && Object.keys(body).some((field) => field !== 'group')
  const report = (applied: boolean) => out.json({ name, applied, restarts, changes })
  if (changes.length === 0)
    return flags.format === 'json' ? report(false) : out.note(`${name} already has these settings.`)
  const edit = { params, body, query: { known_only: true, revision } }
  const check = () => refuseProblems(client, edit, flags, signal)
  if (flags.dryRun) await check()
  else await withSecretStore({ out, signal, yes: flags.yes }, client, body, check)
  if (flags.format !== 'json' || !flags.yes) showDifferences(out, workload, { changes, restarts })
  if (flags.dryRun) return flags.format === 'json' ? report(false) : out.note('Nothing was changed (--dry-run).')
  if (!flags.yes) await askFirst(name, signal)
  try {
    await orUnknownGroup(client, flags.group, signal, () => client.call('editWorkload', edit, signal))
  } catch (error) {
    throw await withServerMeant(client, flags.server, error, signal)
  }
  if (restarts && !flags.noWait)
    await waitForOutcome(context, client, [name], 'run').catch((error: unknown) => {
      throw error instanceof WorkloadFailed ? withNextStep(error) : error
    })
  if (flags.format === 'json') return report(true)
  out.line(flags.noWait || !restarts ? `${name} is changed` : `${name} is changed and running at ${workload.url}`)
}

/** Checked before the difference is shown, because the API would refuse it only after the question. */
function refuseBoth(folder: UpdateRequest['folder']): void {
  if (folder?.write && folder.watch)
    throw invalid(
      '--write and --watch exclude each other, because what the server writes would restart it; take one of them back with --unset write or --unset watch',
    )
}

function showDifferences(
  out: Output,
  { name, status, url }: WorkloadDetails,
  { changes, restarts }: { changes: readonly Difference[]; restarts: boolean },
): void {
  out.note(`${name} changes:`)
  const width = Math.max(...changes.map(({ option }) => option.length))
  for (const { option, change, from, to, hidden } of changes) {
    const values = hidden ? `${change} (value not shown)` : `${spelled(from)} → ${spelled(to)}`
    out.note(`  ${option.padEnd(width)}  ${printable(values)}`)
  }
  if (!restarts) return
  out.note(
    status === 'stopped'
      ? `${name} is stopped. This change starts it.`
      : `The server restarts. Its address stays ${url}; calls that run at that moment fail.`,
  )
}

const spelled = (value: unknown) =>
  value === undefined ? 'not set' : typeof value === 'string' ? value : JSON.stringify(value)

async function askFirst(name: string, signal: AbortSignal): Promise<void> {
  const instead = 'there is no terminal to ask at; add --yes to make these changes\nNothing was changed.'
  if (!(await confirm({ message: `Change ${name}?`, instead, signal })))
    throw conflict('cancelled; nothing was changed')
}
