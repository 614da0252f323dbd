import type { Dirent } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { invalid } from '@toolhaven/core/errors'
import { fileIdentity } from '@toolhaven/core/ports/runtime'

const MOST_ENTRIES = 200_000

/** The path in the folders of a file with one of the identities; undefined when there is none. Follows no links. */
export async function findFile(
  folders: readonly string[],
  isCandidate: (entry: Dirent) => boolean,
  identities: ReadonlySet<string>,
): Promise<string | undefined> {
  const waiting = [...folders]
  let seen = 0
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    // Gone meanwhile, or not ours to read: then it is not ours to mount for others either.
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
    seen += entries.length
    if (seen > MOST_ENTRIES)
      throw invalid(
        `${folders.join(', ')} cannot be searched for second names of protected files: there are more than ${MOST_ENTRIES} entries; mount a smaller folder, or a copy of the file`,
      )
    for (const entry of entries) {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) waiting.push(path)
      else if (isCandidate(entry)) {
        const found = await stat(path, { bigint: true }).catch(() => undefined)
        if (found !== undefined && identities.has(fileIdentity(found))) return path
      }
    }
  }
  return undefined
}
