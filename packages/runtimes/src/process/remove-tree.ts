import { randomBytes } from 'node:crypto'
import { chmod, lstat, readdir, rename, rm, rmdir, unlink } from 'node:fs/promises'
import { sep } from 'node:path'

/**
 * Removes a folder whatever is in it. Packages and servers can remove the rights needed to empty a folder, leave names
 * that are not text, and nest folders too deep for a path. Nothing may run in it any more. The error names what cannot
 * be removed, and the rest is gone.
 */
export async function removeTree(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true }).catch(async (error: unknown) => {
    // The error about a link concerns the link: what it leads to is not ours.
    if (!(await lstat(folder)).isDirectory()) throw error
    await removeFlat(folder)
  })
}

/**
 * Moves each folder directly below the first one before it is emptied, so that no path grows. Entries say themselves
 * whether they are folders, so no link is followed.
 */
async function removeFlat(folder: string): Promise<void> {
  const root: Buffer = Buffer.from(folder)
  const failures: unknown[] = []
  // What is already gone was still being removed when the first attempt failed: Node removes in parallel and does not
  // wait.
  const attempt = <T>(work: Promise<T>) =>
    work.catch((error: unknown) => {
      if (!isMissing(error)) failures.push(error)
      return undefined
    })
  // Random, so that nothing in the tree already has such a name.
  const mark = randomBytes(12).toString('hex')
  let moved = 0
  const moveUp = async (path: Buffer, parent: Buffer): Promise<Buffer> => {
    // Without the right to write to a folder, it can neither be moved nor emptied.
    await chmod(path, 0o700)
    if (parent === root) return path
    const place = below(root, Buffer.from(`${mark}-${(moved += 1)}`))
    await rename(path, place)
    return place
  }
  await chmod(root, 0o700)
  const waiting: Buffer[] = [root]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const parent = next
    for (const entry of (await attempt(readdir(parent, { withFileTypes: true, encoding: 'buffer' }))) ?? []) {
      const path = below(parent, entry.name)
      if (entry.isDirectory()) await attempt(moveUp(path, parent).then((place) => void waiting.push(place)))
      else await attempt(unlink(path))
    }
    if (parent !== root) await attempt(rmdir(parent))
  }
  await attempt(rmdir(root))
  if (failures.length > 0) throw failures[0]
}

const isMissing = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOENT'

const below = (parent: Buffer, name: Buffer): Buffer => Buffer.concat([parent, Buffer.from(sep), name])
