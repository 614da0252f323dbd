import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPackageRegistry } from '@toolhaven/testing/testbed/package-registry'
import { packCli } from '../tools/pack-cli.ts'
import { FIXTURE_PACKAGE, writeFixturePackage } from './src/fixture-package.ts'
import { makeHome } from './src/home.ts'
import { startProgram } from './src/installed-program.ts'
import { neededPackages } from './src/needed-packages.ts'

const run = promisify(execFile)

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'thv-pack-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test('the packed command is installed with npm, runs, serves, and starts a workload', async () => {
  const tarball = await packCli(join(folder, 'pack'))
  await writeFixturePackage(join(folder, 'fixture'), FIXTURE_PACKAGE)
  await using registry = await startPackageRegistry([
    join(folder, 'fixture'),
    ...(await neededPackages(join(folder, 'pack', 'package'))),
  ])
  await using home = await makeHome({ env: { THV_RUNTIME: 'process', npm_config_registry: registry.url } })
  const prefix = join(folder, 'prefix')
  const cache = join(folder, 'cache')
  const options = { env: home.env, cwd: home.dir }
  await run(
    'npm',
    ['install', '--global', '--prefix', prefix, '--cache', cache, '--no-audit', '--no-fund', tarball],
    options,
  )

  const installed = join(prefix, 'lib', 'node_modules', 'toolhaven')
  for (const name of ['LICENSE', 'README.md', 'THIRD-PARTY.txt', 'dist/thv.mjs']) {
    expect(existsSync(join(installed, name)), name).toBe(true)
  }
  expect(await readFile(join(installed, 'THIRD-PARTY.txt'), 'utf8')).toMatch(/^commander \d.*\(MIT\)$/m)
  const { stdout: files } = await run('find', [installed, '-name', '*.ts', '-not', '-path', '*/node_modules/@*'])
  expect(files).toBe('')
  const thv = join(prefix, 'bin', 'thv')
  expect((await stat(thv)).mode & 0o111).not.toBe(0)
  expect((await run(thv, ['version'], options)).stdout).toMatch(/0\.1\.0/)
  await using _daemon = await startProgram(home, thv, ['serve', '--port', '0'], 'Press Ctrl-C to stop.')
  const { stdout } = await run(thv, ['run', `npx://${FIXTURE_PACKAGE}@1.0.0`, '--name', 'packed'], options)
  expect(stdout).toMatch(/^packed is running at http:\/\/127\.0\.0\.1:\d+\/mcp\n$/)
})

test('an older Node is told what is needed', async (context) => {
  const old = '/usr/bin/node'
  const version = existsSync(old) ? (await run(old, ['--version'])).stdout.trim() : 'v99'
  if (Number(/^v(\d+)/.exec(version)?.[1]) >= 24) return context.skip('this machine has no older Node')
  const tarball = await packCli(join(folder, 'old'))
  await run('tar', ['-xzf', tarball, '-C', folder])
  const failed = await run(old, [join(folder, 'package', 'dist', 'thv.mjs'), 'list']).catch((error: unknown) => error)
  expect(failed).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Node 24 or newer is needed, and this is Node '),
  })
})
