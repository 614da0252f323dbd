import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describeError } from '@toolhaven/core/errors'
import type { Logger } from '@toolhaven/core/ports/logger'
import { isAlive } from '../is-alive.ts'
import { removeTree } from './remove-tree.ts'

/** Folders of an install under way, with the process that makes them: see `fillFolder` and `findUv`. */
const UNFINISHED = /\.(?:(\d+)-)?[0-9a-f]{12}\.(?:partial|scratch|scratch\.partial)$/

/**
 * Removes what killed daemons left of their installs. Another daemon that is alive may share the folder. Called before
 * the first install of this one.
 */
export async function removeLostInstalls(dataDir: string, logger: Logger): Promise<void> {
  const schemes = ['npx', 'uvx', 'go'].map((scheme) => join(dataDir, 'packages', scheme))
  for (const folder of [...schemes, join(dataDir, 'tools')]) {
    // Does not exist before the first package.
    for (const name of await readdir(folder).catch(() => [])) {
      const unfinished = UNFINISHED.exec(name)
      if (unfinished === null || isAlive(Number(unfinished[1] ?? 0))) continue
      await removeTree(join(folder, name)).catch((error: unknown) => {
        logger.warn('what is left of an install cannot be removed', { name, reason: describeError(error) })
      })
    }
  }
}
