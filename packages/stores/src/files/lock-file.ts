import { statSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { readPrivateFile } from './private-file.ts'
import { pidNamespace, processStart } from './process-identity.ts'

/** The content of a state folder's lock. Read without a schema, because every command reads it and must start fast. */
export interface LockHolder {
  format: number
  pid: number
  started: string
  pidNamespace?: string
  socketPath: string
  token: string
  /** Which folder the lock was made in, as `DEVICE:INODE`; a copy of the folder has another. Left out by older versions. */
  folder?: string
}

/** The owner of the state folder, if any. `alive` is false if the lock is a leftover. */
export async function readLock(stateDir: string): Promise<{ holder: LockHolder; alive: boolean } | undefined> {
  const text = await readPrivateFile(lockPath(stateDir))
  const holder = text === undefined ? undefined : parseHolder(text)
  return holder && { holder, alive: await isAlive(holder, stateDir) }
}

export function lockPath(stateDir: string): string {
  return join(stateDir, 'lock')
}

/** Undefined if the text is not a lock. */
export function parseHolder(text: string): LockHolder | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  if (typeof value !== 'object' || value === null) return undefined
  const field = (name: string): unknown => Object.entries(value).find(([key]) => key === name)?.[1]
  const [format, pid, started] = [field('format'), field('pid'), field('started')]
  const [namespace, socketPath, token] = [field('pidNamespace'), field('socketPath'), field('token')]
  const folder = field('folder')
  if (!isWhole(format) || !isWhole(pid) || pid < 1) return undefined
  if (typeof started !== 'string' || typeof socketPath !== 'string') return undefined
  if (typeof token !== 'string' || !/^[0-9a-f]{32}$/.test(token)) return undefined
  if (namespace !== undefined && typeof namespace !== 'string') return undefined
  if (folder !== undefined && typeof folder !== 'string') return undefined
  const more = { ...(namespace !== undefined && { pidNamespace: namespace }), ...(folder !== undefined && { folder }) }
  return { format, pid, started, ...more, socketPath, token }
}

const isWhole = (value: unknown): value is number => Number.isSafeInteger(value)

/** Whether a daemon owns this folder. The lock in a copy of the folder names the daemon of the original. */
export async function isAlive(holder: LockHolder, stateDir: string): Promise<boolean> {
  if (holder.folder !== undefined && holder.folder !== folderIdentity(stateDir)) return false
  const namespace = await pidNamespace()
  // From another container the process id means nothing, but the socket is in a shared folder.
  if (holder.pidNamespace !== undefined && holder.pidNamespace !== namespace) return answers(holder.socketPath)
  return (await processStart(holder.pid)) === holder.started
}

export function folderIdentity(stateDir: string): string {
  const { dev, ino } = statSync(stateDir, { bigint: true })
  return `${dev}:${ino}`
}

function answers(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketPath)
    const end = (result: boolean) => {
      socket.destroy()
      resolve(result)
    }
    socket.setTimeout(1000, () => end(false))
    socket.once('connect', () => end(true))
    socket.once('error', () => end(false))
  })
}
