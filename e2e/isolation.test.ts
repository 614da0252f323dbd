import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { freePort } from '@toolhaven/testing/free-port'
import { engineMust } from '@toolhaven/testing/testbed/engine-http'
import { until } from '@toolhaven/testing/testbed/until'
import { type DaemonProcess, startDaemon } from './src/daemon-process.ts'
import type { Home } from './src/home.ts'
import { untilNothingIsLeft } from './src/instances.ts'
import { callText, connectMcp } from './src/mcp-client.ts'
import { enginesInTurn, type Platform, platformsInTurn, usePlatform } from './src/platform.ts'
import { untilGone, untilRecovered, untilStatus } from './src/statuses.ts'
import { openVirtualMachine } from './src/virtual-machine.ts'

/** A service of this machine on every address of its loopback. */
async function openService() {
  const server = createServer((_request, response) => response.end('hello from the machine')).listen(0, '0.0.0.0')
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

/** Two addresses that no proxy variable excludes; only the first is in the list. */
const [LISTED, UNLISTED] = ['127.0.0.2', '127.0.0.3']

const contextOf = async (daemon: DaemonProcess, name: string) =>
  (await daemon.api.call('getWorkload', { params: { name } })).status_context

async function startIsolated(daemon: DaemonProcess, { fixture }: Platform, port: number, change: object) {
  const outbound = { allow_host: [`${LISTED}:${port}`] }
  const body = { name: 'apart', image: fixture, permission_profile: { network: { outbound } }, ...change }
  await daemon.api.call('createWorkload', { body })
  await untilStatus(daemon, 'apart', 'running')
  return (await daemon.api.call('getWorkload', { params: { name: 'apart' } })).url
}

/** Requests a page like a program that does not know about proxies. */
const DIAL = `
const socket = require('node:net').connect(Number(process.argv[2]), process.argv[1])
socket.on('error', (error) => console.log(error.code)).on('data', (data) => console.log(String(data)))
socket.write('GET / HTTP/1.0\\r\\nHost: ' + process.argv[1] + ':' + process.argv[2] + '\\r\\n\\r\\n')`

async function seeIsolation(daemon: DaemonProcess, url: string, port: number) {
  await using connection = await connectMcp(url)
  const fetched = (host: string) => callText(connection, 'fetch', { url: `http://${host}:${port}/` })
  expect(await fetched(LISTED)).toBe('200 hello from the machine')
  // No proxy variable leads there: the forwarder accepts the connection, and the gate ends it.
  expect(await fetched('127.0.0.1')).toMatch(/^failed: (UND_ERR_SOCKET|ECONNRESET)$/)
  const dialled = (host: string) => callText(connection, 'run', { command: ['node', '-e', DIAL, host, String(port)] })
  expect(await dialled(LISTED)).toContain('hello from the machine')
  expect(await dialled(UNLISTED)).not.toContain('hello')
  expect(await fetched(UNLISTED)).not.toContain('hello')
  const why = `blocked: ${UNLISTED}:${port} is not in allow_host`
  expect(await contextOf(daemon, 'apart')).toBe(`${why}; "thv learn apart" shows a profile that allows it`)
  expect(await daemon.api.call('getWorkloadLogs', { params: { name: 'apart' } })).toContain(why)
  const { network } = await daemon.api.call('getIsolation', { params: { name: 'apart' } })
  expect(network).toBe('none')
}

async function untilNothingRemains(daemon: DaemonProcess, here: Platform, home: Home) {
  await daemon.api.call('deleteWorkload', { params: { name: 'apart' } })
  await untilGone(daemon, 'apart')
  await untilNothingIsLeft(here, home)
  for (const folder of ['o', 'i']) {
    const path = join(home.dir, 'run', 'toolhaven', folder)
    await until(`${path} to be empty`, async () => (await readdir(path).catch(() => [])).length === 0)
  }
}

const HTTP = {
  transport: 'streamable-http',
  target_port: 8123,
  cmd_arguments: ['--transport=streamable-http', '--port=8123'],
}

describe.each(platformsInTurn(import.meta.url))('network isolation on %s', (kind) => {
  const platform = usePlatform(kind)

  test('a server reaches its list and nothing else, and its status and its log say what it was refused', async (context) => {
    const here = platform(context)
    await using service = await openService()
    await using home = await here.makeHome()
    await using daemon = await startDaemon(home)
    await seeIsolation(daemon, await startIsolated(daemon, here, service.port, {}), service.port)
    await untilNothingRemains(daemon, here, home)
  })

  test('servers of client sessions are all confined like the first', async (context) => {
    const here = platform(context)
    await using service = await openService()
    await using home = await here.makeHome()
    await using daemon = await startDaemon(home)
    const url = await startIsolated(daemon, here, service.port, { session_mode: 'isolated' })
    await using _first = await connectMcp(url)
    await seeIsolation(daemon, url, service.port)
    await seeIsolation(daemon, url, service.port)
    await untilNothingRemains(daemon, here, home)
  })

  test('a server on a port is reached without any network, and the way out is back after the daemon was killed', async (context) => {
    const here = platform(context)
    await using service = await openService()
    await using home = await here.makeHome()
    await using first = await startDaemon(home)
    const url = await startIsolated(first, here, service.port, HTTP)
    await first.kill()
    await using second = await startDaemon(home)
    await untilRecovered(second, 'apart')
    await seeIsolation(second, url, service.port)
    await untilNothingRemains(second, here, home)
  })
})

describe.each(platformsInTurn(import.meta.url))('network isolation on the IPv6 loopback, on %s', (kind) => {
  const platform = usePlatform(kind)

  test.for(['streamable-http', 'sse'] as const)(
    'a server on ::1 alone is reached by %s',
    async (transport, context) => {
      const here = platform(context)
      await using home = await here.makeHome()
      await using daemon = await startDaemon(home)
      const port = await freePort()
      const flags = [`--transport=${transport}`, `--port=${port}`, '--host=::1']
      const served = { image: here.fixture, transport, target_port: port, target_host: '::1', cmd_args: flags }
      for (const [name, network] of [
        ['apart', {}],
        ['beside', { network_mode: 'host' }],
      ] as const) {
        const body = { schema_version: 'v0.1.0' as const, name, ...served, ...network }
        await daemon.api.call('importWorkload', { body, query: { accept_network: true } })
        await untilStatus(daemon, name, 'running')
        const { url } = await daemon.api.call('getWorkload', { params: { name } })
        await using connection = await connectMcp(url)
        expect(await callText(connection, 'echo', { text: 'hello' })).toContain('hello')
      }
      await daemon.api.call('deleteWorkload', { params: { name: 'beside' } })
      await untilGone(daemon, 'beside')
      await untilNothingRemains(daemon, here, home)
    },
  )
})

describe.each(enginesInTurn())('network isolation in a virtual machine, on %s', (kind) => {
  const platform = usePlatform(kind)

  test('a server is reached, reaches its list and nothing else, and so again after the daemon was killed', async (context) => {
    const here = platform(context)
    if (here.engine === undefined) throw new Error('a virtual machine has an engine')
    await using machine = await openVirtualMachine(here.engine)
    await using service = await openService()
    await using home = await here.makeHome({ DOCKER_HOST: `unix://${machine.socketPath}` })
    await using first = await startDaemon(home)
    const url = await startIsolated(first, here, service.port, HTTP)
    expect(await engineMust(here.engine.socketPath, 'GET', '/volumes')).toMatch(/thvnet-[\w-]+-out/)
    await seeIsolation(first, url, service.port)
    await first.kill()
    await using second = await startDaemon(home)
    await untilRecovered(second, 'apart')
    await seeIsolation(second, url, service.port)
    await untilNothingRemains(second, here, home)
    expect(await engineMust(here.engine.socketPath, 'GET', '/volumes')).not.toContain('thvnet-')
  })
})

describe('network isolation of a killed sidecar', () => {
  const platform = usePlatform('docker')

  test('starts the server again with another', async (context) => {
    const here = platform(context)
    await using service = await openService()
    await using home = await here.makeHome()
    await using daemon = await startDaemon(home)
    const url = await startIsolated(daemon, here, service.port, HTTP)
    if (here.engine) await engineMust(here.engine.socketPath, 'POST', '/containers/thvnet-thv-apart/kill')
    const reaches = async () => {
      await using connection = await connectMcp(url)
      return (await callText(connection, 'fetch', { url: `http://${LISTED}:${service.port}/` })).startsWith('200')
    }
    await until('the server to be started again', () => reaches().catch(() => false), 90_000)
    await untilNothingRemains(daemon, here, home)
  })
})
