import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { invalid, type ThvError } from '@toolhaven/core/errors'
import type { PrepareOptions } from '@toolhaven/core/ports/runtime'
import { refusedHosts } from '../install-rules.ts'
import { proxyVariables } from '../package-index/network-variables.ts'
import { findPython } from '../package-index/python.ts'
import type { Python } from '../package-index/python.ts'
import { pythonFailure } from '../package-index/pypi.ts'
import { createLayout, isSystemPath } from './layout.ts'
import { fillFolder, installKey, isFetched, packageFolder, readInside } from './package-cache.ts'
import type { PackageName, PackageTools } from './package-tools.ts'
import { indexAccess, placePython } from './python-places.ts'
import type { IndexAccess } from './python-places.ts'
import { makeFresh, runStep } from './run-step.ts'
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
  const environment = pythonKey(tools, python, options)
  const folder = packageFolder(tools.dataDir, { scheme: 'uvx', name, version, environment })
  if (await isFetched(folder)) return folder
  await fillFolder(folder, async ({ target, scratch }) => {
    const what = `${name}==${version}`
    await installPython(
      { tools, python, what, words: ['--', what], failure: pythonFailure, target, scratch },
      options,
      signal,
    )
    await tools.index.confirm()
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

/** What the result of an install depends on besides the request. */
export function pythonKey(tools: PackageTools, python: Python, { install }: PrepareOptions): string[] {
  const platform = [process.platform, process.arch, python.program, python.version]
  return [...platform, ...installKey(install), ...tools.index.key]
}

export interface PythonRequest {
  tools: PackageTools
  python: Python
  /** What is installed, for people. */
  what: string
  /** Arguments of uv. */
  words: readonly string[]
  /** The folder `venv` is created in it. */
  target: string
  scratch: string
  /** Turns uv's output into an error for people. */
  failure: (what: string, output: string) => ThvError
  /** Arguments of uv for a step before the install. */
  before?: readonly string[]
  /** Checks the result of that step. */
  check?: () => Promise<void>
}

interface Install extends PythonRequest {
  uv: string
  options: PrepareOptions
  progress: (detail: string) => void
}

/** Makes a virtual environment in the folder. */
export async function installPython(
  request: PythonRequest,
  options: PrepareOptions,
  signal: AbortSignal,
): Promise<void> {
  const { tools, python, what, scratch } = request
  const progress = (detail: string) => options.onProgress({ phase: 'fetching', detail })
  const access = await indexAccess(tools, scratch, options.caCertificate, signal)
  const uv = await findUv(tools, python, access, { install: options.install, progress }, signal)
  progress(`Python package ${what}`)
  await install({ ...request, uv, options, progress }, access, signal)
}

/** Only wheels at first: unpacking them runs none of their code. What has to be built is built in a second step. */
async function install(install: Install, access: IndexAccess, signal: AbortSignal): Promise<void> {
  const { tools, python, what: requirement, words, before, check, failure, target, options, progress } = install
  const { scratch } = access
  const shared = { tools, what: requirement, access: options.install }
  const fetch = async (makeArgs: MakeArgs) => {
    const { env, ...command } = uvCommand(install, access, makeArgs)
    const variables = { ...proxyVariables(tools.env), ...env }
    const places = [...access.places, ...access.proxyPlaces]
    return runStep({ step: 'fetch', ...shared, ...command, places, env: variables, scratch }, signal)
  }
  // Relocatable: it is made elsewhere, moved, and has another path inside the sandbox.
  const made = await fetch((venv) => ['venv', '--no-project', '--relocatable', '--python', python.program, venv])
  if (made.exitCode !== 0) throw failure(requirement, made.stderr)
  const first = before && (await fetch(() => [...before]))
  if (first && first.exitCode !== 0) throw failure(requirement, first.stderr)
  await check?.()
  const fetched = await fetch((venv) => pipInstall(venv, words, ['--no-build']))
  const fresh = await indexAccess(tools, await makeFresh(scratch), options.caCertificate, signal)
  const second = { step: 'install', ...shared, scratch: fresh.scratch } as const
  if (fetched.exitCode !== 0) {
    if (fetched.refused.length > 0) throw refusedHosts('fetch', requirement, fetched.refused)
    if (!needsBuild(fetched.stderr)) throw failure(requirement, fetched.stderr)
    // A build runs code of the package, which could read credentials in the index address.
    if (access.hasCredentials) throw buildRefused(requirement)
    progress(`building ${requirement}`)
    const command = uvCommand(install, fresh, (venv) => pipInstall(venv, words, []))
    const built = await runStep({ ...second, ...command, places: access.places }, signal)
    if (built.exitCode !== 0 && built.refused.length > 0) throw refusedHosts('install', requirement, built.refused)
    if (built.exitCode !== 0) throw failure(requirement, built.stderr)
  }
  // With the machine's Python, not that of the environment, which would run code of packages at each start.
  const layout = createLayout(tools.sandbox)
  placePython(layout, python)
  const library = join(layout.place(target, SANDBOX_PACKAGE, 'writable'), 'venv', 'lib')
  const args = ['-I', '-m', 'compileall', '-q', library]
  const compile = { layout, program: python.program, args, env: {} }
  await runStep({ ...second, ...compile, access: undefined, places: [] }, signal)
}

type MakeArgs = (venv: string) => string[]

function uvCommand({ tools, python, uv, target }: Install, access: IndexAccess, makeArgs: MakeArgs) {
  const { sandbox } = tools
  const layout = createLayout(sandbox)
  placePython(layout, python)
  const program = layout.place(uv, SANDBOX_UV)
  const venv = join(layout.place(target, SANDBOX_PACKAGE, 'writable'), 'venv')
  const cache = sandbox.isolatesFiles ? '/tmp/uv-cache' : join(access.scratch, 'uv-cache')
  const settings = { UV_PYTHON_DOWNLOADS: 'never', UV_CACHE_DIR: cache, UV_LINK_MODE: 'copy', UV_NO_PROGRESS: '1' }
  return { layout, program, args: makeArgs(venv), env: { ...access.uvVariables(layout), ...settings } }
}

function pipInstall(venv: string, words: readonly string[], options: readonly string[]): string[] {
  return ['pip', 'install', ...options, '--python', join(venv, 'bin', 'python'), ...words]
}

/** Whether uv says that something is available only in source form. */
function needsBuild(output: string): boolean {
  return /no usable wheels|has no wheels|building (?:from )?source|build(?:s|ing)?[^.\n]* (?:is|are) disabled/i.test(
    output,
  )
}

function buildRefused(requirement: string) {
  return invalid(
    `The Python package ${requirement} has to be built from source, which is refused because your package index needs credentials. Use a version with wheels, or add a wheel of it to your index.`,
  )
}

/** The script that `uvx NAME` would run: the one named like the package, otherwise the only one. */
async function consoleScript(target: string, name: string): Promise<string> {
  const [version = ''] = await readdir(join(target, 'venv', 'lib'))
  const place = join('venv', 'lib', version, 'site-packages')
  const info = (await readdir(join(target, place))).find(
    (entry) => entry.endsWith('.dist-info') && normalise(entry.split('-')[0] ?? '') === normalise(name),
  )
  const text = info === undefined ? undefined : await readInside(target, join(place, info, 'entry_points.txt'))
  return chooseScript(name, parseConsoleScripts(text ?? ''))
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
    throw invalid(`The Python package ${name} has no program to run, so it cannot be a server. Check its name.`)
  throw invalid(
    `The Python package ${name} has several programs (${scripts.join(', ')}) and none is named like it, so it cannot be started by its name alone.`,
  )
}

/** PEP 503. */
function normalise(name: string): string {
  return name.toLowerCase().replaceAll(/[-_.]+/g, '-')
}
