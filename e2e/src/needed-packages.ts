import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import * as z from 'zod'

const require = createRequire(new URL('../../packages/stores/package.json', import.meta.url))
const manifest = z.looseObject({
  dependencies: z.record(z.string(), z.string()).default({}),
  optionalDependencies: z.record(z.string(), z.string()).default({}),
})

/** Folders of the dependencies of the package in the given folder, as installed here. */
export async function neededPackages(folder: string): Promise<string[]> {
  const found = new Set<string>()
  const collect = async (name: string): Promise<void> => {
    const place = require.resolve
      .paths(name)
      ?.map((base) => join(base, name))
      .find((dir) => existsSync(join(dir, 'package.json')))
    if (place === undefined || found.has(place)) return
    found.add(place)
    const { dependencies, optionalDependencies } = await readManifest(place)
    for (const next of Object.keys({ ...dependencies, ...optionalDependencies })) await collect(next)
  }
  const { dependencies } = await readManifest(folder)
  for (const name of Object.keys(dependencies)) await collect(name)
  return [...found]
}

async function readManifest(folder: string) {
  return manifest.parse(JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')))
}
