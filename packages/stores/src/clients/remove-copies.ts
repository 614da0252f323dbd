import { lstat, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { CLIENT_TYPES } from '@toolhaven/contract/client-types'
import { describeError } from '@toolhaven/core/errors'
import { CLIENT_PROGRAMS, type ClientPlatform, type ClientProgram } from './catalogue.ts'
import { copiesOf, readClientFile } from './client-file.ts'
import { openEntries } from './open-entries.ts'

export interface CopiesRemoval {
  removed: string[]
  /** Each entry includes the reason. */
  kept: string[]
}

/**
 * Removes the copies that we made beside the files of clients. Those of a damaged file stay: they are what its owner can
 * repair it with.
 */
export async function removeCopies(homeDir: string, platform: ClientPlatform): Promise<CopiesRemoval> {
  const result: CopiesRemoval = { removed: [], kept: [] }
  const seen = new Set<string>()
  for (const program of CLIENT_TYPES.map((client): ClientProgram => CLIENT_PROGRAMS[client])) {
    for (const path of program.files[platform].map((file) => join(homeDir, file))) {
      if (seen.has(path)) continue
      seen.add(path)
      const copies = await presentOf(Object.values(copiesOf(path)))
      if (copies.length === 0) continue
      try {
        openEntries(path, (await readClientFile(path)).text, {}, program)
        for (const copy of copies) await rm(copy)
        result.removed.push(...copies)
      } catch (error) {
        result.kept.push(...copies.map((copy) => `${copy}: ${describeError(error)}`))
      }
    }
  }
  return result
}

async function presentOf(paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(paths.map((path) => lstat(path).catch(() => undefined)))
  return paths.filter((_path, index) => found[index]?.isFile())
}
