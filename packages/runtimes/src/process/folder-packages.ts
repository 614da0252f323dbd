import { createHash } from 'node:crypto'
import { lstat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ThvError, invalid } from '@toolhaven/core/errors'
import type { PrepareOptions } from '@toolhaven/core/ports/runtime'
import { checkRequirements } from '../folder/check-requirements.ts'
import type { ProjectPackages } from '../folder/start-command.ts'
import { findNpm, npmFailure } from '../package-index/npm.ts'
import { pythonFailure } from '../package-index/pypi.ts'
import { findPython } from '../package-index/python.ts'
import { isSystemPath } from './layout.ts'
import { installNpm, npmKey } from './npx-package.ts'
import { fillFolder, isFetched, packageFolder, readInside } from './package-cache.ts'
import type { PackageManifest } from './package-manifest.ts'
import type { PackageTools } from './package-tools.ts'
import { SANDBOX_PACKAGE } from './sandbox-plan.ts'
import { installPython, pythonKey } from './uvx-package.ts'

/** Maximum size of a lock file. */
const MOST_LIST_BYTES = 32 * 2 ** 20

/** Such a folder has no program of its own to start. */
const NO_ENTRY = { name: 'project', interpreter: { kind: 'none' }, entry: '' } as const

/**
 * Installs what the project of a folder needs into the cache and returns the folder there. Projects with the same needs
 * share it.
 */
export async function installForFolder(
  tools: PackageTools,
  { kind, files }: ProjectPackages,
  what: string,
  options: PrepareOptions,
  signal: AbortSignal,
): Promise<string> {
  const version = contentKey(files)
  const manifest = { format: 1, version, ...NO_ENTRY } as const
  const fill = async (
    scheme: PackageManifest['scheme'],
    environment: string[],
    install: (folders: { target: string; scratch: string }) => Promise<string[]>,
  ) => {
    const folder = packageFolder(tools.dataDir, { scheme, name: 'project', version, environment })
    if (await isFetched(folder)) return folder
    options.onProgress({ phase: 'fetching', detail: `what ${what} needs` })
    await fillFolder(folder, async (folders) => {
      const needs = await install(folders)
      await tools.index.confirm()
      return { ...manifest, scheme, needs }
    })
    return folder
  }
  if (kind === 'npm') {
    return fill('npx', await npmKey(tools, options, signal), async (folders) => {
      const npm = await findNpm(tools, signal)
      // Includes what is needed for development: "start" often runs a compiler.
      const words = ['package-lock.json' in files ? 'ci' : 'install']
      await installNpm({ tools, npm, what, files, words, failure: npmProblem, ...folders }, options, signal)
      await checkModules(folders.target, what)
      return []
    })
  }
  const python = await findPython(tools.env, signal)
  return fill('uvx', pythonKey(tools, python, options), async (folders) => {
    for (const [name, text] of Object.entries(files)) await writeFile(join(folders.target, name), text)
    const words = pythonWords(tools, files, folders.target)
    await installPython({ tools, python, what, ...words, failure: pythonProblem, ...folders }, options, signal)
    return python.prefixes.filter((prefix) => !isSystemPath(prefix))
  })
}

/**
 * It is mounted by its name, so a link that a script put in its place would give the server any folder of the machine.
 */
async function checkModules(target: string, what: string): Promise<void> {
  const found = await lstat(join(target, 'node_modules')).catch(() => undefined)
  if (!found?.isDirectory())
    throw invalid(`An install script of what ${what} needs replaced node_modules. Leave that package out.`)
}

/** What is in uv's lock file is installed by its hashes. */
function pythonWords({ sandbox }: PackageTools, files: ProjectPackages['files'], target: string) {
  const place = sandbox.isolatesFiles ? SANDBOX_PACKAGE : target
  const list = join(place, 'requirements.txt')
  const words = ['--requirement', list]
  if (!('uv.lock' in files)) return { words }
  const exported = ['export', '--frozen', '--no-dev', '--no-emit-project', '--project', place, '--output-file', list]
  const check = async () =>
    checkRequirements('uv.lock', (await readInside(target, 'requirements.txt', MOST_LIST_BYTES)) ?? '')
  return { words, before: exported, check }
}

/** npm's code says what went wrong, its lines which package. */
function npmProblem(what: string, output: string): ThvError {
  const said = [...output.matchAll(/npm (?:error|ERR!) (?!code |A complete log)(.*\S)/g)].map(([, line]) => line)
  return problem('npm', what, npmFailure(what, output), said)
}

function pythonProblem(what: string, output: string): ThvError {
  return problem('uv', what, pythonFailure(what, output), output.split('\n'))
}

function problem(program: string, what: string, { code }: ThvError, said: readonly (string | undefined)[]): ThvError {
  const reason = said
    .flatMap((line) => line?.trim() || [])
    .slice(0, 4)
    .join(' ')
    .slice(0, 400)
  return new ThvError(code, `${program} could not install what ${what} needs: ${reason}`)
}

/** Changes when a file does. */
export function contentKey(files: ProjectPackages['files']): string {
  const sorted = Object.entries(files).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex').slice(0, 32)
}
