import { globSync, statSync } from 'node:fs'
import { readFile, readdir, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { build } from 'vite'

const root = path.resolve(import.meta.dirname, '../apps/console')
export const consoleFolder = path.join(root, 'dist')

/** Builds the console into apps/console/dist, or another folder. */
export async function buildConsole(folder: string = consoleFolder): Promise<void> {
  const began = new Date()
  await build({ configFile: path.join(root, 'vite.config.ts'), logLevel: 'warn', build: { outDir: folder } })
  await compress(folder)
  // What changed while it was built may not be in it.
  await utimes(path.join(folder, 'index.html'), began, began)
}

/** The sources of the console. */
const SOURCES = [
  'apps/console/{src,public}/**',
  'apps/console/*.*',
  'packages/{contract,theme}/src/**',
  'package-lock.json',
]

/** Whether the last build is newer than everything that goes into it. */
export function isConsoleFresh(): boolean {
  const repository = path.resolve(root, '../..')
  const timeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
  const builtAt = timeOf(path.join(consoleFolder, 'index.html'))
  return globSync(SOURCES, { cwd: repository }).every((file) => timeOf(path.join(repository, file)) < builtAt)
}

/** The page itself is small and may get a nonce of its own; images are compressed as they are. */
const COMPRESSIBLE = /\.(?:css|js|json|svg|webmanifest)$/

async function compress(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile() && COMPRESSIBLE.test(entry.name))
  await Promise.all(
    files.map(async ({ parentPath, name }) => {
      const file = path.join(parentPath, name)
      const body = await readFile(file)
      const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY }
      await writeFile(`${file}.br`, await promisify(brotliCompress)(body, { params }))
      await writeFile(`${file}.gz`, await promisify(gzip)(body, { level: 9 }))
    }),
  )
}
