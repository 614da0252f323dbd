import { lstat, readdir, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { DoctorCheck } from '@toolhaven/contract/doctor'
import { describeError } from '@toolhaven/core/errors'
import { filesSetAside } from '@toolhaven/stores/files/set-aside'
import type { ToolhavenPaths } from '@toolhaven/stores/files/paths'

type Places = Pick<ToolhavenPaths, 'stateDir' | 'dataDir' | 'configDir' | 'socketPath'>

/** Checks who may read our files, who may connect to the daemon, and whether there is disk space. */
export async function checkFiles(paths: Places, uid: number): Promise<DoctorCheck[]> {
  return [
    await socketCheck(paths.socketPath, uid),
    await foldersCheck(paths, uid),
    ...damagedCheck(paths.stateDir),
    await roomCheck(paths.stateDir),
  ]
}

async function socketCheck(path: string, uid: number): Promise<DoctorCheck> {
  const check = 'socket'
  const [socket, folder] = await Promise.all([lookAt(path), lookAt(dirname(path))])
  if (!socket) return { check, status: 'failed', found: `${path} is not there`, fix: 'thv serve' }
  if (!socket.isSocket())
    return { check, status: 'failed', found: `${path} is not a socket`, fix: `rm '${path}', then: thv serve` }
  if (socket.uid !== uid)
    return {
      check,
      status: 'failed',
      found: `${path} belongs to user ${socket.uid}`,
      fix: 'stop the daemon of that user, then: thv serve',
    }
  if ((socket.mode & 0o077) !== 0 && ((folder?.mode ?? 0) & 0o077) !== 0)
    return {
      check,
      status: 'failed',
      found: `others may speak to the daemon through ${path}`,
      fix: `chmod 600 '${path}'`,
    }
  return { check, status: 'ok', found: `${path}, for its owner only` }
}

async function foldersCheck({ stateDir, dataDir, configDir }: Places, uid: number): Promise<DoctorCheck> {
  const check = 'folders'
  if (!(await lookAt(stateDir)))
    return {
      check,
      status: 'failed',
      found: `${stateDir} was removed: its daemon starts nothing and ends`,
      fix: 'thv serve',
    }
  for (const folder of [stateDir, dataDir, configDir]) {
    const found = await lookAt(folder)
    if (!found) continue
    if (found.uid !== uid)
      return {
        check,
        status: 'failed',
        found: `${folder} belongs to user ${found.uid}`,
        fix: `chown -R ${uid} '${folder}'`,
      }
    if ((found.mode & 0o077) !== 0)
      return { check, status: 'failed', found: `others may look into ${folder}`, fix: `chmod 700 '${folder}'` }
  }
  const open = await openFile([stateDir, dataDir])
  if (open !== undefined)
    return { check, status: 'failed', found: `others may read ${open}`, fix: `chmod 600 '${open}'` }
  return { check, status: 'ok', found: 'state, data and settings are for their owner only' }
}

/** The folders are private, but a readable file inside would stay readable when it is copied elsewhere. */
async function openFile(folders: readonly string[]): Promise<string | undefined> {
  for (const folder of folders) {
    for (const name of await readdir(folder).catch((): string[] => [])) {
      const path = join(folder, name)
      const found = await lookAt(path)
      if (found?.isFile() && (found.mode & 0o077) !== 0) return path
    }
  }
  return undefined
}

/** The workload or group of such a file is missing, and nothing else reports that. */
function damagedCheck(stateDir: string): DoctorCheck[] {
  return filesSetAside(stateDir).map((path) => ({
    check: 'damaged',
    status: 'warning',
    found: `a damaged file was set aside: ${path}`,
    fix: `restore what was in it, then: rm '${path}'`,
  }))
}

const LEAST_BYTES = 200 * 2 ** 20

async function roomCheck(folder: string): Promise<DoctorCheck> {
  const check = 'disk'
  try {
    const { bavail, bsize } = await statfs(folder)
    const free = bavail * bsize
    const found = `${Math.round(free / 2 ** 20)} MiB free at ${folder}`
    if (free >= LEAST_BYTES) return { check, status: 'ok', found }
    return {
      check,
      status: 'warning',
      found,
      fix: 'make room; "thv logs prune" removes logs of workloads that are gone',
    }
  } catch (error) {
    return {
      check,
      status: 'failed',
      found: `${folder} cannot be looked at: ${describeError(error)}`,
      fix: 'thv serve',
    }
  }
}

async function lookAt(path: string) {
  return lstat(path).catch(() => undefined)
}
