import { MANIFEST_FLAG } from '../apply/manifest-flag.ts'
import { FORMAT_FLAG, defineCommand } from '../command.ts'

export const apply = defineCommand({
  words: 'apply',
  summary: 'Apply a file with groups, workloads and clients',
  description:
    'Reads groups, the registry, workloads and clients from one YAML file and applies them: it creates what is ' +
    'missing, changes what differs and leaves the rest alone. Applying the file again changes nothing.\n\n' +
    'A small file:\n\n' +
    '  format: 1\n  groups: [research]\n  workloads:\n    - name: time\n      image: time\n      group: research\n' +
    '  clients:\n    - name: cursor\n      groups: [research]\n\n' +
    'A workload takes the fields of the create request of the API: image or url, cmd_arguments, env_vars, secrets (a list of ' +
    'name and target), volumes, tools, permission_profile, labels, resources and so on. Paths are relative to the file. ' +
    'Unknown fields are errors. All faults are reported together, with their lines.\n\n' +
    'You see the plan first and are asked to confirm it; --yes skips the question. Objects that the file does not name stay, unless you ' +
    'pass --prune or --prune-all. Each change is reported. If one fails, the others are still made, and the exit code is 1.',
  flags: {
    ...MANIFEST_FLAG,
    prune: {
      type: 'boolean',
      summary: 'remove workloads that an earlier apply of this file created and that it no longer names',
    },
    pruneAll: { type: 'boolean', summary: 'remove every workload, group and client that the file does not name' },
    yes: { type: 'boolean', short: 'y', summary: 'do not ask' },
    ...FORMAT_FLAG,
  },
  usageHint: 'Name the file with -f: thv apply -f FILE.',
  examples: [
    { command: 'thv apply -f toolhaven.yaml --yes', shows: 'applies the file without asking' },
    { command: 'thv apply -f - --yes < toolhaven.yaml', shows: 'from standard input' },
    {
      command: 'thv apply -f toolhaven.yaml --prune --yes',
      shows: 'also removes workloads that were in the file before',
    },
  ],
  run: async (context, { flags }) => {
    const { out, signal } = context
    const [{ readManifest }, { currentState }, { planChanges }, { showChanges }, { carryOut }] = await Promise.all([
      import('../apply/read-manifest.ts'),
      import('../apply/current-state.ts'),
      import('../apply/plan-changes.ts'),
      import('../apply/show-changes.ts'),
      import('../apply/carry-out.ts'),
    ])
    const manifest = await readManifest(context, flags.file)
    const client = await context.daemon()
    const state = await currentState(client, manifest, signal)
    const changes = planChanges(manifest, state, flags.pruneAll ? 'all' : flags.prune ? 'own' : 'nothing')
    if (changes.length === 0) {
      if (flags.format === 'json') return out.json({ changes: [] })
      return out.note('Nothing to change: everything matches the file.')
    }
    showChanges(out, changes, out.note)
    if (!flags.yes) await askFirst(changes.length, signal)
    const outcomes = await carryOut({ context, client, manifest }, changes)
    const failed = outcomes.filter(({ outcome }) => outcome === 'failed')
    if (flags.format === 'json') out.json({ changes: outcomes })
    else
      for (const { kind, name, action, outcome } of outcomes)
        if (outcome === 'done') out.line(`${kind} ${name} ${DONE[action]}`)
    if (failed.length === 0) return
    const { conflict } = await import('@toolhaven/core/errors')
    const { printable } = await import('@toolhaven/contract/visible-text')
    const reasons = failed.map(({ kind, name, reason = '' }) => `  ${kind} ${name}: ${printable(reason)}`)
    throw conflict(
      `${failed.length} of ${outcomes.length} changes failed; fix this and apply the file again:\n${reasons.join('\n')}`,
    )
  },
})

const DONE = {
  create: 'is made',
  update: 'is changed',
  replace: 'is created again',
  start: 'is started',
  remove: 'is removed',
}

async function askFirst(count: number, signal: AbortSignal): Promise<void> {
  const [{ conflict }, { confirm }] = await Promise.all([
    import('@toolhaven/core/errors'),
    import('../output/prompt.ts'),
  ])
  const message = count === 1 ? 'Make this change?' : `Make these ${count} changes?`
  const instead = 'there is no terminal to ask at; add --yes to make these changes, or check them with "thv diff"'
  if (!(await confirm({ message, instead, signal }))) throw conflict('cancelled; nothing was changed')
}
