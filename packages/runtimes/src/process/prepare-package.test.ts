import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LABELS } from '@toolhaven/core/ports/runtime'
import type { Runtime, Source } from '@toolhaven/core/ports/runtime'
import { startPackageRegistry } from '@toolhaven/testing/testbed/package-registry'
import type { PackageRegistry } from '@toolhaven/testing/testbed/package-registry'
import { isRefusedGit, START_NOTHING } from '../install-rules.ts'
import { findNpm } from '../package-index/npm.ts'
import { createPackageIndex } from '../package-index/package-index.ts'
import { runProgram } from '../package-index/run-program.ts'
import { testIsolation } from '../../test/support/isolation.ts'
import { createProcessRuntime } from './process-runtime.ts'

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
const signal = () => AbortSignal.timeout(60_000)
const TOKEN = 'registry-token-7d1c'

let root: string
let registry: PackageRegistry
let unsupported: string | undefined

async function writePackage(name: string, manifest: object, files: Record<string, string>): Promise<string> {
  const folder = join(root, 'sources', name)
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name, version: '1.0.0', ...manifest }))
  for (const [file, text] of Object.entries(files)) await writeFile(join(folder, file), text)
  return folder
}

function make(env: Record<string, string>, home = 'home', data = 'data'): Runtime {
  return createProcessRuntime({
    dataDir: join(root, data),
    nodePath: process.execPath,
    env: { PATH: process.env['PATH'], npm_config_fetch_retries: '0', DAEMON_SECRET: 'daemon-secret-91aa', ...env },
    homeDir: join(root, home),
    allowUnsandboxed: false,
    isolation: testIsolation(join(root, 'data')),
    logger: silent,
  })
}

const source = (name: string, version = '1.0.0'): Source => ({ kind: 'package', scheme: 'npx', name, version })
const quiet = { pull: 'if-absent', onProgress: () => {} } as const

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'thv-prepare-'))
  const spy = `const fs = require('fs')
    const seen = { env: process.env, files: {} }
    for (const path of ['/run/npm', '/root', '/home/user', '/opt']) try { seen.files[path] = fs.readdirSync(path) } catch (e) { seen.files[path] = e.code }
    fs.writeFileSync('seen.json', JSON.stringify(seen))
    try { fs.writeFileSync('/usr/thv-was-here', 'x') } catch (e) { fs.writeFileSync('outside', e.code) }`
  const folders = [
    await writePackage(
      'thv-scripted',
      { bin: 'run.js', scripts: { postinstall: 'node spy.js' } },
      { 'run.js': '', 'spy.js': spy },
    ),
    await writePackage('thv-binless', {}, { 'index.js': '' }),
    await writePackage(
      'thv-failing',
      { bin: 'run.js', scripts: { postinstall: 'node -e "process.exit(7)"' } },
      { 'run.js': '' },
    ),
  ]
  // Where the daemon writes what it knows about the package once the scripts are done.
  const plant = `require('fs').symlinkSync(${JSON.stringify(join(root, 'victim'))}, '/opt/package/toolhaven-package.json')`
  await writeFile(join(root, 'victim'), 'mine')
  folders.push(
    await writePackage(
      'thv-linking',
      { bin: 'run.js', scripts: { postinstall: 'node plant.js' } },
      { 'run.js': '', 'plant.js': plant },
    ),
    await writePackage(
      'thv-leading-out',
      { bin: 'run.js', scripts: { postinstall: 'rm run.js && ln -s /etc/passwd run.js' } },
      { 'run.js': '' },
    ),
  )
  folders.push(
    await writePackage(
      'thv-from-git',
      { bin: 'run.js', dependencies: { other: 'git+http://127.0.0.1:1/other.git' } },
      { 'run.js': '' },
    ),
  )
  registry = await startPackageRegistry(folders, { token: TOKEN })
  await mkdir(join(root, 'home'))
  const scope = registry.url.replace(/^http:/, '')
  // The usual form: the file names the variable, the variable contains the token.
  await writeFile(join(root, 'home', '.npmrc'), `registry=${registry.url}\n${scope}:_authToken=\${THV_TEST_TOKEN}\n`)
  const health = await make({}).probe(signal())
  if (health.state !== 'healthy') {
    unsupported = health.reason
    process.stderr.write(`skipped: fetching packages: ${health.reason}\n`)
  }
})
afterAll(async () => {
  await registry[Symbol.asyncDispose]()
  await rm(root, { recursive: true, force: true })
})

describe('fetching an npm package', () => {
  test('goes on without install scripts that fail', async (context) => {
    if (unsupported !== undefined) context.skip(unsupported)
    const { id } = await make({ THV_TEST_TOKEN: TOKEN }).prepare(source('thv-failing'), quiet, signal())
    expect(await readdir(join(id, 'node_modules', 'thv-failing'))).toContain('run.js')
  })

  test('uses the registry and the credentials of the user, which install scripts never see', async (context) => {
    if (unsupported !== undefined) return context.skip(unsupported)
    await using runtime = make({ THV_TEST_TOKEN: TOKEN })
    const { id } = await runtime.prepare(source('thv-scripted'), quiet, signal())
    const folder = join(id, 'node_modules', 'thv-scripted')
    const seen = await readFile(join(folder, 'seen.json'), 'utf8')
    expect(seen).not.toContain(TOKEN)
    expect(seen).not.toContain('daemon-secret-91aa')
    // Neither of npm's two configurations, which contain tokens.
    expect(JSON.parse(seen).files['/run/npm']).toEqual(['run-scripts.cjs'])
    expect(JSON.parse(seen).files['/home/user']).not.toContain('.npmrc')
    expect(await readFile(join(folder, 'outside'), 'utf8')).toBe('EROFS')
  })

  test('does not follow links that install scripts leave', async (context) => {
    if (unsupported !== undefined) return context.skip(unsupported)
    await using runtime = make({ THV_TEST_TOKEN: TOKEN })
    const { id } = await runtime.prepare(source('thv-linking'), quiet, signal())
    expect(await readFile(join(root, 'victim'), 'utf8')).toBe('mine')
    expect(JSON.parse(await readFile(join(id, 'toolhaven-package.json'), 'utf8'))).toMatchObject({
      name: 'thv-linking',
    })
    await expect(runtime.prepare(source('thv-leading-out'), quiet, signal())).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('does not contain'),
    })
  })

  test('refuses a dependency from git, which an older npm would prepare with programs of the repository', async (context) => {
    if (unsupported !== undefined) return context.skip(unsupported)
    await using runtime = make({ THV_TEST_TOKEN: TOKEN })
    await expect(runtime.prepare(source('thv-from-git'), quiet, signal())).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringMatching(/thv-from-git@1\.0\.0 has a dependency from git/),
    })
    const guard = join(root, 'start-nothing.cjs')
    await writeFile(guard, START_NOTHING)
    const { cli } = await findNpm({ nodePath: process.execPath, env: process.env, homeDir: root }, signal())
    const args = [`--require=${guard}`, cli, 'install', '--ignore-scripts', 'git+http://127.0.0.1:1/other.git']
    // Without the option that older versions do not know.
    const options = { env: { PATH: process.env['PATH'], HOME: root }, cwd: root }
    const { stderr, exitCode } = await runProgram(process.execPath, args, options, signal())
    expect(exitCode).not.toBe(0)
    expect(isRefusedGit(stderr), stderr).toBe(true)
  })

  test('what a killed daemon left is removed, what another one works on is not', async (context) => {
    if (unsupported !== undefined) return context.skip(unsupported)
    const folder = join(root, 'data-of-killed', 'packages', 'npx')
    const ended = spawnSync(process.execPath, ['-e', '0']).pid
    const left = [`${ended}-0123456789ab.scratch`, `${ended}-0123456789ab.partial`, '0123456789ab.scratch']
    const others = [`${process.ppid}-0123456789ab.scratch`]
    for (const name of [...left, ...others]) await mkdir(join(folder, `left@1.0.0-aaaa.${name}`), { recursive: true })
    await using runtime = make({}, 'home', 'data-of-killed')
    await runtime.list({}, signal())
    expect(await readdir(folder)).toEqual(others.map((name) => `left@1.0.0-aaaa.${name}`))
  })

  test('runs no install script when the user told npm not to', async (context) => {
    if (unsupported !== undefined) return context.skip(unsupported)
    await using runtime = createProcessRuntime({
      dataDir: join(root, 'data-without-scripts'),
      nodePath: process.execPath,
      env: { PATH: process.env['PATH'], THV_TEST_TOKEN: TOKEN, npm_config_ignore_scripts: 'true' },
      homeDir: join(root, 'home'),
      allowUnsandboxed: false,
      isolation: testIsolation(join(root, 'data')),
      logger: silent,
    })
    const { id } = await runtime.prepare(source('thv-scripted'), quiet, signal())
    expect(await readdir(join(id, 'node_modules', 'thv-scripted'))).not.toContain('seen.json')
  })

  test('says what is wrong and leaves nothing half-made', async (context) => {
    if (unsupported !== undefined) return context.skip(unsupported)
    await using runtime = make({ THV_TEST_TOKEN: TOKEN })
    const failure = (from: Runtime, wanted: Source): Promise<unknown> =>
      from.prepare(wanted, quiet, signal()).catch((error: unknown) => error)
    expect(await failure(runtime, source('thv-binless'))).toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('no program'),
    })
    expect(await failure(runtime, source('thv-scripted', '3.0.0'))).toMatchObject({
      code: 'not-found',
      message: expect.stringContaining('thv-scripted@3.0.0'),
    })
    await using stranger = make({ THV_TEST_TOKEN: 'wrong' })
    expect(await failure(stranger, source('thv-binless'))).toMatchObject({
      code: 'invalid',
      message: expect.not.stringContaining('wrong'),
    })
    await using offline = make({ npm_config_registry: 'http://127.0.0.1:1/' }, 'empty-home')
    expect(await failure(offline, source('thv-binless'))).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('could not be reached'),
    })
    const left = await readdir(join(root, 'data', 'packages', 'npx'))
    expect(left.filter((name) => /binless|3\.0\.0|partial|scratch/.test(name))).toEqual([])
  })

  test('keeps nothing of an index that was replaced during the fetch', async (context) => {
    if (unsupported !== undefined) return context.skip(unsupported)
    await using stack = new AsyncDisposableStack()
    const home = join(root, 'moving-home')
    await mkdir(home)
    const configure = (url: string) => writeFile(join(home, '.npmrc'), `registry=${url}\n`)
    const serve = async (place: string, beforeTarball?: () => Promise<void>) => {
      const folder = await writePackage('thv-moved', { bin: 'run.js' }, { 'run.js': `// ${place}` })
      return stack.use(await startPackageRegistry([folder], { ...(beforeTarball && { beforeTarball }) }))
    }
    const second = await serve('second')
    const first = await serve('first', () => configure(second.url))
    await configure(first.url)
    await using runtime = make({}, 'moving-home', 'moving-data')
    const { id } = await runtime.prepare(source('thv-moved'), quiet, signal())
    expect(await readFile(join(id, 'node_modules', 'thv-moved', 'run.js'), 'utf8')).toBe('// second')
    expect(await readdir(join(id, '..'))).toHaveLength(1)
    expect(first.requests).not.toEqual([])
  })

  test('the newest version comes from the same registry', async () => {
    const machine = { nodePath: process.execPath, homeDir: join(root, 'home') }
    const index = createPackageIndex({ ...machine, env: { PATH: process.env['PATH'], THV_TEST_TOKEN: TOKEN } })
    expect(await index.latestVersion('npx', 'thv-scripted', signal())).toBe('1.0.0')
    await expect(index.latestVersion('npx', '--registry=x', signal())).rejects.toMatchObject({ code: 'invalid' })
    const offline = createPackageIndex({
      ...machine,
      homeDir: join(root, 'empty-home'),
      env: {
        PATH: process.env['PATH'],
        npm_config_registry: 'http://127.0.0.1:1/',
        npm_config_fetch_retries: '0',
        PIP_INDEX_URL: 'http://127.0.0.1:1/simple',
      },
    })
    await expect(offline.latestVersion('npx', 'thv-scripted', signal())).rejects.toMatchObject({ code: 'unavailable' })
    await expect(offline.latestVersion('uvx', 'thv-scripted', signal())).rejects.toMatchObject({ code: 'unavailable' })
  })
})

describe('what the process runtime cannot do', () => {
  test('is refused with what to install or change', async (context) => {
    if (unsupported !== undefined) return context.skip(unsupported)
    await using runtime = make({ THV_TEST_TOKEN: TOKEN })
    await expect(
      runtime.prepare({ kind: 'image', reference: 'example.com/a:1' }, quiet, signal()),
    ).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringMatching(/example\.com\/a:1 .*Docker or Podman/),
    })
    const prepared = await runtime.prepare(source('thv-scripted'), quiet, signal())
    const spec = {
      name: 'thv-x',
      labels: { [LABELS.instance]: 'x' },
      prepared,
      source: source('thv-scripted'),
      args: [],
      env: {},
      mounts: [],
      stdio: false,
      limits: {},
    }
    const gone = [{ hostPath: join(root, 'gone'), containerPath: '/gone', readOnly: true }]
    await expect(runtime.create({ ...spec, network: 'none', mounts: gone }, signal())).rejects.toMatchObject({
      code: 'invalid',
    })
  })

  test('a port that somebody else holds is named', async (context) => {
    if (unsupported !== undefined) return context.skip(unsupported)
    await using runtime = make({ THV_TEST_TOKEN: TOKEN })
    const prepared = await runtime.prepare(source('thv-scripted'), quiet, signal())
    const holder = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => holder.once('listening', resolve))
    const address = holder.address()
    if (address === null || typeof address === 'string') throw new Error('a TCP listener has a port')
    const handle = await runtime.create(
      {
        name: 'thv-y',
        labels: {},
        prepared,
        source: source('thv-scripted'),
        args: [],
        env: {},
        mounts: [],
        stdio: false,
        limits: {},
        network: 'host',
        targetPort: address.port,
      },
      signal(),
    )
    await expect(runtime.start(handle, signal())).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining(String(address.port)),
    })
    await new Promise((resolve) => holder.close(resolve))
  })
})
