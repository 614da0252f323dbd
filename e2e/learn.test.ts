import { once } from 'node:events'
import { readFile, readdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { doctorReport } from '@toolhaven/contract/doctor'
import { lesson as lessonSchema } from '@toolhaven/contract/lesson'
import { until } from '@toolhaven/testing/testbed/until'
import { expect, test } from 'vitest'
import { startDaemon } from './src/daemon-process.ts'
import type { DaemonProcess } from './src/daemon-process.ts'
import type { Home } from './src/home.ts'
import { callText, connectMcp } from './src/mcp-client.ts'
import { usePlatform } from './src/platform.ts'
import { untilGone, untilRecovered, untilStatus } from './src/statuses.ts'
import { thv } from './src/thv.ts'

/** A service of this machine on every address of its loopback: what a list names is reached there, as at a public host. */
async function openService() {
  const server = createServer((_request, response) => response.end('hello')).listen(0, '0.0.0.0')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP listener has a port')
  return {
    port: address.port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

const [LISTED, UNLISTED] = ['127.0.0.2', '127.0.0.3']

/** With one port of a host of this machine in its list. */
async function start(daemon: DaemonProcess, image: string, port: number) {
  const profile = { network: { outbound: { allow_host: [`${LISTED}:${port}`] } } }
  await daemon.api.call('createWorkload', { body: { name: 'apart', image, permission_profile: profile } })
  await untilStatus(daemon, 'apart', 'running')
}

/** As older versions stored it: private hosts and ports separately. */
async function makeOlder(home: Home, port: number): Promise<void> {
  const file = join(home.stateDir, 'workloads', 'apart.json')
  const listed = new RegExp(`"allow_host":\\s*\\[\\s*"${LISTED}:${port}"\\s*\\]`, 'g')
  const text = await readFile(file, 'utf8')
  await writeFile(file, text.replaceAll(listed, `"allow_host": ["${LISTED}"], "allow_port": [${port}]`))
}

const detailsOf = (daemon: DaemonProcess) => daemon.api.call('getWorkload', { params: { name: 'apart' } })

async function fetched(daemon: DaemonProcess, url: string): Promise<string> {
  await using connection = await connectMcp((await detailsOf(daemon)).url)
  return await callText(connection, 'fetch', { url })
}

async function learned(home: Home) {
  const { code, stdout, stderr } = await thv(home, ['learn', 'apart', '--format', 'json'])
  expect([code, stderr]).toEqual([0, ''])
  return lessonSchema.parse(JSON.parse(stdout))
}

const platform = usePlatform('process')

test('a server that its list blocks works after two commands, the first of which its status names', async (context) => {
  const { fixture, makeHome } = platform(context)
  await using service = await openService()
  await using home = await makeHome()
  // Nothing is at port 1. Only a private host of an older profile can be blocked by its port and learned here.
  await using first = await startDaemon(home)
  await start(first, fixture, 1)
  await first.stop()
  await makeOlder(home, 1)
  await using daemon = await startDaemon(home)
  await untilRecovered(daemon, 'apart')
  const url = `http://${LISTED}:${service.port}/data?key=1`
  expect(await fetched(daemon, url)).not.toContain('hello')
  expect((await detailsOf(daemon)).status_context).toContain('"thv learn apart"')
  const doctor = await thv(home, ['doctor', 'apart', '--format', 'json'])
  expect(doctorReport.parse(JSON.parse(doctor.stdout)).workloads[0]?.checks).toContainEqual({
    ...{ check: 'blocked', status: 'warning', fix: 'thv learn apart' },
    found: `blocked: ${LISTED}:${service.port} is not in allow_port`,
  })

  const shown = await thv(home, ['learn', 'apart'])
  expect(shown).toMatchObject({ code: 0, stderr: expect.stringContaining('"thv learn apart --apply"') })
  expect(shown.stdout).toMatch(new RegExp(`\\n${LISTED} +${service.port} +1 .*\\n`))
  const applied = await thv(home, ['learn', 'apart', '--apply'])
  expect(applied).toMatchObject({ code: 0, stdout: expect.stringMatching(/apart is running with this profile\n$/) })

  expect(await fetched(daemon, url)).toBe('200 hello')
  expect(await detailsOf(daemon)).toMatchObject({
    network_isolation: true,
    permission_profile: { network: { outbound: { allow_host: [LISTED], allow_port: [1, service.port] } } },
  })
})

test('what an observed server used becomes its profile, also after the daemon was killed', async (context) => {
  const { fixture, makeHome } = platform(context)
  await using service = await openService()
  await using home = await makeHome()
  await using first = await startDaemon(home)
  await start(first, fixture, service.port)
  const url = (host: string) => `http://${host}:${service.port}/data/x?key=1`
  const observed = await thv(home, ['learn', 'apart', '--observe'])
  expect(observed).toMatchObject({ code: 0, stdout: expect.stringContaining('apart is observed since 20') })
  expect(await fetched(first, url(LISTED))).toBe('200 hello')
  const file = join(home.stateDir, 'sightings', 'apart.json')
  await until('it to be written', async () => (await readFile(file, 'utf8')).includes('/data/x'))
  await first.kill()

  await using daemon = await startDaemon(home)
  await untilRecovered(daemon, 'apart')
  expect((await detailsOf(daemon)).status_context).toContain('observed: every public host is allowed')
  // This machine stays out of reach except for the address in its profile.
  expect(await fetched(daemon, url(UNLISTED))).not.toContain('hello')
  const lesson = await learned(home)
  expect(lesson).toMatchObject({
    mode: 'observe',
    permission_profile: { network: { outbound: { allow_host: [`${LISTED}:${service.port}`] } } },
    evidence: [{ host: LISTED, port: service.port, count: 1, blocked: 0, speaks: ['http-tunnel'], paths: ['/data/x'] }],
    left_out: [{ host: UNLISTED, reason: `${UNLISTED}:${service.port} does not lead to a public address` }],
  })
  expect(JSON.stringify(lesson)).not.toContain('key=1')

  expect(await thv(home, ['learn', 'apart', '--apply'])).toMatchObject({ code: 0 })
  expect(await fetched(daemon, url(LISTED))).toBe('200 hello')
  expect(await fetched(daemon, url(UNLISTED))).not.toContain('hello')
  expect(await detailsOf(daemon)).not.toHaveProperty('network_isolation_mode')

  await daemon.api.call('deleteWorkload', { params: { name: 'apart' } })
  await untilGone(daemon, 'apart')
  expect(await readdir(join(home.stateDir, 'sightings'))).toEqual([])
})

test('what cannot be learned is said', async (context) => {
  const { makeHome, fixture } = platform(context)
  await using home = await makeHome()
  await using daemon = await startDaemon(home)
  expect(await thv(home, ['learn', 'apart', '--observe', '--apply'])).toMatchObject({ code: 2 })
  await daemon.api.call('createWorkload', { body: { name: 'apart', image: fixture } })
  await untilStatus(daemon, 'apart', 'running')
  expect(await thv(home, ['learn', 'apart'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('thv learn apart --observe'),
  })
  expect(await thv(home, ['learn', 'apar'])).toMatchObject({ stderr: expect.stringContaining('Did you mean apart?') })
})

test('a server that was refused everything it tried is not told to do without a network', async (context) => {
  const { makeHome, fixture } = platform(context)
  await using service = await openService()
  await using home = await makeHome()
  await using daemon = await startDaemon(home)
  await start(daemon, fixture, 1)
  const before = (await detailsOf(daemon)).permission_profile
  expect(await thv(home, ['learn', 'apart', '--observe'])).toMatchObject({ code: 0 })
  expect(await fetched(daemon, `http://${UNLISTED}:${service.port}/`)).not.toContain('hello')
  expect(await learned(home)).toMatchObject({ permission_profile: before, left_out: [{ host: UNLISTED }] })
  const shown = await thv(home, ['learn', 'apart'])
  expect(shown).toMatchObject({ code: 0, stderr: expect.stringContaining('no smaller profile is known to work') })
  expect(shown.stdout).not.toContain('"none"')
})
