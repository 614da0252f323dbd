import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { leftOut, RUN_SCRIPTS, withoutLeftOut } from './npm-scripts.ts'

/** Replaces "npm rebuild": fails for a package called driver, and prints much. */
const REBUILD = `const folders = process.argv.slice(1)
console.log('x\\n'.repeat(1000) + 'rebuilds ' + folders.map((folder) => folder.split('/').pop()).join(' '))
process.exitCode = folders.some((folder) => folder.endsWith('/driver')) ? 1 : 0`

test('beside an optional package that fails, required ones that the lock says nothing of are built', async () => {
  await using stack = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'thv-npm-scripts-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  await mkdir(join(folder, 'node_modules'))
  const packages = {
    'node_modules/driver': { optional: true, hasInstallScript: true },
    'node_modules/gyp-only': {},
    'node_modules/server': { hasInstallScript: true },
  }
  await writeFile(join(folder, 'node_modules', '.package-lock.json'), JSON.stringify({ packages }))
  const args = ['-e', RUN_SCRIPTS, '--', 'run-scripts.cjs', folder, process.execPath, '-e', REBUILD, '--']
  const { stdout, status } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  expect(status).toBe(0)
  expect(stdout).toContain('rebuilds gyp-only server')
  const end = stdout.split('\n').slice(-500).join('\n')
  expect(leftOut(end)).toBe('left out driver, which is optional')
  expect(withoutLeftOut(stdout).trim().split('\n').at(-1)).toBe('rebuilds gyp-only server')
})
