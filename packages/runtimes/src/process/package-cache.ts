import { createHash, randomBytes } from 'node:crypto'
import { access, mkdir, open, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { PackageScheme } from '@toolhaven/core/ports/runtime'
import { MANIFEST_FILE } from './package-manifest.ts'
import type { PackageManifest } from './package-manifest.ts'

export interface CacheKey {
  scheme: PackageScheme
  name: string
  version: string
  /** What the fetched files depend on besides: platform, interpreter. */
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

/** Raised when what is in a folder changes its shape. */
const LAYOUT = 1

export async function isFetched(folder: string): Promise<boolean> {
  return await access(join(folder, MANIFEST_FILE)).then(
    () => true,
    () => false,
  )
}

/** Fills a folder aside and moves it into place in one step; whoever fetched the same at the same time and came first wins. */
export async function fillFolder(
  folder: string,
  fill: (folders: { target: string; scratch: string }) => Promise<PackageManifest>,
): Promise<void> {
  const suffix = randomBytes(6).toString('hex')
  const target = `${folder}.${suffix}.partial`
  const scratch = `${folder}.${suffix}.scratch`
  try {
    // Readable by the sandbox's user whatever the daemon's umask is; the folders above are private.
    await mkdir(target, { recursive: true, mode: 0o755 })
    await mkdir(scratch, { mode: 0o700 })
    const manifest = await fill({ target, scratch })
    await writeFile(join(target, MANIFEST_FILE), JSON.stringify(manifest, undefined, 2), { mode: 0o644, flush: true })
    await rename(target, folder).catch(async (error: unknown) => {
      if (!(await isFetched(folder))) throw error
    })
    await syncFolder(join(folder, '..'))
  } finally {
    await rm(target, { recursive: true, force: true })
    await rm(scratch, { recursive: true, force: true })
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
