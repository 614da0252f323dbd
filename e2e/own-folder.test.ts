import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { startPackageRegistry } from '@toolhaven/testing/testbed/package-registry'
import { until } from '@toolhaven/testing/testbed/until'
import { type DaemonProcess, startDaemon } from './src/daemon-process.ts'
import { type Home, makeHome } from './src/home.ts'
import { callText, connectMcp } from './src/mcp-client.ts'
import { OWN_SERVER, PYTHON_SERVER } from './src/own-server.ts'
import { listNames, untilGone, untilRecovered, untilStatus } from './src/statuses.ts'
import { thv as runThv } from './src/thv.ts'

const cleanUp = new AsyncDisposableStack()
let home: Home
let daemon: DaemonProcess
let escaped: string
let secrets: string
let registry: Awaited<ReturnType<typeof startPackageRegistry>>
const at = (...names: string[]) => join(home.dir, ...names)
const thv = (...args: string[]) => runThv(home, args)

beforeAll(async () => {
  const packages = cleanUp.use(await makeHome())
  escaped = join(packages.dir, 'escaped')
  for (const [version, greeting] of Object.entries({ one: 'hello', two: 'welcome' })) {
    const name = version === 'one' ? 'greeting' : 'greeting-two'
    const folder = join(packages.dir, name)
    await mkdir(folder)
    const scripts = { postinstall: `echo ran > ran; echo ran > ${escaped}; echo ran > /srv/project/ran; true` }
    const manifest = { name, version: '1.0.0', type: 'module', main: 'index.js', scripts }
    await writeFile(join(folder, 'package.json'), JSON.stringify(manifest))
    await writeFile(join(folder, 'index.js'), `export const greeting = '${greeting}'\n`)
  }
  secrets = join(packages.dir, 'secrets')
  await mkdir(secrets)
  await writeFile(join(secrets, 'id_rsa'), 'the key')
  const postinstall = `cd ../.. && mv node_modules aside && ln -s ${secrets} node_modules`
  await mkdir(join(packages.dir, 'swapper'))
  const swapper = { name: 'swapper', version: '1.0.0', scripts: { postinstall } }
  await writeFile(join(packages.dir, 'swapper', 'package.json'), JSON.stringify(swapper))
  const folders = ['greeting', 'greeting-two', 'swapper'].map((name) => join(packages.dir, name))
  registry = cleanUp.use(await startPackageRegistry(folders))
  home = cleanUp.use(await makeHome({ env: { THV_RUNTIME: 'process', npm_config_registry: registry.url } }))
  daemon = cleanUp.use(await startDaemon(home))
})
afterEach(async () => {
  const names = await listNames(daemon)
  if (names.length > 0) await daemon.api.call('deleteWorkloads', { body: { names } })
  await untilGone(daemon, ...names)
})
afterAll(() => cleanUp.disposeAsync())

async function write(folder: string, files: Readonly<Record<string, string>>): Promise<string> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(at(folder, name)), { recursive: true })
    await writeFile(at(folder, name), text)
  }
  return at(folder)
}

const npmProject = (extra: object = {}) => ({
  'package.json': JSON.stringify({
    ...{ name: 'own', type: 'module', bin: 'src/server.js', dependencies: { greeting: '1.0.0' } },
    ...extra,
  }),
  'src/server.js': OWN_SERVER,
})

const locked = (tarball: string) =>
  JSON.stringify({
    lockfileVersion: 3,
    packages: {
      '': { name: 'own', dependencies: { greeting: '1.0.0' } },
      'node_modules/greeting': { version: '1.0.0', resolved: tarball, hasInstallScript: true },
    },
  })

async function connect(name: string) {
  return connectMcp((await daemon.api.call('getWorkload', { params: { name } })).url)
}

test('an npm project runs with its packages, and its folder stays as it was', async () => {
  const tarball = `${registry.url}greeting/-/package.tgz`
  const folder = await write('npm', {
    ...npmProject(),
    'package-lock.json': locked(tarball),
    '.env': 'KEY=1',
    '.thvignore': '.env\n',
  })
  const before = (await readdir(folder, { recursive: true })).toSorted()
  expect(await thv('run', './npm', '--', '--fast')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^npm is running at/),
  })

  await using connection = await connect('npm')
  const call = (name: string, args: Record<string, unknown> = {}) => callText(connection, name, args)
  expect(await call('greet', { name: 'you' })).toBe('hello you')
  expect(await call('where')).toBe('/srv/project --fast')
  expect(await call('write', { path: 'made', text: 'x' })).toBe('EROFS')
  expect(await call('write', { path: '/srv/node_modules/greeting/index.js', text: 'x' })).toBe('EROFS')
  expect(await call('read', { path: '.env' })).toBe('')
  expect(await call('list', { path: at('home') })).toBe('ENOENT')
  // Its install script ran, where it reaches nothing else.
  expect(await call('read', { path: '/srv/node_modules/greeting/ran' })).toBe('ran\n')
  await expect(readFile(escaped)).rejects.toThrow('ENOENT')
  expect((await readdir(folder, { recursive: true })).toSorted()).toEqual(before)
  expect(registry.requests).toContain('/greeting/-/package.tgz')

  // Its packages are there already, for another folder with the same lists too.
  const asked = registry.requests.length
  await write('again', { ...npmProject(), 'package-lock.json': locked(tarball) })
  expect(await thv('run', './again/')).toMatchObject({ code: 0 })
  expect(registry.requests.length).toBe(asked)
  expect(await thv('inspect', 'again')).toMatchObject({ code: 0, stdout: expect.stringContaining(at('again')) })
})

test('an install script that puts a link in place of the packages opens no folder of the machine', async () => {
  const plain = OWN_SERVER.replace("import { greeting } from 'greeting'", "const greeting = 'plain'")
  await write('swapped', { ...npmProject({ dependencies: { swapper: '1.0.0' } }), 'src/server.js': plain })
  const { code, stderr } = await thv('run', './swapped')
  expect(code, stderr).not.toBe(0)
  expect(stderr).toContain('replaced node_modules')
  await expect(connect('swapped')).rejects.toThrow()
})

test('with --write the server changes its folder, and its own node_modules counts', async () => {
  const modules = { 'node_modules/greeting/package.json': '{"type":"module","main":"i.js"}' }
  await write('own', { ...npmProject(), ...modules, 'node_modules/greeting/i.js': "export const greeting = 'mine:'" })
  expect(await thv('run', '--folder', 'own', '--write', '--name', 'own')).toMatchObject({ code: 0 })
  await using connection = await connect('own')
  expect(await callText(connection, 'greet', { name: 'x' })).toBe('mine: x')
  expect(await callText(connection, 'write', { path: 'made', text: 'by the server' })).toBe('written')
  expect(await readFile(at('own', 'made'), 'utf8')).toBe('by the server')
})

test('with --write the server cannot change what Git runs, and is ended when it makes a repository', async () => {
  const plain = OWN_SERVER.replace("import { greeting } from 'greeting'", "const greeting = 'plain'")
  const files = { 'src/server.js': plain, 'package.json': npmProject({ dependencies: {} })['package.json'] }
  await write('cloned', { ...files, '.git/config': '[core]\n', '.git/hooks/pre-commit': 'mine' })
  expect(await thv('run', './cloned', '--write')).toMatchObject({ code: 0 })
  await using cloned = await connect('cloned')
  for (const path of ['.git/hooks/pre-commit', '.git/config', '.git/commondir'])
    expect(await callText(cloned, 'write', { path, text: 'x' })).toBe('EROFS')
  expect(await callText(cloned, 'write', { path: 'made', text: 'x' })).toBe('written')
  expect((await thv('logs', 'cloned')).stdout).toContain('the server cannot change /srv/project/.git')
  // A user who wants a server to work with Git says so.
  expect(
    await thv('run', './cloned', '--write', '-v', './cloned/.git:/srv/project/.git', '--name', 'works'),
  ).toMatchObject({ code: 0 })
  await using works = await connect('works')
  expect(await callText(works, 'write', { path: '.git/index', text: 'x' })).toBe('written')

  await write('fresh', files)
  expect(await thv('run', './fresh', '--write')).toMatchObject({ code: 0 })
  await using fresh = await connect('fresh')
  await callText(fresh, 'write', { path: '.git', text: 'x' }).catch(() => '')
  await untilStatus(daemon, 'fresh', 'error')
  const { status_context } = await daemon.api.call('getWorkload', { params: { name: 'fresh' } })
  expect(status_context).toContain(`${at('fresh', '.git')} became a Git repository while the server could write there`)
  expect(await thv('restart', 'fresh')).toMatchObject({ code: 0 })
  await using again = await connect('fresh')
  expect(await callText(again, 'write', { path: '.git', text: 'y' })).toBe('EROFS')
})

test('what a server may do in its folder is changed later, after the difference was shown', async () => {
  const plain = OWN_SERVER.replace("import { greeting } from 'greeting'", "const greeting = 'plain'")
  await write('early', { 'tool.mjs': plain })
  await write('late', { 'tool.mjs': plain.replace("'plain'", "'later'") })
  expect(await thv('run', '--folder', 'early', '--name', 'own', '--', 'node', 'tool.mjs')).toMatchObject({ code: 0 })
  await using connection = await connect('own')
  const call = (name: string, args: Record<string, unknown> = {}) => callText(connection, name, args)
  const folder = async () => (await daemon.api.call('getWorkload', { params: { name: 'own' } })).folder

  const shown = await thv('edit', 'own', '--write', '--dry-run')
  expect(shown).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/--write +not set → true\n[^]*The server restarts/),
  })
  expect(await thv('edit', 'own', '--write')).toMatchObject({ code: 2, stderr: expect.stringContaining('add --yes') })
  expect(await call('write', { path: 'made', text: 'x' })).toBe('EROFS')
  expect(await thv('edit', 'own', '--write', '--yes')).toMatchObject({ code: 0 })
  expect(await call('write', { path: 'made', text: 'x' })).toBe('written')

  const both = await thv('edit', 'own', '--watch', '--yes')
  expect(both).toMatchObject({ code: 2, stderr: expect.stringMatching(/exclude each other.*with --unset write/) })
  for (const consent of ['--dry-run', '--yes']) {
    const nowhere = await thv('edit', 'own', '--folder', 'nope', consent)
    expect(nowhere).toMatchObject({ code: 2, stderr: expect.stringContaining(at('nope')) })
    expect(nowhere.stderr).not.toMatch(/changes:|Nothing was changed/)
  }
  const moved = [
    'edit',
    'own',
    '--watch',
    '--unset',
    'write',
    '--folder',
    'late',
    '--yes',
    '--',
    'node',
    'tool.mjs',
    '-v',
  ]
  const { code, stderr } = await thv(...moved)
  expect(code, stderr).toBe(0)
  for (const difference of [
    /--folder +\S+early → \S+late\n/,
    /-- command +\["node","tool\.mjs"\] → /,
    /--write +true → not set/,
  ])
    expect(stderr).toMatch(difference)
  expect(await folder()).toEqual({ path: at('late'), command: ['node', 'tool.mjs', '-v'], watch: true })
  expect(await call('greet', { name: 'x' })).toBe('later x')
  expect(await call('where')).toBe('/srv/project -v')
  expect(await thv('edit', 'own', '--unset', 'watch', '--yes')).toMatchObject({ code: 0 })
  expect(await folder()).toEqual({ path: at('late'), command: ['node', 'tool.mjs', '-v'] })

  await thv('run', 'npx://elsewhere@1.0.0', '--name', 'package', '--no-wait')
  expect(await thv('edit', 'package', '--write', '--yes')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--write is for your own server in a folder, and package runs from none'),
  })
})

test('a command starts what is not a project', async () => {
  await write('plain', {
    'tool.mjs': OWN_SERVER.replace("import { greeting } from 'greeting'", "const greeting = 'plain'"),
  })
  const refused = await thv('run', './plain')
  expect(refused.code).not.toBe(0)
  expect(refused.stderr).toContain(`Give the command: thv run --folder ${at('plain')} -- COMMAND`)
  expect(await thv('run', '--folder', 'plain', '--', 'node', 'tool.mjs', '-v')).toMatchObject({ code: 0 })
  await using connection = await connect('plain')
  expect(await callText(connection, 'greet', { name: 'x' })).toBe('plain x')
  expect(await callText(connection, 'where')).toBe('/srv/project -v')
})

test('a Python project runs with its requirements', async () => {
  await write('py', { 'requirements.txt': 'six==1.17.0\n', 'server.py': `${PYTHON_SERVER}\nmain()\n` })
  expect(await thv('run', './py')).toMatchObject({ code: 0 })
  await using connection = await connect('py')
  expect(await callText(connection, 'version')).toBe('1.17.0 /srv/project')
  const project =
    '[project]\nname = "py2"\nversion = "1"\ndependencies = ["six==1.17.0"]\n[project.scripts]\npy2 = "py2.cli:main"\n'
  await write('py2', { 'pyproject.toml': project, 'src/py2/__init__.py': '', 'src/py2/cli.py': PYTHON_SERVER })
  expect(await thv('run', './py2')).toMatchObject({ code: 0 })
  await using second = await connect('py2')
  expect(await callText(second, 'version')).toBe('1.17.0 /srv/project')
  expect(await readdir(at('py2', 'src', 'py2'))).toEqual(['__init__.py', 'cli.py'])
})

test('what uv makes of its lock file cannot carry variables of uv to a host', async () => {
  const wheel = `${registry.url}six-1.17.0-py2.py3-none-any.whl?told=\${HOME}`
  await write('carrier', {
    'server.py': '',
    'pyproject.toml': '[project]\nname = "own"\nversion = "1"\ndependencies = ["six"]\n',
    'uv.lock': [
      'version = 1\nrequires-python = ">=3.8"',
      '[[package]]\nname = "own"\nversion = "1"\nsource = { virtual = "." }\ndependencies = [{ name = "six" }]',
      `[[package]]\nname = "six"\nversion = "1.17.0"\nsource = { url = "${wheel}" }`,
      `wheels = [{ url = "${wheel}", hash = "sha256:${'4'.repeat(64)}" }]\n`,
    ].join('\n'),
  })
  const { code, stderr } = await thv('run', './carrier')
  expect(code).not.toBe(0)
  expect(stderr).toContain('and variables in it are not replaced')
  expect(registry.requests.filter((path) => path.includes('told'))).toEqual([])
})

test('with --watch a change restarts the server, and the session of a client goes on', async () => {
  await write('watched', npmProject())
  expect(await thv('run', './watched', '--watch')).toMatchObject({ code: 0 })
  await using connection = await connect('watched')
  const session = () => Reflect.get(connection.client.transport ?? {}, 'sessionId')
  const first = session()
  const greets = async (wanted: string) =>
    until(`the server to say ${wanted}`, async () => {
      const said = await callText(connection, 'greet', { name: 'you' }).catch(() => '')
      return said === wanted
    })
  await greets('hello you')

  const save = (text: string) => writeFile(at('watched/src/server.js'), text)
  const changed = OWN_SERVER.replace("greeting + ' '", "greeting + ', dear '").replace(
    '  where:',
    '  added: () => 1,\n  where:',
  )
  await save(changed)
  await greets('hello, dear you')
  expect(await connection.toolNames()).toContain('added')

  // A program that cannot run says why, and the next save is tried at once.
  await save('this is not a program')
  const status = () => daemon.api.call('getWorkload', { params: { name: 'watched' } })
  await until('the fault to be told', async () => (await status()).status_context.includes('SyntaxError'))
  await save(changed)
  await untilRecovered(daemon, 'watched')
  await greets('hello, dear you')

  // Another list of packages is installed.
  await writeFile(at('watched/src/server.js'), changed.replace("'greeting'", "'greeting-two'"))
  await write('watched', { 'package.json': npmProject({ dependencies: { 'greeting-two': '1.0.0' } })['package.json'] })
  await greets('welcome, dear you')
  expect(session()).toBe(first)
  expect(first).toEqual(expect.any(String))

  // Installed or hidden files do not count as changes.
  const runs = async () => (await thv('logs', 'watched')).stdout.split(' changed; the server restarts').length
  const before = await runs()
  await write('watched', { 'node_modules/.cache/x': '1', '.git/index': '1' })
  await write('watched', { 'src/server.js': changed.replace('dear', 'good') })
  await until('the last change', async () => (await runs()) > before)
  expect(await runs()).toBe(before + 1)
})

describe('refused is', () => {
  test.each([
    ['the root', () => '/', /would expose the root of this machine/],
    ['the home folder', () => at('home'), /is your home folder or contains it/],
    ['the home folder, by the way it is written', () => '~', /is your home folder or contains it/],
    ['a way round to it', () => `${at('home')}/../run/../home/.`, /is your home folder or contains it/],
    ['what holds the home folder', () => home.dir, /is your home folder or contains it/],
    ['what holds Toolhaven’s folders', () => dirname(home.stateDir), /would expose .*, a folder of Toolhaven itself/],
    ['its state', () => home.stateDir, /would expose .*, a folder of Toolhaven itself/],
    ['a link to it', () => at('link'), /would expose .*, a folder of Toolhaven itself/],
    ['a file', () => at('file'), /is not a folder/],
    ['nothing', () => at('gone'), /does not exist on this machine/],
  ])('%s', async (_, path, why) => {
    await rm(at('link'), { force: true })
    await symlink(home.stateDir, at('link'))
    await writeFile(at('file'), '')
    for (const args of [
      [path()],
      ['--folder', path(), '--', 'node', 'x'],
      ['--folder', path(), '--permission-profile', 'privileged.json'],
    ]) {
      await writeFile(at('privileged.json'), '{"privileged": true}')
      const { code, stderr } = await thv('run', ...args)
      expect(code, stderr).not.toBe(0)
      expect(stderr).toMatch(why)
    }
    expect(await listNames(daemon)).toEqual([])
  })

  test('a folder that is to be written and watched', async () => {
    await write('both', npmProject())
    const { code, stderr } = await thv('run', './both', '--write', '--watch')
    expect(code).not.toBe(0)
    expect(stderr).toContain('write and watch cannot both be set')
  })

  test('a folder that an import, a registry entry, a manifest or another site names', async () => {
    const folder = await write('mine', npmProject())
    expect(await thv('run', './mine')).toMatchObject({ code: 0 })
    expect(await thv('export', 'mine', 'mine.json')).toMatchObject({ code: 0 })
    const imported = await thv(
      'run',
      '--from-config',
      'mine.json',
      '--name',
      'copy',
      '--accept-mounts',
      '--accept-network',
    )
    expect(imported.code).not.toBe(0)
    expect(imported.stderr).toContain('an imported configuration cannot name a folder of this machine')

    const common = { description: 'd', tier: 'Community', status: 'active', transport: 'stdio', tools: [] }
    for (const entry of [
      { image: folder },
      { image: `folder://${folder}` },
      { image: 'npx://a@1.0.0', folder: { path: folder } },
    ]) {
      const document = {
        version: '1.0.0',
        last_updated: '2026-01-15T00:00:00Z',
        servers: { evil: { ...common, ...entry } },
      }
      await writeFile(at('registry.json'), JSON.stringify(document))
      const body = { local_path: at('registry.json') }
      await daemon.api.call('updateRegistry', { params: { name: 'default' }, body }).catch(() => undefined)
      expect((await thv('run', 'evil', '--name', 'evil', '--accept-mounts')).code).not.toBe(0)
    }
    await daemon.api.call('updateRegistry', { params: { name: 'default' }, body: {} })

    await writeFile(
      at('toolhaven.yaml'),
      `format: 1\nworkloads:\n  - {name: evil, folder: {path: ${JSON.stringify(folder)}}}\n`,
    )
    expect(await thv('apply', '-f', 'toolhaven.yaml', '--yes')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('folder'),
    })

    const body = JSON.stringify({ name: 'evil', folder: { path: folder } })
    const url = `${daemon.baseUrl}/api/v1beta/workloads`
    for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }]) {
      const { status } = await fetch(url, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json', ...headers },
      })
      expect(status).toBe(403)
    }
    expect(await listNames(daemon)).toEqual(['mine'])
  })
})
