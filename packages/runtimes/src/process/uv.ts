import { mkdir, rename, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { invalid } from '@toolhaven/core/errors'
import type { InstallAccess } from '@toolhaven/core/ports/runtime'
import { refusedHosts } from '../install-rules.ts'
import { findProgram } from '../package-index/find-program.ts'
import { proxyVariables } from '../package-index/network-variables.ts'
import { pythonFailure } from '../package-index/pypi.ts'
import type { Python } from '../package-index/python.ts'
import { createLayout } from './layout.ts'
import type { PackageTools } from './package-tools.ts'
import { removeTree } from './remove-tree.ts'
import { SANDBOX_PACKAGE } from './sandbox-plan.ts'
import { placePython } from './python-places.ts'
import type { IndexAccess } from './python-places.ts'
import { runStep } from './run-step.ts'

/**
 * uv: the machine's, otherwise its wheel from the user's package index, kept in the data folder. pip compares the wheel
 * with the checksum in the index before it unpacks anything.
 */
export async function findUv(
  tools: PackageTools,
  python: Python,
  access: IndexAccess,
  { install, progress }: { install: InstallAccess | undefined; progress: (detail: string) => void },
  signal: AbortSignal,
): Promise<string> {
  const machine = await findProgram('uv', tools.env['PATH'])
  if (machine !== undefined) return machine
  const index = tools.index.key.map((key) => `-${key.replaceAll(' ', '-')}`)
  const folder = join(tools.dataDir, 'tools', `uv-${process.platform}-${process.arch}${index.join('')}`)
  const kept = join(folder, 'bin', 'uv')
  if (await isFile(kept)) return kept
  if (!python.hasPip) {
    throw invalid(
      'uv is missing and Python has no pip to fetch it with. Install one of them (apt install python3-pip, brew install uv).',
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
    const places = [...access.places, ...access.proxyPlaces]
    const run = { tools, what: 'uv', access: install, places, layout, args, env, scratch: access.scratch }
    const { exitCode, stderr, refused } = await runStep({ step: 'fetch', program: python.program, ...run }, signal)
    if (exitCode !== 0 && refused.length > 0) throw refusedHosts('fetch', 'uv', refused)
    if (exitCode !== 0) throw pythonFailure('uv', stderr)
    await tools.index.confirm()
    await rename(target, folder).catch(async (error: unknown) => {
      if (!(await isFile(kept))) throw error
    })
  } finally {
    await removeTree(target)
  }
  if (!(await isFile(kept)))
    throw invalid('The uv wheel of your package index contains no uv program. Install uv on this machine.')
  return kept
}

async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFile() === true
}
