import { type CommandDef, type Example, FORMAT_FLAG, defineCommand } from '../command.ts'
import type { DaemonClient } from '../connect/daemon-client.ts'
import type { Context } from '../context.ts'

const OPERATIONS = { stop: 'stopWorkloads', restart: 'restartWorkloads', delete: 'deleteWorkloads' } as const

const CHOICE_FLAGS = {
  all: { type: 'boolean', short: 'a', summary: 'every workload' },
  group: { type: 'text', short: 'g', value: 'name', summary: 'every workload of this group' },
} as const
const YES_FLAG = { yes: { type: 'boolean', short: 'y', summary: 'with --all: do not ask' } } as const
const FLAGS = { ...CHOICE_FLAGS, ...FORMAT_FLAG }
const DELETE_FLAGS = { ...CHOICE_FLAGS, ...YES_FLAG, ...FORMAT_FLAG }

export interface LifecycleTexts {
  words: string
  aliases?: readonly string[]
  summary: string
  description: string
  examples: readonly Example[]
  foreignOptions?: Readonly<Record<string, string>>
  /** `time is stopped` */
  done: string
  /** A further note for the user when it is done. */
  notes?: (client: DaemonClient, names: readonly string[], signal: AbortSignal) => Promise<string[]>
}

/** The shape of stop, restart and rm: they take names, a group or everything, and wait until it is done. */
export function lifecycleCommand(verb: keyof typeof OPERATIONS, { done, notes, ...texts }: LifecycleTexts): CommandDef {
  return defineCommand({
    ...texts,
    args: [{ name: 'name', summary: 'which workloads', variadic: true, completes: 'workload' }],
    flags: verb === 'delete' ? DELETE_FLAGS : FLAGS,
    run: async (context, { args, flags }) => {
      const { out, signal } = context
      const names = await chosenNames(texts.words, context, args, flags)
      if ('yes' in flags && flags.all && !flags.yes && names.length > 0) await askFirst(names, signal)
      if (names.length > 0) {
        const [{ orUnknownWorkload }, { waitForOutcome, WorkloadFailed, withNextStep }] = await Promise.all([
          import('./or-unknown.ts'),
          import('../output/wait-for-outcome.ts'),
        ])
        const client = await context.daemon()
        await orUnknownWorkload(client, names, signal, () => client.call(OPERATIONS[verb], { body: { names } }, signal))
        await waitForOutcome(context, client, names, verb).catch(async (error: unknown) => {
          if (verb !== 'restart' || !(error instanceof WorkloadFailed)) throw error
          const { withPages } = await import('../console/page-of-server.ts')
          throw await withPages(context, client, withNextStep(error))
        })
      }
      if (flags.format === 'json') return out.json({ names })
      if (names.length === 0) return out.note('There is nothing to do: no workload matches.')
      for (const name of names) out.line(`${name} ${done}`)
      for (const note of (await notes?.(await context.daemon(), names, signal)) ?? []) out.note(note)
    },
  })
}

/** Removes the configurations too, which cannot be undone. */
async function askFirst(names: readonly string[], signal: AbortSignal): Promise<void> {
  const [{ conflict }, { confirm }] = await Promise.all([
    import('@toolhaven/core/errors'),
    import('../output/prompt.ts'),
  ])
  const all = names.length === 1 ? 'the only workload' : `all ${names.length} workloads`
  const message = `Remove ${all} with configuration and logs: ${names.join(', ')}?`
  const instead =
    `there is no terminal to ask at; add --yes to remove ${all} (${names.join(', ')}) with configuration and logs\n` +
    'Nothing was changed.'
  if (!(await confirm({ message, instead, signal }))) throw conflict('cancelled; nothing was changed')
}

interface Choice {
  all: boolean
  group: string | undefined
}

async function chosenNames(
  words: string,
  { daemon, signal }: Context,
  args: readonly string[],
  { all, group }: Choice,
): Promise<string[]> {
  const ways = [args.length > 0, all, group !== undefined].filter(Boolean).length
  if (ways !== 1) {
    const { invalid } = await import('@toolhaven/core/errors')
    throw invalid(
      ways === 0
        ? `no workload given\nName them, as in "thv ${words} NAME", or pass --group NAME or --all. "thv list --all" lists them.`
        : 'names, --group and --all exclude each other; give one of them',
    )
  }
  if (args.length > 0) return [...new Set(args)]
  const client = await daemon()
  const { orUnknownGroup } = await import('./or-unknown.ts')
  const { workloads } = await orUnknownGroup(client, group, signal, () =>
    client.call('listWorkloads', { query: { all: true, group } }, signal),
  )
  return workloads.filter(({ status }) => status !== 'removing').map(({ name }) => name)
}
