import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type TestContext, afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { workloadList } from '@toolhaven/contract/workloads'
import { type PackageRegistry, startPackageRegistry } from '@toolhaven/testing/testbed/package-registry'
import { Unavailable } from '@toolhaven/testing/testbed/unavailable'
import { until } from '@toolhaven/testing/testbed/until'
import { openCliWorld } from './src/cli-world.ts'
import { FIXTURE_PACKAGE, writeFixturePackage } from './src/fixture-package.ts'
import { type Home, makeHome } from './src/home.ts'
import { processesOf } from './src/instances.ts'
import { callText, connectMcp } from './src/mcp-client.ts'
import { atTerminal } from './src/terminal.ts'
import { type ThvResult, thv } from './src/thv.ts'
import { startUserSystemd } from './src/user-systemd.ts'

const NOBODY = { uid: 65_534, gid: 65_534 }
const DIST = fileURLToPath(new URL('../apps/cli/dist', import.meta.url))
const fixture = `npx://${FIXTURE_PACKAGE}@1.0.0`

let folder: string
let registry: PackageRegistry
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'thv-service-'))
  await writeFixturePackage(join(folder, 'package'), FIXTURE_PACKAGE)
  registry = await startPackageRegistry([join(folder, 'package')])
})
afterAll(async () => {
  await registry[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

const openHome = (context: TestContext) => {
  if (process.getuid?.() !== 0) return context.skip('only root can become the user whose service is tried')
  return makeHome({ env: { THV_RUNTIME: 'process', npm_config_registry: registry.url }, user: NOBODY })
}

/** With a program whose path systemd must not take apart. */
async function installedIn(home: Home): Promise<(...args: string[]) => Promise<ThvResult>> {
  const place = join(home.dir, 'program of 100% $HOME')
  await cp(DIST, place, { recursive: true })
  home.env['XDG_DATA_HOME'] = join(home.dir, 'my data 100%')
  const options = { env: home.env, cwd: home.dir, ...NOBODY, timeout: 120_000 }
  return async (...args) => {
    try {
      const done = await promisify(execFile)(process.execPath, [join(place, 'thv.mjs'), ...args], options)
      return { code: 0, ...done }
    } catch (error) {
      return z.object({ code: z.number(), stdout: z.string(), stderr: z.string() }).parse(error)
    }
  }
}

describe('the service of a user', () => {
  test('starts on its own after a reboot, with every workload that was running', async (context) => {
    await using home = await openHome(context)
    const run = await installedIn(home)
    await using systemd = await startUserSystemd(home).catch((error: unknown) => {
      if (error instanceof Unavailable) return context.skip(error.message)
      throw error
    })
    const unit = join(home.env['XDG_CONFIG_HOME'] ?? '', 'systemd', 'user', 'toolhaven.service')

    const installed = await run('serve', '--install', '--port', '0')
    expect(installed).toMatchObject({ code: 0, stdout: `the service is installed and running: ${unit}\n` })
    expect(installed.stderr).toContain('sudo loginctl enable-linger nobody')
    expect((await stat(unit)).mode & 0o777).toBe(0o600)
    for (const name of ['one', 'two', 'three']) {
      expect(await run('run', fixture, '--name', name)).toMatchObject({
        code: 0,
        stdout: expect.stringContaining(name),
      })
    }
    expect(await run('stop', 'three')).toMatchObject({ code: 0 })
    const pid = await daemonPid(home)
    expect(await run('serve', '--install', '--port', '0')).toMatchObject({
      code: 0,
      stdout: `the service was installed already: ${unit}\n`,
    })
    expect(await daemonPid(home)).toBe(pid)

    await systemd.reboot()
    await until('a daemon that nobody asked for', async () => (await daemonPid(home)) !== pid, 60_000)
    const list = async () => {
      const { code, stdout, stderr } = await run('list', '--all', '--format', 'json')
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      return workloadList.parse(JSON.parse(stdout)).workloads
    }
    const statuses = async () => Object.fromEntries((await list()).map(({ name, status }) => [name, status]))
    await until(
      'all workloads to be as before',
      async () => {
        const now = await statuses()
        return now['one'] === 'running' && now['two'] === 'running'
      },
      120_000,
    )
    expect(await statuses()).toEqual({ one: 'running', two: 'running', three: 'stopped' })
    await using connection = await connectMcp((await list()).find(({ name }) => name === 'one')?.url ?? '')
    expect(await callText(connection, 'add', { a: 20, b: 22 })).toBe('42')

    const uninstalled = await run('serve', '--uninstall', '--format', 'json')
    expect(JSON.parse(uninstalled.stdout)).toEqual({ service: unit, removed: true })
    expect(existsSync(unit)).toBe(false)
    expect(await processesOf(home)).toEqual([])
    expect(existsSync(join(home.stateDir, 'workloads', 'one.json'))).toBe(true)
    expect(await run('serve', '--uninstall')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringMatching(/nothing to do: no service/),
    })
  })

  test('goes with everything else when all is purged, and nothing else goes', async (context) => {
    await using home = await openHome(context)
    const run = await installedIn(home)
    await using _systemd = await startUserSystemd(home).catch((error: unknown) => {
      if (error instanceof Unavailable) return context.skip(error.message)
      throw error
    })
    await mkdir(join(home.env['HOME'] ?? '', '.cursor'))
    const cursor = join(home.env['HOME'] ?? '', '.cursor', 'mcp.json')
    await writeFile(cursor, '{"mcpServers":{"mine":{"url":"http://127.0.0.1:1/"}}}')
    await promisify(execFile)('chown', ['-R', `${NOBODY.uid}:${NOBODY.gid}`, join(home.env['HOME'] ?? '', '.cursor')])
    expect(await run('serve', '--install', '--port', '0')).toMatchObject({ code: 0 })
    expect(await run('run', fixture, '--name', 'one')).toMatchObject({ code: 0 })
    expect(await run('client', 'register', 'cursor')).toMatchObject({ code: 0 })
    expect(await readFile(cursor, 'utf8')).toContain('"one"')

    const refused = await run('serve', '--uninstall', '--purge')
    expect(refused).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/no terminal to ask at; add --yes/),
    })
    const purged = await run('serve', '--uninstall', '--purge', '--yes')
    expect(purged).toMatchObject({ code: 0, stderr: expect.stringContaining('kept the program itself') })
    expect(purged.stdout).toContain(
      'removed entries in the settings of Cursor\nremoved workload one\nremoved the service\n',
    )
    for (const variable of ['CONFIG', 'STATE', 'DATA', 'CACHE']) {
      const place = join(home.env[`XDG_${variable}_HOME`] ?? '', 'toolhaven')
      expect(existsSync(place), place).toBe(false)
    }
    expect(await processesOf(home)).toEqual([])
    const left = z
      .object({ mcpServers: z.record(z.string(), z.unknown()) })
      .parse(JSON.parse(await readFile(cursor, 'utf8')))
    expect(Object.keys(left.mcpServers)).toEqual(['mine'])
  })

  test('is refused where no systemd runs, and nothing is written', async (context) => {
    await using home = await openHome(context)
    const run = await installedIn(home)
    const { code, stdout, stderr } = await run('serve', '--install')
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(
      /^thv: your user has no systemd instance here \(.*\)\nStart "thv serve" with the init system/,
    )
    expect(existsSync(join(home.env['XDG_CONFIG_HOME'] ?? '', 'systemd'))).toBe(false)
    for (const [args, said] of [
      [['--install', '--uninstall'], 'exclude each other'],
      [['--purge'], '--purge needs --uninstall'],
      [['--uninstall', '--yes'], '--yes needs --purge'],
      [['--install', '--host', '0.0.0.0'], 'Write THV_API_TOKEN=… into'],
    ] as const) {
      expect(await run('serve', ...args)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(said) })
    }
  })
})

test('a purge asks first, and no is an answer', async () => {
  await using world = await openCliWorld()
  expect(await thv(world.home, ['run', 'time'])).toMatchObject({ code: 0 })
  const no = await atTerminal(world.home, ['serve', '--uninstall', '--purge'], [['This cannot be undone.', '\r']])
  expect(no).toMatchObject({ code: 1, screen: expect.stringContaining('cancelled; nothing was changed') })
  expect((await thv(world.home, ['list'])).stdout).toContain('running')
  const yes = await atTerminal(world.home, ['serve', '--uninstall', '--purge'], [['This cannot be undone.', 'y\r']])
  expect(yes).toMatchObject({ code: 0, screen: expect.stringContaining('removed workload time') })
  expect(existsSync(world.home.stateDir)).toBe(false)
  expect(await world.daemon.ended()).toBe(0)
})

async function daemonPid(home: Home): Promise<number | undefined> {
  const text = await readFile(join(home.stateDir, 'lock'), 'utf8').catch(() => '{}')
  return z.object({ pid: z.number().optional() }).parse(JSON.parse(text)).pid
}
