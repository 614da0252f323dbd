import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const FOLDER = path.resolve(import.meta.dirname, '../../python')
const CACHE = path.resolve(import.meta.dirname, '../../../node_modules/.cache/toolhaven')
export const PYTHON_CLIENT = path.join(FOLDER, 'client.py')

/** Releases of the Python SDK, one of each generation. Their dependencies are pinned next to the client. */
export type PythonSdk = '1.30.0' | '2.3.0'

/**
 * A Python that has this release of the SDK, from the package index that pip uses. Created once. A machine that cannot
 * reach the index gets an error, because a client that was left out would look like one that passed.
 */
export async function pythonWith(sdk: PythonSdk): Promise<string> {
  const requirements = path.join(FOLDER, `mcp-${sdk}.txt`)
  const mark = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 12)
  const link = path.join(CACHE, `python-mcp-${sdk}-${mark}`)
  if (!existsSync(link)) await makeEnvironment(sdk, requirements, link)
  return path.join(realpathSync(link), 'bin', 'python')
}

/** Test files run in parallel: each makes its own folder, and the link leads to the first finished one. */
async function makeEnvironment(sdk: PythonSdk, requirements: string, link: string): Promise<void> {
  mkdirSync(CACHE, { recursive: true })
  const folder = mkdtempSync(`${link}-`)
  const python = path.join(folder, 'bin', 'python')
  const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--requirement', requirements]
  try {
    await step('a Python environment could not be made', systemPython(), ['-m', 'venv', folder])
    await step(
      `the Python SDK ${sdk} could not be installed with pip; is its package index reachable?`,
      python,
      install,
    )
    symlinkSync(path.basename(folder), link)
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    if (!existsSync(link)) throw error
  }
}

/** The Python from the system packages of the tests, which can create environments. */
function systemPython(): string {
  return existsSync('/usr/bin/python3') ? '/usr/bin/python3' : 'python3'
}

async function step(failure: string, program: string, args: readonly string[]): Promise<void> {
  await run(program, args, { timeout: 600_000 }).catch((error: unknown) => {
    const said = error instanceof Error && 'stderr' in error ? String(error.stderr) : ''
    throw new Error(`Clients cannot be tried: ${failure}\n${said.slice(-2000)}`, { cause: error })
  })
}
