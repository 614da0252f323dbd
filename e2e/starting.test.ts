import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { readLock } from '@toolhaven/stores/files/lock-file'
import { until } from '@toolhaven/testing/testbed/until'
import { expect, test } from 'vitest'
import { startDaemon } from './src/daemon-process.ts'
import { type Home, makeHome } from './src/home.ts'
import { ECHO_SERVER } from './src/own-server.ts'
import { thv } from './src/thv.ts'

/** A home whose daemon is started by commands, and ended with it. */
async function makeQuietHome(port = 0): Promise<Home> {
  const home = await makeHome({ env: { THV_RUNTIME: 'process', THV_PORT: String(port) } })
  return {
    ...home,
    async [Symbol.asyncDispose]() {
      const pid = await daemonPid(home)
      if (pid !== undefined) process.kill(pid)
      await until('the daemon to end', async () => (await daemonPid(home)) === undefined)
      await home[Symbol.asyncDispose]()
    },
  }
}

async function daemonPid({ stateDir }: Home): Promise<number | undefined> {
  const lock = await readLock(stateDir)
  return lock?.alive ? lock.holder.pid : undefined
}

test('commands that find no daemon at the same time all get their answer, from one daemon', async () => {
  await using home = await makeQuietHome()
  const results = await Promise.all(Array.from({ length: 4 }, () => thv(home, ['list', '--format', 'json'])))
  for (const result of results) expect(result).toMatchObject({ code: 0, stdout: '{\n  "workloads": []\n}\n' })
  const pid = await daemonPid(home)
  expect(await thv(home, ['list'])).toMatchObject({ code: 0, stderr: expect.not.stringContaining('Starting') })
  expect(await daemonPid(home)).toBe(pid)
})

test('a daemon that is coming up is not replaced by one that a command starts', async () => {
  await using home = await makeQuietHome()
  const commands = [['list'], ['group', 'list'], ['list']].map((args) => thv(home, args))
  await using serve = await startDaemon(home)
  for (const result of await Promise.all(commands)) expect(result, result.stderr).toMatchObject({ code: 0 })
  expect(await thv(home, ['list'])).toMatchObject({ code: 0 })
  expect(await daemonPid(home)).toBe(serve.pid)
})

test('commands get their answer while one daemon takes over from another', async () => {
  await using home = await makeQuietHome()
  const daemons = [await startDaemon(home)]
  await using _daemons = {
    [Symbol.asyncDispose]: async () => void (await Promise.all(daemons.map(({ kill }) => kill()))),
  }
  const over = new AbortController()
  const keepAsking = async () => {
    while (!over.signal.aborted) {
      const result = await thv(home, ['list'])
      expect(result, result.stderr).toMatchObject({ code: 0 })
    }
  }
  const asking = Promise.all([keepAsking(), keepAsking(), keepAsking()])
  for (let turn = 0; turn < 3; turn += 1) daemons.push(await startDaemon(home))
  over.abort()
  await asking
})

test('a command works while another program has the port, says so, and the API is on the port once it is free', async () => {
  const holder = createServer().listen(0, '127.0.0.1')
  await once(holder, 'listening')
  const address = holder.address()
  const port = address !== null && typeof address === 'object' ? address.port : 0
  await using home = await makeQuietHome(port)
  const { code, stderr } = await thv(home, ['list'])
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining(`port ${port} is in use`) })
  expect(stderr).toContain('THV_PORT')
  // The warning was told to one command only.
  const told = new RegExp(`port ${port} is in use by .*\\(pid ${process.pid}\\), .*\n.*thv config set-port`)
  expect(await thv(home, ['doctor'])).toMatchObject({ code: 0, stdout: expect.stringMatching(told) })
  holder.close()
  const isUp = () =>
    fetch(`http://127.0.0.1:${port}/health`).then(
      ({ status }) => status === 204,
      () => false,
    )
  await until('the API to be on its port', isUp, 60_000)
  expect((await thv(home, ['doctor'])).stdout).not.toContain('in use')
})

test('a home that is not there is told before it is made', async () => {
  await using home = await makeQuietHome()
  const mistyped = join(home.dir, 'mistyped')
  const env = { HOME: mistyped, XDG_STATE_HOME: '', XDG_DATA_HOME: '', XDG_CONFIG_HOME: '', XDG_RUNTIME_DIR: '' }
  const first = await thv(home, ['list'], { env })
  const second = await thv(home, ['serve', '--stop'], { env })
  expect(first).toMatchObject({ code: 0, stderr: expect.stringContaining(`HOME is ${mistyped}, which does not exist`) })
  expect(second).toMatchObject({ code: 0, stdout: expect.stringContaining('is stopped') })
})

test('why a daemon cannot be started is said by the command itself', async () => {
  await using home = await makeQuietHome()
  const failed = await thv(home, ['list'], { env: { THV_RUNTIME: 'dcoker' } })
  expect(failed).toMatchObject({ code: 4, stderr: expect.stringContaining('dcoker') })
  expect(await thv(home, ['config', 'set-port', '70000'])).toMatchObject({ code: 2, stdout: '' })
  expect(await thv(home, ['config', 'set-port', '99'])).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^Warning: on most systems only root may listen on a port below 1024\. /),
  })
  const setPort = (THV_PORT: string) => thv(home, ['config', 'set-port', '4711'], { env: { THV_PORT } })
  const told = { code: 0, stderr: 'A daemon that runs keeps its port until "thv serve" restarts it.\n' }
  expect(await setPort('')).toMatchObject(told)
  const overridden =
    'THV_PORT is 9090 in this shell and takes precedence. To use the new port, unset it and run "thv serve".\n'
  expect(await setPort('9090')).toMatchObject({ code: 0, stderr: overridden })
  expect(await readFile(join(home.dir, 'config', 'toolhaven', 'config.yaml'), 'utf8')).toContain('api_port: 4711')
})

test('damaged and unusable files do not keep a daemon from starting, and are told', async () => {
  await using home = await makeQuietHome()
  for (const folder of ['workloads', 'sessions', 'daemon.log'])
    await mkdir(join(home.stateDir, folder), { recursive: true, mode: 0o700 })
  await writeFile(join(home.stateDir, 'workloads', 'lost.json'), 'half a rec', { mode: 0o600 })
  const leftover = '.time.json.0123456789ab.tmp'
  await writeFile(join(home.stateDir, 'sessions', leftover), '{}')
  const { code, stderr } = await thv(home, ['list'])
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('1 damaged file was moved aside') })
  expect(stderr).toContain('Warning: the daemon keeps no log')
  expect((await thv(home, ['doctor'])).stdout).toContain('lost.json.corrupt-')
  expect(await readdir(join(home.stateDir, 'sessions'))).toEqual([])
  const config = join(home.dir, 'config', 'toolhaven', 'config.yaml')
  await mkdir(join(home.dir, 'config', 'toolhaven'), { recursive: true, mode: 0o700 })
  await writeFile(config, '', { mode: 0o600 })
  expect(await thv(home, ['config', 'set-port', '4711'])).toMatchObject({ stderr: expect.stringContaining('is empty') })
  expect(await readFile(config, 'utf8')).toBe('')
})

test('a daemon whose state folder was removed ends, and the next command gets another one', async () => {
  await using home = await makeQuietHome()
  expect(await thv(home, ['list'])).toMatchObject({ code: 0 })
  const pid = await daemonPid(home)
  await rm(home.stateDir, { recursive: true })
  // Until it has noticed, the first one still has the socket and answers.
  expect(await thv(home, ['list'])).toMatchObject({ code: 0 })
  await until('the first daemon to end', async () => !existsSync(`/proc/${pid}`))
  expect(await thv(home, ['list'])).toMatchObject({ code: 0 })
  expect(await daemonPid(home)).not.toBe(pid)
  expect(await thv(home, ['list'])).toMatchObject({ code: 0, stderr: expect.not.stringContaining('Starting') })
})

test('servers start again after somebody removed the data folder of the daemon', async () => {
  await using home = await makeQuietHome()
  const folder = join(home.dir, 'own')
  await mkdir(folder)
  await writeFile(join(folder, 'server.js'), ECHO_SERVER)
  const run = await thv(home, ['run', '--folder', folder, '--name', 'own', '--', 'node', 'server.js'])
  expect(run).toMatchObject({ code: 0, stdout: expect.stringContaining('own is running') })
  const dataDir = join(home.env['XDG_DATA_HOME'] ?? '', 'toolhaven')
  await rm(dataDir, { recursive: true })
  expect(await thv(home, ['restart', 'own'])).toMatchObject({ code: 0, stderr: '' })
  expect(await thv(home, ['call', 'own', 'echo', '--arg', 'text=here again'])).toMatchObject({ stdout: 'here again\n' })
  expect((await stat(dataDir)).mode & 0o777).toBe(0o700)
})

test('a runtime that does not exist ends no daemon', async () => {
  await using home = await makeQuietHome()
  await thv(home, ['list'])
  const pid = await daemonPid(home)
  const refused = await thv(home, ['serve'], { env: { THV_RUNTIME: 'podmn' } })
  expect(refused).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('set it to docker, podman') })
  expect(await daemonPid(home)).toBe(pid)
})
