import { filesSetAside } from '@toolhaven/stores/files/set-aside'
import { FORMAT_FLAG, defineCommand } from '../command.ts'
import { ownStateDir } from '../connect/find-daemon.ts'
import type { Context } from '../context.ts'
// Imported together, because separate small files would cost this command more time than running them.
import { orUnknownGroup } from '../lifecycle/or-unknown.ts'
import type { Output } from '../output/output.ts'
import { workloadTable } from '../output/workload-table.ts'

const LIVE = '"thv stats" shows the workloads live.'

export const list = defineCommand({
  words: 'list',
  aliases: ['ls', 'ps'],
  summary: 'List workloads',
  description: 'Lists the workloads that should be running, whatever their status. With --all, includes stopped ones.',
  flags: {
    all: { type: 'boolean', short: 'a', summary: 'include stopped ones' },
    group: { type: 'text', short: 'g', value: 'name', summary: 'only those of this group' },
    label: { type: 'list', short: 'l', value: 'key=value', summary: 'only those with this label; may be repeated' },
    format: {
      ...FORMAT_FLAG.format,
      choices: ['text', 'json', 'mcpservers'],
      summary: 'how to print: text, json, or mcpservers for a client’s file',
    },
  },
  usageHint: '"thv inspect NAME" shows one workload. "thv list --format json" prints JSON.',
  foreignOptions: { '-w': LIVE, '--watch': LIVE },
  examples: [
    { command: 'thv list', shows: 'what should be running' },
    { command: 'thv list --all --format json', shows: 'everything, for a script' },
    { command: 'thv list --group default --label team=docs', shows: 'the workloads of a group with a label' },
    { command: 'thv list --format mcpservers', shows: 'entries to paste into the file of a client' },
  ],
  run: async ({ daemon, out, env, signal }, { flags }) => {
    const unclear = flags.label.find((pair) => !pair.includes('='))
    if (unclear !== undefined) {
      const { invalid } = await import('@toolhaven/core/errors')
      throw invalid(`--label ${unclear} must have the form KEY=VALUE, such as ${unclear}=docs`)
    }
    const client = await daemon()
    const query = { all: flags.all, group: flags.group }
    const { workloads } = await orUnknownGroup(client, flags.group, signal, () =>
      client.call('listWorkloads', { query }, signal),
    )
    const noteStopped = async (shown: number) => {
      const { workloads: all } = await client.call('listWorkloads', { query: { ...query, all: true } }, signal)
      if (all.length > shown) out.note(`${all.length - shown} more stopped; "thv list --all" shows all.`)
    }
    const wanted = workloads.filter(({ labels }) => flags.label.every((pair) => hasLabel(labels, pair)))
    if (flags.format === 'json') return out.json({ workloads: wanted })
    if (flags.format === 'mcpservers') {
      return out.json({ mcpServers: Object.fromEntries(wanted.map(({ name, url }) => [name, clientEntry(url)])) })
    }
    noteDamaged(out, env)
    if (wanted.length > 0) {
      workloadTable(out, wanted)
      // A script knows what it asked for.
      if (out.isTerminal && !flags.all && flags.label.length === 0) await noteStopped(workloads.length)
      return
    }
    const isAll = flags.all && flags.group === undefined && flags.label.length === 0
    out.note(
      isAll
        ? 'There are no workloads; "thv run NAME" starts one.'
        : `No workload ${flags.all || flags.label.length > 0 ? 'matches' : 'is running'}; "thv list --all" shows all.`,
    )
  },
})

/** A workload whose file is damaged is missing from the list. */
function noteDamaged(out: Output, env: Context['env']): void {
  const count = env['THV_HOST'] ? 0 : filesSetAside(ownStateDir(env)).length
  if (count > 0)
    out.note(`${count} damaged ${count === 1 ? 'file was' : 'files were'} moved aside; "thv doctor" names them.`)
}

function hasLabel(labels: Readonly<Record<string, string>>, pair: string): boolean {
  const [key = '', ...value] = pair.split('=')
  return labels[key] === value.join('=')
}

function clientEntry(url: string) {
  return { url, type: url.endsWith('/sse') ? 'sse' : 'streamable-http' }
}
