import type { Dirent } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { invalid } from '@toolhaven/core/errors'
import { fileIdentity } from '@toolhaven/core/ports/runtime'

const MOST_ENTRIES = 200_000

/** The path of a file in the folders that has one of the identities; undefined if there is none. Follows no links. */
export async function findFile(
  folders: readonly string[],
  isCandidate: (entry: Dirent) => boolean,
  identities: ReadonlySet<string>,
): Promise<string | undefined> {
  const waiting = [...folders]
  let seen = 0
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    // The folder is gone, or this user may not read it and so cannot mount it for others either.
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
    seen += entries.length
    if (seen > MOST_ENTRIES)
      throw invalid(
        `${folders.join(', ')} cannot be searched for hard links to protected files, because there are more than ${MOST_ENTRIES} entries. Mount a smaller folder, or a copy of the file.`,
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
