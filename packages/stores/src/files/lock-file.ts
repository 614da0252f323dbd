import { connect } from 'node:net'
import { join } from 'node:path'
import { readPrivateFile } from './private-file.ts'
import { pidNamespace, processStart } from './process-identity.ts'

/** What the lock of a state folder says. Read without a schema: every command does it, and must start fast. */
export interface LockHolder {
  format: number
  pid: number
  started: string
  pidNamespace?: string
  socketPath: string
  token: string
}

/** Who has the state folder, if anybody: `alive` false means that the lock is only a leftover. */
export async function readLock(stateDir: string): Promise<{ holder: LockHolder; alive: boolean } | undefined> {
  const text = await readPrivateFile(lockPath(stateDir))
  const holder = text === undefined ? undefined : parseHolder(text)
  return holder && { holder, alive: await isAlive(holder) }
}

export function lockPath(stateDir: string): string {
  return join(stateDir, 'lock')
}

/** Undefined when the text is not that of a lock. */
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
  if (!isWhole(format) || !isWhole(pid) || pid < 1) return undefined
  if (typeof started !== 'string' || typeof socketPath !== 'string') return undefined
  if (typeof token !== 'string' || !/^[0-9a-f]{32}$/.test(token)) return undefined
  if (namespace !== undefined && typeof namespace !== 'string') return undefined
  return { format, pid, started, ...(namespace !== undefined && { pidNamespace: namespace }), socketPath, token }
}

const isWhole = (value: unknown): value is number => Number.isSafeInteger(value)

export async function isAlive(holder: LockHolder): Promise<boolean> {
  const namespace = await pidNamespace()
  // From another container its process id says nothing, but its socket is in a shared folder.
  if (holder.pidNamespace !== undefined && holder.pidNamespace !== namespace) return answers(holder.socketPath)
  return (await processStart(holder.pid)) === holder.started
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
