import { defineCommand } from '../command.ts'

export const exportCommand = defineCommand({
  words: 'export',
  summary: 'Export the run configuration of a workload',
  description:
    'Writes the run configuration of a workload as JSON, to a file or to standard output. ' +
    'It contains secrets by name only. "thv run --from-config" runs it again, here or on another machine, with ' +
    '--accept-secrets if it names any.\n\n' +
    'The folder of the file must exist. An existing file is replaced only with --force, or if you confirm it at a terminal.',
  args: [
    { name: 'name', summary: 'which workload', required: true, completes: 'workload' },
    { name: 'file', summary: 'file to write (default: standard output)' },
  ],
  flags: { force: { type: 'boolean', short: 'f', summary: 'replace the file if it exists' } },
  examples: [
    { command: 'thv export time', shows: 'on the screen' },
    { command: 'thv export time time.json', shows: 'to a file that only you can read' },
    { command: 'thv export time time.json --force', shows: 'the same, replacing an older file' },
  ],
  run: async ({ daemon, out, cwd, signal }, { args: [name = '', file], flags: { force } }) => {
    const [client, { orUnknownWorkload }] = await Promise.all([daemon(), import('../lifecycle/or-unknown.ts')])
    const config = await orUnknownWorkload(client, [name], signal, () =>
      client.call('exportWorkload', { params: { name } }, signal),
    )
    if (file === undefined) return out.json(config)
    const { writeExport } = await import('../lifecycle/write-export.ts')
    await writeExport({ cwd, signal }, { file, force }, `${JSON.stringify(config, null, 2)}\n`)
    out.note(`${name} is written to ${file}`)
  },
})
