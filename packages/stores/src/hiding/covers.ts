import { chmod, mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { unavailable } from '@toolhaven/core/errors'
import { COVERS, type Hidden } from '@toolhaven/core/ports/hiding'
import { errnoOf } from '../files/errno.ts'
import { ensurePrivateFolder } from '../files/private-folder.ts'

export type Covers = Record<Hidden['kind'], string>

/** An empty file and an empty folder, both read-only. */
export async function makeCovers(dir: string): Promise<Covers> {
  await ensurePrivateFolder(dir)
  const file = join(dir, COVERS.file)
  const folder = join(dir, COVERS.folder)
  await mkdir(folder, { recursive: true })
  await chmod(folder, 0o555)
  await writeFile(file, '', { flag: 'wx', mode: 0o444 }).catch((error: unknown) => {
    if (errnoOf(error) !== 'EEXIST') throw error
  })
  if ((await stat(file)).size > 0 || (await readdir(folder)).length > 0)
    throw unavailable(`the file and the folder in ${dir} must be empty. Remove ${dir}; Toolhaven creates it again.`)
  return { file, folder }
}
