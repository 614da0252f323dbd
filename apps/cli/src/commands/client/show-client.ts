import type { ClientPreview, PreviewedFile } from '@toolhaven/contract/clients'
import { printable } from '@toolhaven/contract/visible-text'
import type { Output } from '../../output/output.ts'

const WHAT_BECOMES = {
  add: 'added',
  change: 'changed',
  keep: 'unchanged',
  remove: 'removed',
} as const satisfies Record<PreviewedFile['entries'][number]['change'], string>

export function showClient(out: Output, { client_type: client, installed, groups, reads, files }: ClientPreview): void {
  const facts = [
    installed ? 'is installed' : 'is not installed here; it gets its entries when it is',
    groups.length > 0 ? `sees the servers of ${groups.join(', ')}` : 'sees no group',
    ...(reads === undefined ? [] : [`reads a changed file ${reads}`]),
  ]
  out.line(`${client} ${facts.join('; ')}.`)
  for (const file of files) showFile(out, file)
}

function showFile(
  out: Output,
  { path, exists, servers_key: key, entries, adopted, foreign, notes, problem }: PreviewedFile,
): void {
  out.line(`\n${printable(path)}${exists ? '' : ' (is created with the first entry)'}`)
  if (problem !== undefined) return out.note(printable(problem))
  if (entries.length === 0) out.line('No entries of Toolhaven.')
  else {
    out.table(
      [
        { title: 'ENTRY', value: (entry) => printable(entry.key) },
        { title: 'SERVER', value: (entry) => entry.workload },
        { title: 'CHANGE', value: (entry) => WHAT_BECOMES[entry.change] },
        { title: 'WRITTEN', value: ({ fields }) => (fields ? printable(JSON.stringify(fields)) : ''), shrinks: true },
      ],
      entries,
    )
  }
  for (const { key: own, workload } of adopted)
    out.line(printable(`Adopted: ${own} points to ${workload}; "thv adopt --undo ${workload}" restores it`))
  if (foreign.length > 0) out.line(`Your own entries below ${key}, which stay: ${foreign.map(printable).join(', ')}`)
  for (const note of notes) out.note(printable(note))
}
