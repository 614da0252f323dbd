import { invalid } from '@toolhaven/core/errors'
import { z } from 'zod'
import { findProgram } from './find-program.ts'
import { runProgram } from './run-program.ts'

export interface Python {
  /** The interpreter itself, not a shim or a virtual environment. */
  program: string
  version: string
  /** Folders that it is installed in. */
  prefixes: string[]
  hasPip: boolean
}

/** The machine's Python 3. */
export async function findPython(
  env: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<Python> {
  for (const name of ['python3', 'python']) {
    const program = await findProgram(name, env['PATH'])
    if (program === undefined) continue
    const { stdout, exitCode } = await runProgram(
      program,
      ['-I', '-c', ABOUT],
      { env: aboutEnv(env), cwd: '/' },
      signal,
    )
    if (exitCode !== 0) continue
    const about = aboutSchema.safeParse(JSON.parse(stdout))
    if (about.success && about.data.major === 3) return { ...about.data, prefixes: [...new Set(about.data.prefixes)] }
  }
  throw invalid(
    'Python 3 is missing, so Python packages cannot be run. Install it (apt install python3, dnf install python3, brew install python).',
  )
}

const ABOUT = `
import importlib.util, json, os, platform, sys
base = getattr(sys, '_base_executable', None) or sys.executable
print(json.dumps({
  'program': os.path.realpath(base), 'version': platform.python_version(), 'major': sys.version_info[0],
  'prefixes': [os.path.realpath(sys.base_prefix), os.path.realpath(sys.base_exec_prefix)],
  'hasPip': importlib.util.find_spec('pip') is not None,
}))`

const aboutSchema = z.object({
  program: z.string(),
  version: z.string(),
  major: z.number(),
  prefixes: z.array(z.string()),
  hasPip: z.boolean(),
})

/** Version managers' shims need to know which user they belong to. */
function aboutEnv(env: Readonly<Record<string, string | undefined>>): Record<string, string | undefined> {
  const names = ['PATH', 'HOME', 'PYENV_ROOT', 'PYENV_VERSION', 'ASDF_DIR', 'ASDF_DATA_DIR', 'MISE_DATA_DIR']
  return Object.fromEntries(names.map((name) => [name, env[name]]))
}
