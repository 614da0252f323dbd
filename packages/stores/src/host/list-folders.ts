import { type Dirent, constants } from 'node:fs'
import { open, readdir, readlink, realpath } from 'node:fs/promises'
import { join, relative, resolve, sep } from 'node:path'
import { invalid, notFound } from '@toolhaven/core/errors'

const MOST_FOLDERS = 1_000

/** Names of the folders in a folder below the home folder; see `Host.listFolders`. */
export async function listFolders(homeDir: string, asked: string): Promise<{ path: string; folders: string[] }> {
  const home = await realpath(homeDir)
  // The home folder may be reached through a link that the daemon did not choose.
  const fromHome = resolve(homeDir, asked.replace(/^~(?=\/|$)/, '.'))
  const names = namesBetween(homeDir, fromHome) ?? namesBetween(home, fromHome)
  if (names === undefined) throw invalid(`${JSON.stringify(asked)} is not below the home folder; choose a folder there`)
  if (names.some((name) => name.startsWith('.')))
    throw invalid(`${JSON.stringify(asked)} leads through a hidden folder; choose one that is not hidden`)
  const path = join(home, ...names)
  const entries = await readWithoutLinks(path, asked)
  const folders = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
  return {
    path,
    folders: folders
      .map(({ name }) => name)
      .toSorted()
      .slice(0, MOST_FOLDERS),
  }
}

function namesBetween(folder: string, path: string): string[] | undefined {
  const way = relative(folder, path)
  if (way === '') return []
  const names = way.split(sep)
  return names[0] === '..' ? undefined : names
}

/**
 * Resolves the path from the open descriptor, so that links on the way do not matter. On Linux the descriptor is also what
 * is read, because a server could replace the folder with a link between two look-ups of its path.
 */
async function readWithoutLinks(path: string, asked: string): Promise<Dirent[]> {
  try {
    await using handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY)
    const isLinux = process.platform === 'linux'
    const descriptor = `/proc/self/fd/${handle.fd}`
    const real = isLinux ? await readlink(descriptor) : await realpath(path)
    if (real !== path) throw isLink(asked)
    return await readdir(isLinux ? descriptor : path, { withFileTypes: true })
  } catch (error) {
    throw explain(error, asked)
  }
}

const isLink = (asked: string) =>
  invalid(`${JSON.stringify(asked)} leads through a symbolic link; choose the folder that it leads to`)

function explain(error: unknown, asked: string): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ENOENT') return notFound(`there is no folder ${JSON.stringify(asked)}; choose another one`, error)
  if (code === 'ENOTDIR') return invalid(`${JSON.stringify(asked)} is not a folder; choose another path`, error)
  if (code === 'ENAMETOOLONG')
    return invalid(`${shortened(asked)} is longer than the file system allows; choose another folder`, error)
  if (code === 'ELOOP')
    return invalid(`${JSON.stringify(asked)} leads through too many symbolic links; choose another folder`, error)
  if (code === 'EACCES' || code === 'EPERM')
    return invalid(`the daemon may not read ${JSON.stringify(asked)}; choose another folder`, error)
  return error
}

const shortened = (asked: string) => JSON.stringify(asked.length > 100 ? `${asked.slice(0, 100)}…` : asked)
