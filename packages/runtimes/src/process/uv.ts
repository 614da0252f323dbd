import { mkdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { unavailable } from '@toolhaven/core/errors'
import { findProgram } from '../package-index/find-program.ts'
import { proxyVariables } from '../package-index/network-variables.ts'
import { pythonFailure } from '../package-index/pypi.ts'
import type { Python } from '../package-index/python.ts'
import { runFetch } from './fetch-run.ts'
import { createLayout } from './layout.ts'
import type { PackageTools } from './prepare-package.ts'
import { SANDBOX_PACKAGE } from './sandbox-plan.ts'
import { placePython } from './python-places.ts'
import type { IndexAccess } from './python-places.ts'

/**
 * uv: the machine's, else its wheel from the user's package index, kept in the data folder.
 * pip compares the wheel with the checksum the index gives for it before it unpacks anything.
 */
export async function findUv(
  tools: PackageTools,
  python: Python,
  access: IndexAccess,
  progress: (detail: string) => void,
  signal: AbortSignal,
): Promise<string> {
  const machine = await findProgram('uv', tools.env['PATH'])
  if (machine !== undefined) return machine
  const folder = join(tools.dataDir, 'tools', `uv-${process.platform}-${process.arch}`)
  const kept = join(folder, 'bin', 'uv')
  if (await isFile(kept)) return kept
  if (!python.hasPip) {
    throw unavailable(
      'uv is missing and Python has no pip to fetch it with; install one of them (apt install python3-pip, brew install uv).',
    )
  }
  progress('uv')
  const target = join(dirname(folder), `${access.scratchName}.partial`)
  await mkdir(target, { recursive: true, mode: 0o755 })
  try {
    const layout = createLayout(tools.sandbox)
    placePython(layout, python)
    const env = { ...proxyVariables(tools.env), ...access.pipVariables(layout) }
    const args = [
      '-m',
      'pip',
      'install',
      '--no-deps',
      '--only-binary',
      ':all:',
      '--no-cache-dir',
      '--disable-pip-version-check',
      '--retries',
      '1',
    ]
    args.push('--target', layout.place(target, SANDBOX_PACKAGE, 'writable'), 'uv')
    const { exitCode, stderr } = await runFetch(
      { sandbox: tools.sandbox, layout, program: python.program, args, env, scratch: access.scratch },
      signal,
    )
    if (exitCode !== 0) throw pythonFailure('uv', stderr)
    await rename(target, folder).catch(async (error: unknown) => {
      if (!(await isFile(kept))) throw error
    })
  } finally {
    await rm(target, { recursive: true, force: true })
  }
  if (!(await isFile(kept)))
    throw unavailable('The uv wheel of your package index holds no uv program; install uv on this machine.')
  return kept
}

async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFile() === true
}
