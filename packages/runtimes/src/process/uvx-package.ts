import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { invalid } from '@toolhaven/core/errors'
import type { PrepareOptions } from '@toolhaven/core/ports/runtime'
import { findPython } from '../package-index/python.ts'
import type { Python } from '../package-index/python.ts'
import { pythonFailure } from '../package-index/pypi.ts'
import { runFetch } from './fetch-run.ts'
import { createLayout, isSystemPath } from './layout.ts'
import { fillFolder, isFetched, packageFolder } from './package-cache.ts'
import type { PackageName, PackageTools } from './prepare-package.ts'
import { indexAccess, placePython } from './python-places.ts'
import type { IndexAccess } from './python-places.ts'
import { SANDBOX_PACKAGE, SANDBOX_UV } from './sandbox-plan.ts'
import { findUv } from './uv.ts'

/** Installs one exact version into a virtual environment on the machine's Python. */
export async function prepareUvx(
  tools: PackageTools,
  { name, version }: PackageName,
  options: PrepareOptions,
  signal: AbortSignal,
): Promise<string> {
  const python = await findPython(tools.env, signal)
  const environment = [process.platform, process.arch, python.program, python.version]
  const folder = packageFolder(tools.dataDir, { scheme: 'uvx', name, version, environment })
  if (await isFetched(folder)) return folder
  const progress = (detail: string) => options.onProgress({ phase: 'fetching', detail })
  await fillFolder(folder, async ({ target, scratch }) => {
    const access = await indexAccess(tools, scratch, options.caCertificate)
    const uv = await findUv(tools, python, access, progress, signal)
    progress(`Python package ${name}==${version}`)
    await install({ tools, python, uv, access, target }, `${name}==${version}`, signal)
    const entry = join('venv', 'bin', await consoleScript(target, name))
    const needs = python.prefixes.filter((prefix) => !isSystemPath(prefix))
    return {
      format: 1,
      scheme: 'uvx',
      name,
      version,
      entry,
      needs,
      interpreter: { kind: 'folder', program: join('venv', 'bin', 'python') },
    }
  })
  return folder
}

interface Install {
  tools: PackageTools
  python: Python
  uv: string
  access: IndexAccess
  target: string
}

async function install(
  { tools, python, uv, access, target }: Install,
  requirement: string,
  signal: AbortSignal,
): Promise<void> {
  const { sandbox } = tools
  const scratch = access.scratch
  const uvRun = async (makeArgs: (venv: string) => string[]) => {
    const layout = createLayout(sandbox)
    placePython(layout, python)
    const program = layout.place(uv, SANDBOX_UV)
    const venv = join(layout.place(target, SANDBOX_PACKAGE, 'writable'), 'venv')
    const cache = sandbox.isolatesFiles ? '/tmp/uv-cache' : join(scratch, 'uv-cache')
    const env = {
      ...access.uvVariables(layout),
      UV_PYTHON_DOWNLOADS: 'never',
      UV_CACHE_DIR: cache,
      UV_LINK_MODE: 'copy',
      UV_NO_PROGRESS: '1',
    }
    const { exitCode, stderr } = await runFetch(
      { sandbox, layout, program, args: makeArgs(venv), env, scratch },
      signal,
    )
    if (exitCode !== 0) throw pythonFailure(requirement, stderr)
  }
  // Relocatable: it is made aside and moved, and lies elsewhere inside the sandbox.
  await uvRun((venv) => ['venv', '--no-project', '--relocatable', '--python', python.program, venv])
  // Building runs code of the package; with credentials in the index address that code could read them.
  const build = access.hasCredentials ? ['--no-build'] : []
  await uvRun((venv) => [
    'pip',
    'install',
    '--compile-bytecode',
    ...build,
    '--python',
    join(venv, 'bin', 'python'),
    '--',
    requirement,
  ])
}

/** The script `uvx NAME` would run: the one named like the package, else the only one. */
async function consoleScript(target: string, name: string): Promise<string> {
  const library = join(target, 'venv', 'lib')
  const [version = ''] = await readdir(library)
  const site = join(library, version, 'site-packages')
  const info = (await readdir(site)).find(
    (entry) => entry.endsWith('.dist-info') && normalise(entry.split('-')[0] ?? '') === normalise(name),
  )
  const text = info === undefined ? '' : await readFile(join(site, info, 'entry_points.txt'), 'utf8').catch(() => '')
  return chooseScript(name, parseConsoleScripts(text))
}

export function parseConsoleScripts(text: string): string[] {
  const section = /^\[console_scripts\]\s*$([\s\S]*?)(?=^\[|$(?![\s\S]))/m.exec(text)?.[1] ?? ''
  return section.split('\n').flatMap((line) => /^\s*([A-Za-z0-9._-]+)\s*=/.exec(line)?.[1] ?? [])
}

export function chooseScript(name: string, scripts: readonly string[]): string {
  const same = scripts.find((script) => normalise(script) === normalise(name))
  const chosen = same ?? (scripts.length === 1 ? scripts[0] : undefined)
  if (chosen !== undefined) return chosen
  if (scripts.length === 0)
    throw invalid(`The Python package ${name} has no program to run, so it cannot be a server; check its name.`)
  throw invalid(
    `The Python package ${name} has several programs (${scripts.join(', ')}) and none is named like it, so it cannot be started by its name alone.`,
  )
}

/** PEP 503. */
function normalise(name: string): string {
  return name.toLowerCase().replaceAll(/[-_.]+/g, '-')
}
