import { readdir, readFile, readlink, realpath, stat } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { invalid } from '@toolhaven/core/errors'
import type { Mount } from '@toolhaven/core/ports/runtime'

/**
 * A socket with a path is reached through the file system, whatever the network is: one in a mounted folder would be a
 * way out. Only sockets that a program currently holds can be seen.
 */
export async function refuseSocketMounts(mounts: readonly Mount[], processes = '/proc'): Promise<void> {
  if (mounts.length === 0) return
  const table = await readFile(join(processes, 'net', 'unix'), 'utf8').catch(() => '')
  const sockets = await findSockets(namesOf(table), processes)
  for (const { hostPath } of mounts) {
    const isSocket = (await stat(hostPath).catch(() => undefined))?.isSocket() ?? false
    const inside = sockets.find((path) => path === hostPath || path.startsWith(`${hostPath.replace(/\/$/, '')}/`))
    if (isSocket || inside !== undefined)
      throw invalid(
        `The mount ${hostPath} holds a socket (${inside ?? hostPath}), which leads out of network isolation. Mount another folder, or allow the server the whole network.`,
      )
  }
}

const DATAGRAM = '0002'
const CONNECTED = '03'

/**
 * Columns are "address: references protocol flags type state inode path". A connection has the path of the socket that
 * accepted it, and nothing else can reach it. A datagram socket can be reached in any state.
 */
function namesOf(table: string): string[] {
  return table.split('\n').flatMap((line) => {
    const [, , , , type, state, inode = '', ...path] = line.trim().split(/\s+/)
    const name = path.join(' ')
    const isReachable = type === DATAGRAM || state !== CONNECTED
    return /^\d+$/.test(inode) && isReachable && name !== '' && !name.startsWith('@') ? [name] : []
  })
}

/**
 * The table has the name that each program gave its socket: through a link (/var/run is /run on most machines), or
 * relative to its folder.
 */
async function findSockets(names: readonly string[], processes: string): Promise<string[]> {
  const relative = names.filter((name) => !isAbsolute(name))
  const folders = relative.length === 0 ? [] : await workingFolders(processes)
  const guessed = folders.flatMap((folder) => relative.map((name) => join(folder, name)))
  const found = await Promise.all([
    ...names
      .filter((name) => isAbsolute(name))
      .map((path) => realpath(path).catch((error: unknown) => (isGone(error) ? '' : path))),
    ...guessed
      .map(async (path) => ((await stat(path)).isSocket() ? realpath(path) : ''))
      .map((path) => path.catch(() => '')),
  ])
  return found.filter((path) => path !== '')
}

/** The table keeps the name of a socket whose file was removed, which nothing can reach any more. */
function isGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}

async function workingFolders(processes: string): Promise<string[]> {
  const entries = await readdir(processes).catch(() => [])
  const ids = entries.filter((name) => /^\d+$/.test(name))
  // For other users' processes only root can see it.
  const folders = await Promise.all(ids.map((id) => readlink(join(processes, id, 'cwd')).catch(() => undefined)))
  return [...new Set(folders.filter((folder) => folder !== undefined))]
}
