import { MANIFEST_FLAG } from '../apply/manifest-flag.ts'
import { FORMAT_FLAG, defineCommand } from '../command.ts'

export const diff = defineCommand({
  words: 'diff',
  summary: 'Show what "thv apply" would change',
  description:
    'Compares a file with the daemon and shows what "thv apply" would change. Changes nothing. Values of variables ' +
    'and headers are not shown, because they may be keys.\n\n' +
    'The exit code is 0 if everything matches the file, and 1 if something differs. As JSON: {"equal", "changes"}, each ' +
    'change with its action (create, update, replace, start, remove), kind, name and the fields that differ.',
  flags: {
    ...MANIFEST_FLAG,
    prune: {
      type: 'boolean',
      summary: 'include workloads that an earlier "thv apply" of this file created and that it no longer names',
    },
    pruneAll: { type: 'boolean', summary: 'include every workload, group and client that the file does not name' },
    ...FORMAT_FLAG,
  },
  usageHint: 'Name the file with -f: thv diff -f FILE.',
  examples: [
    { command: 'thv diff -f toolhaven.yaml', shows: 'what would change; exit code 1 if anything would' },
    { command: 'thv diff -f - --format json < toolhaven.yaml', shows: 'from standard input, for a script' },
  ],
  run: async (context, { flags }) => {
    const { out, signal } = context
    const [{ readManifest }, { currentState }, { planChanges }] = await Promise.all([
      import('../apply/read-manifest.ts'),
      import('../apply/current-state.ts'),
      import('../apply/plan-changes.ts'),
    ])
    const manifest = await readManifest(context, flags.file)
    const state = await currentState(await context.daemon(), manifest, signal)
    const changes = planChanges(manifest, state, flags.pruneAll ? 'all' : flags.prune ? 'own' : 'nothing')
    const equal = changes.length === 0
    if (!equal) process.exitCode = 1
    if (flags.format === 'json') return out.json({ equal, changes })
    if (equal) return out.note('Nothing differs: everything matches the file.')
    const { showChanges } = await import('../apply/show-changes.ts')
    showChanges(out, changes, out.line)
  },
})
