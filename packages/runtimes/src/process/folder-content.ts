import { dirname, join } from 'node:path'
import type { FolderSource } from '@toolhaven/core/ports/runtime'
import { FOLDER_PLACE } from '@toolhaven/core/workloads/mounts'
import { readProject } from '../folder/read-project.ts'
import { readPackageManifest } from './package-manifest.ts'
import { SANDBOX_PACKAGE } from './sandbox-plan.ts'
import { placeNeeds, PYTHON_ENV, type ServerContent } from './server-content.ts'

/** Used instead of a folder of the cache. */
export const NOTHING_INSTALLED = 'nothing'

/** Node looks for packages in the folders above, so the project's own folder stays unchanged. */
const MODULES = join(dirname(FOLDER_PLACE), 'node_modules')
const VENV_PROGRAMS = join(SANDBOX_PACKAGE, 'venv', 'bin')
/** A package may be in the project or in its "src", where an installation of it would find it. */
const PYTHON_PATH = { PYTHONPATH: `${FOLDER_PLACE}:${FOLDER_PLACE}/src` } as const

/** A server in a folder of the user, which is mounted, with what was installed for it. */
export async function folderContent(source: FolderSource, installed: string): Promise<ServerContent> {
  const { start } = await readProject(source)
  const manifest = installed === NOTHING_INSTALLED ? undefined : await readPackageManifest(installed)
  return {
    place: (layout) => {
      if (manifest?.scheme === 'npx') layout.place(join(installed, 'node_modules'), MODULES)
      if (manifest?.scheme === 'uvx') layout.place(installed, SANDBOX_PACKAGE)
      if (manifest) placeNeeds(layout, manifest)
      const [program, ...args] = start
      return {
        // Those of the environment come first, so that they see its packages.
        command:
          program === 'python' ? ['/usr/bin/env', manifest?.scheme === 'uvx' ? 'python' : 'python3', ...args] : start,
        env: { ...PYTHON_ENV, ...PYTHON_PATH },
        workDir: FOLDER_PLACE,
        programs: [`${FOLDER_PLACE}/node_modules/.bin`, `${MODULES}/.bin`, VENV_PROGRAMS],
      }
    },
  }
}
