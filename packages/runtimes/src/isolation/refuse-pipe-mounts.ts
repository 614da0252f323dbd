import type { Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { posix } from 'node:path'
import { invalid } from '@toolhaven/core/errors'
import type { Mount } from '@toolhaven/core/ports/runtime'

const MOST_ENTRIES = 1_000_000

/**
 * A named pipe in a mounted folder leads to whatever program opens it on this machine, whatever the network is. Which
 * program waits at the other end cannot be seen from outside, so every pipe counts. Opening one to find out would
 * disturb that program.
 */
export async function refusePipeMounts(
  mounts: readonly Mount[],
  signal: AbortSignal,
  mostEntries = MOST_ENTRIES,
): Promise<void> {
  for (const mount of mounts) {
    const pipe = await findPipe(mount, shadowedIn(mount, mounts), { signal, mostEntries })
    if (pipe !== undefined)
      throw invalid(
        `The mount ${mount.hostPath} holds a named pipe (${JSON.stringify(pipe)}), which leads out of network isolation. Remove the pipe, hide it with a .thvignore file, mount another folder, or allow the server the whole network.`,
      )
  }
}

/** Paths on this machine that the server does not see because another mount, such as a cover, is on top of them. */
function shadowedIn({ hostPath, containerPath }: Mount, mounts: readonly Mount[]): ReadonlySet<string> {
  const paths = mounts.map((other) => posix.relative(containerPath, other.containerPath))
  const below = paths.filter((path) => path !== '' && path !== '..' && !path.startsWith('../'))
  return new Set(below.map((path) => bytes(posix.join(hostPath, path))))
}

interface Search {
  signal: AbortSignal
  mostEntries: number
}

async function findPipe(
  { hostPath }: Mount,
  shadowed: ReadonlySet<string>,
  { signal, mostEntries }: Search,
): Promise<string | undefined> {
  const waiting = [bytes(hostPath)]
  let seen = 0
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    signal.throwIfAborted()
    const entries = await entriesOf(folder)
    seen += entries.length
    if (seen > mostEntries)
      throw invalid(
        `The mount ${hostPath} cannot be searched for named pipes, because it holds more than ${mostEntries} files and folders. Mount a smaller folder, or allow the server the whole network.`,
      )
    for (const entry of entries) {
      const isFolder = entry.isDirectory()
      if (!isFolder && !entry.isFIFO()) continue
      const path = posix.join(folder, entry.name)
      if (shadowed.has(path)) continue
      if (!isFolder) return Buffer.from(path, 'latin1').toString()
      waiting.push(path)
    }
  }
  return undefined
}

/** Empty for a single file, for a folder that was removed, and for one that this user cannot read. */
function entriesOf(folder: string): Promise<Dirent[]> {
  const options = { encoding: 'latin1', withFileTypes: true } as const
  return readdir(Buffer.from(folder, 'latin1'), options).catch(() => [])
}

/** Names need not be UTF-8. Latin-1 keeps every byte. */
const bytes = (path: string) => Buffer.from(path).toString('latin1')
