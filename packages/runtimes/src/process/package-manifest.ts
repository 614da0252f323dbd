import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { notFound } from '@toolhaven/core/errors'
import { z } from 'zod'

/** Describes a fetched package. It is written into the package's folder last, so a folder that has it is complete. */
const packageManifestSchema = z.object({
  format: z.literal(1),
  scheme: z.enum(['npx', 'uvx', 'go']),
  name: z.string(),
  version: z.string(),
  /** `node`: the daemon's own Node. `folder`: a program of this folder. `none`: the entry is the program. */
  interpreter: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('node'), args: z.array(z.string()) }),
    z.object({ kind: z.literal('folder'), program: z.string() }),
    z.object({ kind: z.literal('none') }),
  ]),
  /** Relative to the folder. */
  entry: z.string(),
  /** Other folders of the machine that it needs, such as the Python it was installed with. */
  needs: z.array(z.string()),
})

export type PackageManifest = z.infer<typeof packageManifestSchema>

export const MANIFEST_FILE = 'toolhaven-package.json'

export async function readPackageManifest(folder: string): Promise<PackageManifest> {
  const text = await readFile(join(folder, MANIFEST_FILE), 'utf8').catch((error: unknown) => {
    throw notFound(`The package folder ${folder} is gone. Start the workload again to fetch it.`, error)
  })
  return packageManifestSchema.parse(JSON.parse(text))
}
