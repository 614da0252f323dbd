import { type CommandDef, type Example, FORMAT_FLAG, defineCommand } from '../command.ts'
import type { DaemonClient } from '../connect/daemon-client.ts'
import type { Context } from '../context.ts'

const OPERATIONS = { stop: 'stopWorkloads', restart: 'restartWorkloads', delete: 'deleteWorkloads' } as const

export interface LifecycleTexts {
  words: string
  summary: string
  description: string
  examples: readonly Example[]
  /** `time is stopped` */
  done: string
  /** What else a reader should know once it is done. */
  notes?: (client: DaemonClient, names: readonly string[], signal: AbortSignal) => Promise<string[]>
}

/** Stop, restart and rm take names, a group or everything, and wait until it is done. */
export function lifecycleCommand(verb: keyof typeof OPERATIONS, { done, notes, ...texts }: LifecycleTexts): CommandDef {
  return defineCommand({
    ...texts,
    args: [{ name: 'name', summary: 'which workloads', variadic: true, completes: 'workload' }],
    flags: {
      all: { type: 'boolean', short: 'a', summary: 'every workload' },
      group: { type: 'text', short: 'g', value: 'name', summary: 'every workload of this group' },
      ...FORMAT_FLAG,
    },
    run: async (context, { args, flags }) => {
      const { out, signal } = context
      const names = await chosenNames(context, args, flags)
      if (names.length > 0) {
        const [{ orUnknownWorkload }, { waitForOutcome, WorkloadFailed, withNextStep }] = await Promise.all([
          import('./or-unknown.ts'),
          import('../output/wait-for-outcome.ts'),
        ])
        const client = await context.daemon()
        await orUnknownWorkload(client, names, signal, () => client.call(OPERATIONS[verb], { body: { names } }, signal))
        await waitForOutcome(context, client, names, verb).catch((error: unknown) => {
          throw verb === 'restart' && error instanceof WorkloadFailed ? withNextStep(error, names) : error
        })
      }
      if (flags.format === 'json') return out.json({ names })
      if (names.length === 0) return out.note('There is nothing to do: no workload matches.')
      for (const name of names) out.line(`${name} ${done}`)
      for (const note of (await notes?.(await context.daemon(), names, signal)) ?? []) out.note(note)
    },
  })
}

interface Choice {
  all: boolean
  group: string | undefined
}

async function chosenNames(
  { daemon, signal }: Context,
  args: readonly string[],
  { all, group }: Choice,
): Promise<string[]> {
  const ways = [args.length > 0, all, group !== undefined].filter(Boolean).length
  if (ways !== 1) {
    const { invalid } = await import('@toolhaven/core/errors')
    throw invalid(`${ways === 0 ? 'which workloads?' : 'these exclude one another;'} Give names, or --group, or --all`)
  }
  if (args.length > 0) return [...new Set(args)]
  const client = await daemon()
  const { orUnknownGroup } = await import('./or-unknown.ts')
  const { workloads } = await orUnknownGroup(client, group, signal, () =>
    client.call('listWorkloads', { query: { all: true, group } }, signal),
  )
  return workloads.filter(({ status }) => status !== 'removing').map(({ name }) => name)
}
