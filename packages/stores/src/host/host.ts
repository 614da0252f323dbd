import type { BigIntStats } from 'node:fs'
import { lstat, open, readFile, readlink, realpath, stat } from 'node:fs/promises'
import { isAbsolute, join, relative, resolve } from 'node:path'
import { invalid, isThvError } from '@toolhaven/core/errors'
import type { Host } from '@toolhaven/core/ports/host'
import { fileIdentity } from '@toolhaven/core/ports/runtime'
import { gitPlaces } from './git-places.ts'
import { listFolders } from './list-folders.ts'
import { exposureOf, holdsFolder, isInside, type ProtectedPlaces } from './exposure.ts'

export interface HostOptions extends ProtectedPlaces {
  homeDir: string
  configDir: string
  /** The folder that relative paths start from. */
  cwd: string
  ownAddresses: Host['ownAddresses']
}

/** Facts about the file system of this machine. */
export function createHost({ homeDir, configDir, cwd, ownAddresses, ...places }: HostOptions): Host {
  return {
    linkOnTheWay: async (folder, names) => {
      let path = folder
      for (const name of names) {
        path = join(path, name)
        const found = await lstat(path).catch((error: unknown) => {
          // A server can hide a link in a folder that only it may enter, so only a clear "not found" counts as missing.
          if (isAbsence(error)) return undefined
          throw unreadable(path, error)
        })
        if (found === undefined || found.isSymbolicLink()) return found && path
      }
      return undefined
    },
    exposedBy: (found) => exposureOf(found, places),
    holdsHome: (found) => holdsFolder(found, homeDir),
    gitPlaces: (folder, signal) => gitPlaces(folder, homeDir, signal),
    ownAddresses,
    isOwn: async (found) => {
      for (const folder of places.ownFolders) if (await isInside(found, folder)) return true
      return false
    },
    resolvePath: async (path) => {
      if (path.includes('\0')) throw invalid('A path must not contain a NUL character.')
      try {
        const { real, itself } = await lookAt(resolve(cwd, expandHome(path, homeDir)))
        if (itself.nlink === 0n) return undefined
        return { path: real, kind: kindOf(itself), identity: fileIdentity(itself) }
      } catch (error) {
        if (isAbsence(error)) return undefined
        throw unreadable(path, error)
      }
    },
    listFolders: (path) => listFolders(homeDir, path),
    readConfigFile: async (relativePath) => {
      const asked = resolve(configDir, relativePath)
      refuseOutside(configDir, asked, relativePath)
      try {
        // Checked again after links are resolved, because a link may lead out of the folder.
        const real = await realpath(asked)
        refuseOutside(await realpath(configDir), real, relativePath)
        return await readPlain(real, relativePath)
      } catch (error) {
        if (isAbsence(error)) return undefined
        throw unreadable(relativePath, error)
      }
    },
    readTextFile: async (path) => {
      try {
        return await readPlain(path, path)
      } catch (error) {
        if (isAbsence(error)) return undefined
        throw unreadable(path, error)
      }
    },
  }
}

/** O_PATH, for which Node has no constant: the descriptor stands for a path and gives no access to the file. */
const O_PATH = 0o10000000

/**
 * What a path leads to, and where that is. On Linux both come from one descriptor: between two look-ups, a server could
 * replace the path with a link, and the second look-up would approve the link's target.
 */
async function lookAt(path: string): Promise<{ real: string; itself: BigIntStats }> {
  if (process.platform !== 'linux') {
    const real = await realpath(path)
    return { real, itself: await stat(real, { bigint: true }) }
  }
  await using handle = await open(path, O_PATH)
  return { real: await readlink(`/proc/self/fd/${handle.fd}`), itself: await handle.stat({ bigint: true }) }
}

const MAX_TEXT_BYTES = 1024 * 1024

/** Reading a pipe or a device could go on for ever. */
async function readPlain(path: string, asked: string): Promise<string> {
  const found = await stat(path)
  if (!found.isFile()) throw invalid(`${JSON.stringify(asked)} is not a file. Name a file.`)
  if (found.size > MAX_TEXT_BYTES) throw invalid(`${JSON.stringify(asked)} is larger than 1 MiB. Name another file.`)
  return readFile(path, 'utf8')
}

/** Expands only `~` and `~/…`. `~name` means another user's home folder, which only shells know. */
function expandHome(path: string, homeDir: string): string {
  if (path === '~') return homeDir
  return path.startsWith('~/') ? join(homeDir, path.slice(2)) : path
}

function refuseOutside(folder: string, path: string, asked: string): void {
  const way = relative(folder, path)
  if (way === '' || way === '..' || way.startsWith('../') || isAbsolute(way) || asked.includes('\0')) {
    throw invalid(
      `${JSON.stringify(asked)} is not a file below the configuration folder. Use a path relative to that folder.`,
    )
  }
}

function kindOf(found: {
  isFile(): boolean
  isDirectory(): boolean
  isSocket(): boolean
}): 'file' | 'directory' | 'socket' | 'other' {
  if (found.isFile()) return 'file'
  if (found.isDirectory()) return 'directory'
  return found.isSocket() ? 'socket' : 'other'
}

function unreadable(path: string, error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error) || isThvError(error)) return error
  return invalid(
    `The daemon cannot access ${JSON.stringify(path)} (${String(error.code)}). Check its permissions and links, or name another path.`,
    error,
  )
}

function isAbsence(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
}
