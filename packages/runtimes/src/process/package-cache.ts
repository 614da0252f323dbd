import { createHash, randomBytes } from 'node:crypto'
import { access, mkdir, open, realpath, rename, writeFile } from 'node:fs/promises'
import { constants } from 'node:fs'
import { join, sep } from 'node:path'
import type { InstallAccess, PackageScheme } from '@toolhaven/core/ports/runtime'
import { MANIFEST_FILE } from './package-manifest.ts'
import type { PackageManifest } from './package-manifest.ts'
import { removeTree } from './remove-tree.ts'

export interface CacheKey {
  scheme: PackageScheme
  name: string
  version: string
  /** What else the fetched files depend on: platform, interpreter. */
  environment: readonly string[]
}

/** `dataDir/packages/npx/@scope+name@1.2.3-0123456789ab` */
export function packageFolder(dataDir: string, { scheme, name, version, environment }: CacheKey): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([LAYOUT, name, version, ...environment]))
    .digest('hex')
    .slice(0, 12)
  return join(dataDir, 'packages', scheme, `${name.replaceAll('/', '+')}@${version}-${hash}`)
}

/** Other hosts for the scripts may give another result, so they belong to the environment. */
export function installKey(install: InstallAccess | undefined): string[] {
  return install?.hosts.length ? [`install ${install.hosts.toSorted().join(' ')}`] : []
}

/** Raised when the layout of a folder changes. */
const LAYOUT = 1

export async function isFetched(folder: string): Promise<boolean> {
  return await access(join(folder, MANIFEST_FILE)).then(
    () => true,
    () => false,
  )
}

/** Fills a folder at another place and moves it here in one step. If two fetch the same, the first one wins. */
export async function fillFolder(
  folder: string,
  fill: (folders: { target: string; scratch: string }) => Promise<PackageManifest>,
): Promise<void> {
  const suffix = `${process.pid}-${randomBytes(6).toString('hex')}`
  const target = `${folder}.${suffix}.partial`
  const scratch = `${folder}.${suffix}.scratch`
  try {
    // Readable by the sandbox's user whatever the daemon's umask is. The folders above are private.
    await mkdir(target, { recursive: true, mode: 0o755 })
    await mkdir(scratch, { mode: 0o700 })
    const manifest = await fill({ target, scratch })
    const file = join(target, MANIFEST_FILE)
    // An install script may have put a link there, which would lead us to a file of the user.
    await removeTree(file)
    await writeFile(file, JSON.stringify(manifest, undefined, 2), { flag: 'wx', mode: 0o644, flush: true })
    await rename(target, folder).catch(async (error: unknown) => {
      if (!(await isFetched(folder))) throw error
    })
    await syncFolder(join(folder, '..'))
  } finally {
    // What remains is removed when the next daemon starts, and must not hide the result of the install.
    for (const path of [scratch, target]) await removeTree(path).catch(() => undefined)
  }
}

const MOST_READ = 1 << 20

/** The beginning of a file that scripts may have written. A link out of the folder, a pipe or a device is not read. */
export async function readInside(folder: string, path: string, mostBytes = MOST_READ): Promise<string | undefined> {
  const [root, file] = await Promise.all([realpath(folder), realpath(join(folder, path)).catch(() => undefined)])
  if (file === undefined || !file.startsWith(root + sep)) return undefined
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
  try {
    if (!(await handle.stat()).isFile()) return undefined
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(mostBytes), 0, mostBytes, 0)
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await handle.close()
  }
}

async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
