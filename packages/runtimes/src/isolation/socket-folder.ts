import { createHash } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { invalid } from '@toolhaven/core/errors'

/** What a unix socket's address holds; the kernel and Node differ in what they do with more. */
const LONGEST_PATH = 107

/** Where the way into one instance is: found again by any later daemon from what the instance is called. */
export interface SocketFolder {
  folder: string
  /** Of the way in. */
  socketPath: string
  /** Made by the forwarder once it listens. */
  readyFile: string
  /** Files that the workload sees, beside the folder it must not see. */
  hostsFile: string
  resolverFile: string
}

export function socketFolder(socketDir: string, owner: string, name: string): SocketFolder {
  const mark = createHash('sha256').update(`${owner} ${name}`).digest('base64url').slice(0, 9)
  const folder = join(socketDir, mark)
  return {
    folder,
    socketPath: join(folder, 'h'),
    readyFile: join(folder, 'r'),
    hostsFile: `${folder}.hosts`,
    resolverFile: `${folder}.resolv`,
  }
}

/** Empty, and closed to everybody else. */
export async function makeSocketFolder(place: SocketFolder): Promise<void> {
  if (Buffer.byteLength(place.socketPath) > LONGEST_PATH)
    throw invalid(
      `The socket path ${place.socketPath} is longer than ${LONGEST_PATH} bytes; choose a shorter XDG_RUNTIME_DIR.`,
    )
  await removeSocketFolder(place)
  await mkdir(place.folder, { recursive: true, mode: 0o700 })
}

export async function removeSocketFolder({ folder, hostsFile, resolverFile }: SocketFolder): Promise<void> {
  for (const path of [folder, hostsFile, resolverFile]) await rm(path, { recursive: true, force: true })
}
