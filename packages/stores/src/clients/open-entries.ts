import type { EntriesDocument, EntryShape } from './entries-document.ts'
import { openJsoncEntries } from './jsonc-entries.ts'
import type { Footprint } from './owned-entries.ts'
import { openTomlEntries } from './toml-entries.ts'
import { withinDepth } from './within-depth.ts'
import { openYamlEntries } from './yaml-entries.ts'

/** Refuses a file that cannot be read, saying where it stops making sense. */
export function openEntries(
  file: string,
  found: string | null,
  footprint: Footprint,
  shape: EntryShape,
): EntriesDocument {
  const open = { toml: openTomlEntries, yaml: openYamlEntries, json: openJsoncEntries }[shape.format ?? 'json']
  return withinDepth(file, () => open(file, found, footprint, shape))
}
