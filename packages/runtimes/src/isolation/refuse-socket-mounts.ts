import { readFile, realpath, stat } from 'node:fs/promises'
import { invalid } from '@toolhaven/core/errors'
import type { Mount } from '@toolhaven/core/ports/runtime'

/**
 * A socket with a path is reached through the file system, whatever the network is: whoever listens in a mounted folder would
 * be a way out. Only what listens now can be seen.
 */
export async function refuseSocketMounts(mounts: readonly Mount[], table = '/proc/net/unix'): Promise<void> {
  if (mounts.length === 0) return
  const bound = listening(await readFile(table, 'utf8').catch(() => ''))
  // The table has what each program called its socket, links included: /var/run is /run on most machines.
  const sockets = await Promise.all(bound.map((path) => realpath(path).catch(() => path)))
  for (const { hostPath } of mounts) {
    const isSocket = (await stat(hostPath).catch(() => undefined))?.isSocket() ?? false
    const inside = sockets.find((path) => path === hostPath || path.startsWith(`${hostPath.replace(/\/$/, '')}/`))
    if (isSocket || inside !== undefined)
      throw invalid(
        `The mount ${hostPath} holds a socket (${inside ?? hostPath}), which leads out of network isolation; mount another folder, or allow the server the whole network.`,
      )
  }
}

/** Columns are "address: references protocol flags type state inode path"; flag 0x10000 is a socket that listens. */
function listening(table: string): string[] {
  return table.split('\n').flatMap((line) => {
    const [, , , flags = '', , , , ...path] = line.trim().split(/\s+/)
    const name = path.join(' ')
    return Number.parseInt(flags, 16) & 0x10000 && name.startsWith('/') ? [name] : []
  })
}
