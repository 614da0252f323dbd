import { invalid, notFound, unavailable } from '@toolhaven/core/errors'
import { isNetworkVariable } from './network-variables.ts'
import { findPython } from './python.ts'
import { findProgram } from './find-program.ts'
import { runProgram } from './run-program.ts'
import { pipVariables, readPipSettings } from './pip-settings.ts'
import type { PipSettings } from './pip-settings.ts'
import { pythonSettings } from './python-settings.ts'
import type { PythonSettings } from './python-settings.ts'
import { refuseUvFiles } from './uv-files.ts'
import { uvIndexVariables } from './uv-variables.ts'

export interface PypiOptions {
  env: Readonly<Record<string, string | undefined>>
  homeDir: string
}

/** The newest version that is not a pre-release and runs on this machine's Python: from pip, otherwise from uv. */
export async function latestPythonVersion(
  { env, homeDir }: PypiOptions,
  name: string,
  signal: AbortSignal,
): Promise<string> {
  const python = await findPython(env, signal)
  const ownEnv = Object.fromEntries(
    Object.entries(env).filter(([key]) => isNetworkVariable(key) || key.startsWith('XDG_')),
  )
  await refuseUvFiles({ env, homeDir })
  const pip = await readPipSettings({ env, homeDir })
  if (python.hasPip) {
    for (const settings of inOrder(pythonSettings(env, pip))) {
      const variables = { ...ownEnv, ...pipVariables(settings), HOME: homeDir }
      const version = await askPip(python.program, name, variables, signal)
      if (version !== undefined) return version
    }
    throw missing(name)
  }
  const uv = await findProgram('uv', env['PATH'])
  if (uv === undefined)
    throw invalid(
      `Neither pip nor uv is here to look up ${name}. Install one (apt install python3-pip, brew install uv).`,
    )
  const settings = uvIndexVariables(env, pip)
  // Nothing is built, so no code of the package runs. The list of what would be installed names the version.
  const args = [
    'pip',
    'install',
    '--dry-run',
    '--no-deps',
    '--only-binary',
    ':all:',
    '--no-cache',
    '--no-python-downloads',
  ]
  args.push(
    '--python',
    python.program,
    '--system',
    '--break-system-packages',
    '--reinstall',
    '--target',
    '/nonexistent',
    '--',
    name,
  )
  const { stderr, exitCode } = await runProgram(
    uv,
    args,
    { env: { ...ownEnv, ...settings, HOME: homeDir }, cwd: '/' },
    signal,
  )
  const version = /^ \+ \S+==(\S+)$/m.exec(stderr)?.[1]
  if (exitCode === 0 && version !== undefined) return version
  throw pythonFailure(name, stderr)
}

/** One index after another, where a package comes from the first index that has it. */
function inOrder({ pip, first }: PythonSettings): PipSettings[] {
  if (first.length === 0) return [pip]
  const { 'extra-index-url': _, ...alone } = pip
  return [...first.map((index) => ({ ...alone, 'index-url': index })), alone]
}

/** Undefined where no index has the package. */
async function askPip(
  program: string,
  name: string,
  env: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<string | undefined> {
  const args = ['-I', '-m', 'pip', 'index', 'versions', '--disable-pip-version-check', '--retries', '1', '--', name]
  // -I makes Python ignore its own variables. Those of pip still apply.
  const { stdout, stderr, exitCode } = await runProgram(program, args, { env, cwd: '/' }, signal)
  const version = /^\S+ \(([^)]+)\)/m.exec(stdout)?.[1]
  if (exitCode === 0 && version !== undefined) return version
  const failure = pythonFailure(name, stderr)
  if (failure.code === 'not-found') return undefined
  throw failure
}

const missing = (what: string) => notFound(`The Python package ${what} was not found. Check its name and version.`)

/** Turns the output of pip or uv into one error message. */
export function pythonFailure(what: string, output: string) {
  // Checked first: pip ends with "no matching distribution" in both cases.
  if (
    /Retrying \(|NewConnectionError|Could not fetch URL|Failed to fetch|error sending request|SSLError|certificate/i.test(
      output,
    )
  ) {
    return unavailable(
      `The Python package index could not be reached for ${what}. Check the network, proxy and index settings of pip.`,
    )
  }
  if (
    /No matching distribution|was not found in the package registry|no version of|no versions of|not found in the provided/i.test(
      output,
    )
  ) {
    return missing(what)
  }
  const last = output.trim().split('\n').at(-1)?.slice(0, 300) ?? ''
  return unavailable(`The Python package ${what} could not be fetched (${last}). Run pip index versions to see why.`)
}
