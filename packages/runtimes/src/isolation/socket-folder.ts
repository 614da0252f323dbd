import { createHash } from 'node:crypto'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describeError, invalid } from '@toolhaven/core/errors'
import type { Logger } from '@toolhaven/core/ports/logger'
import { isAlive } from '../is-alive.ts'

/** The size of a unix socket's address. The kernel and Node differ in what they do with longer ones. */
const LONGEST_PATH = 107

/** Where the way into one instance is. Any later daemon finds it by the name of the instance. */
export interface SocketFolder {
  folder: string
  /** Of the way in. */
  socketPath: string
  /** Created by the forwarder once it listens. */
  readyFile: string
  /** Files that the workload sees, outside the folder that it must not see. */
  hostsFile: string
  resolverFile: string
}

export function socketFolder(socketDir: string, owner: string, name: string): SocketFolder {
  return filesOf(join(socketDir, hashOf(owner, name).slice(0, 9)))
}

/** The same for an instance that ends with this process, whose number is in the name. */
export function passingSocketFolder(socketDir: string, owner: string, name: string): SocketFolder {
  return filesOf(join(socketDir, `${hashOf(owner, name).slice(0, 6)}.${process.pid.toString(36)}`))
}

/** Removes those of processes that have ended. Called before this process makes its first. */
export async function removeLostSocketFolders(socketDir: string, logger: Logger): Promise<void> {
  // Does not exist before the first.
  for (const entry of await readdir(socketDir).catch(() => [])) {
    const [, pid] = /^[\w-]{6}\.([0-9a-z]{1,7})$/.exec(entry) ?? []
    if (pid !== undefined && !isAlive(Number.parseInt(pid, 36)))
      await removeSocketFolder(filesOf(join(socketDir, entry))).catch((error: unknown) =>
        logger.warn('a folder of a daemon that ended could not be removed', { entry, error: describeError(error) }),
      )
  }
}

const hashOf = (owner: string, name: string) => createHash('sha256').update(`${owner} ${name}`).digest('base64url')

function filesOf(folder: string): SocketFolder {
  return {
    folder,
    socketPath: join(folder, 'h'),
    readyFile: join(folder, 'r'),
    hostsFile: `${folder}.hosts`,
    resolverFile: `${folder}.resolv`,
  }
}

/** Empty, and closed to everyone else. */
export async function makeSocketFolder(place: SocketFolder): Promise<void> {
  if (Buffer.byteLength(place.socketPath) > LONGEST_PATH)
    throw invalid(
      `The socket path ${place.socketPath} is longer than ${LONGEST_PATH} bytes. Choose a shorter XDG_RUNTIME_DIR.`,
    )
  await removeSocketFolder(place)
  await mkdir(place.folder, { recursive: true, mode: 0o700 })
}

export async function removeSocketFolder({ folder, hostsFile, resolverFile }: SocketFolder): Promise<void> {
  for (const path of [folder, hostsFile, resolverFile]) await rm(path, { recursive: true, force: true })
}
