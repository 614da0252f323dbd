import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { freePort } from '@toolhaven/testing/free-port'
import { type CliWorld, openCliWorld } from './src/cli-world.ts'
import { startDaemon } from './src/daemon-process.ts'
import { THV } from './src/running-thv.ts'
import { atTerminal } from './src/terminal.ts'
import { thv as runThv } from './src/thv.ts'

let world: CliWorld

beforeAll(async () => {
  world = await openCliWorld()
})
afterAll(() => world[Symbol.asyncDispose]())
afterEach(() => world.removeAll())

const thv = (...args: string[]) => runThv(world.home, args)

test('a file with a typing error creates nothing, and a second copy gets a port of its own', async () => {
  const file = join(world.home.dir, 'toolhaven.yaml')
  await writeFile(file, 'format: 1\nname: test\nworkloads:\n  - name: clock\n    image: tiem\n')
  const applied = await thv('apply', '--yes', '-f', file)
  expect(applied.code).not.toBe(0)
  expect(applied.stdout + applied.stderr).toContain('The registry has no "tiem". Did you mean "time"?')
  expect((await thv('list', '--all')).stdout).not.toContain('clock')

  await thv('run', 'time')
  const exported = join(world.home.dir, 'time.json')
  await thv('export', 'time', exported)
  const second = await thv('run', '--from-config', exported, '--name', 'second')
  expect(second).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/Port \d+ from the file is in use, so second/),
  })
})

test('an export makes no folder, and replaces no file unasked', async () => {
  await thv('run', 'time')
  const folder = join(world.home.dir, 'mistyped')
  const refused = await thv('export', 'time', 'mistyped/time.json')
  expect(refused).toMatchObject({ code: 2, stdout: '' })
  expect(refused.stderr).toContain(`there is no folder ${folder}\n`)
  expect(refused.stderr).toContain(`mkdir -p '${folder}'`)
  expect(existsSync(folder)).toBe(false)
  const inFolder = await thv('export', 'time', '.')
  expect(inFolder).toMatchObject({ code: 2, stderr: expect.stringMatching(/is a folder\nName a file in it/) })

  const kept = join(world.home.dir, 'kept.json')
  await writeFile(kept, 'mine')
  const below = await thv('export', 'time', 'kept.json/time.json')
  expect(below).toMatchObject({ code: 2, stderr: expect.stringContaining('kept.json is a file, not a folder') })
  const exists = await thv('export', 'time', 'kept.json')
  expect(exists).toMatchObject({ code: 2, stderr: expect.stringMatching(/kept\.json exists already[^]*--force/) })
  const asked = await atTerminal(world.home, ['export', 'time', 'kept.json'], [['Replace', 'n\r']])
  expect(asked).toMatchObject({ code: 1, screen: expect.stringContaining('nothing was changed') })
  expect(await readFile(kept, 'utf8')).toBe('mine')
  expect(await thv('export', 'time', 'kept.json', '--force')).toMatchObject({ code: 0 })
  expect(JSON.parse(await readFile(kept, 'utf8'))).toMatchObject({ name: 'time' })
})

test('a damaged client file is named by run, status and register, and a purge leaves no copy of it', async () => {
  await using home = await world.makeHome()
  const at = (...args: string[]) => runThv(home, args)
  const folder = join(home.env['HOME'] ?? '', '.cursor')
  const file = join(folder, 'mcp.json')
  await mkdir(folder, { recursive: true })
  await writeFile(file, '{"mcpServers": {}}')
  await using _daemon = await startDaemon(home)
  await at('client', 'register', 'cursor')
  await at('run', world.fixture, '--name', 'first')
  await writeFile(file, '{"mcpServers": {broken')
  const told = expect.stringMatching(/Cursor does not get your workloads: .*mcp\.json.* line 1, column 17.*correct it/)
  expect(await at('run', world.fixture, '--name', 'second')).toMatchObject({ code: 0, stderr: told })
  expect(await at('client', 'status')).toMatchObject({ code: 0, stderr: told })
  const refused = await at('client', 'register', 'cursor')
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/mcp\.json.* line 1.*\n.*register Cursor"/) })
  expect(await readFile(file, 'utf8')).toBe('{"mcpServers": {broken')

  await rm(file)
  expect(await at('client', 'register', 'cursor')).toMatchObject({ code: 0 })
  expect(Object.keys(JSON.parse(await readFile(file, 'utf8')).mcpServers)).toEqual(['first', 'second'])
  const purged = await at('serve', '--uninstall', '--purge', '--yes')
  expect(purged).toMatchObject({ code: 0, stdout: expect.stringContaining(`removed ${file}.toolhaven-backup`) })
  expect((await readdir(folder)).filter((name) => name.includes('toolhaven'))).toEqual([])
})

test('a folder that was deleted stops only commands that need it', async () => {
  const inDeleted = (...args: string[]) =>
    spawnSync(
      'sh',
      ['-c', `mkdir gone && cd gone && rmdir ../gone && exec "$0" "$@"`, process.execPath, THV, ...args],
      {
        ...{ env: world.home.env, cwd: world.home.dir, encoding: 'utf8' },
      },
    )
  expect(inDeleted('list')).toMatchObject({ status: 0 })
  expect(inDeleted('apply', '-f', 'x.yaml')).toMatchObject({
    status: 2,
    stderr: 'thv: the folder that you are in was deleted\nGo to another one, with "cd ~" for example.\n',
  })
})

test('what cannot be written is a failure, and relative folders are refused', async () => {
  const full = spawnSync('sh', ['-c', `"${process.execPath}" "${THV}" registry list > /dev/full`], {
    env: world.home.env,
  })
  expect({ status: full.status, told: full.stderr.toString() }).toEqual({
    status: 1,
    told: expect.stringMatching(/could not be written.*\n.*make room/),
  })
  for (const host of [`127.0.0.1:${await freePort()}`, 'daemon.invalid:8080']) {
    const nowhere = await runThv(world.home, ['list'], { env: { THV_HOST: host } })
    expect(nowhere).toMatchObject({ code: 4, stderr: expect.stringMatching(`${host}, which THV_HOST names[^]*unset`) })
  }
  for (const name of ['HOME', 'XDG_STATE_HOME']) {
    const refused = await runThv(world.home, ['list'], { env: { [name]: 'here' } })
    expect(refused).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(`${name} is "here"`) })
  }
})
