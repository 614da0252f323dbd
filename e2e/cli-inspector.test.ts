import { afterAll, beforeAll, expect, test } from 'vitest'
import * as z from 'zod'
import { until } from '@toolhaven/testing/testbed/until'
import { type DaemonProcess, startDaemon } from './src/daemon-process.ts'
import { startThv } from './src/running-thv.ts'
import { freePort } from '@toolhaven/testing/free-port'
import { type Home, makeHome } from './src/home.ts'
import { processesOf } from './src/instances.ts'
import { thv } from './src/thv.ts'

let home: Home
let daemon: DaemonProcess
beforeAll(async () => {
  // The Inspector is the real one, so packages come from npm, as this machine reaches it.
  home = await makeHome({ env: { THV_RUNTIME: 'process' } })
  daemon = await startDaemon(home)
  await daemon.api.call('createWorkload', { body: { name: 'time', image: 'npx://time-mcp@1.0.6' } })
  const status = () => daemon.api.call('getWorkloadStatus', { params: { name: 'time' } })
  await until('the server from npm to run', async () => (await status()).status === 'running', 500_000)
})
afterAll(async () => {
  await daemon[Symbol.asyncDispose]()
  await home[Symbol.asyncDispose]()
})

/** It has several hundred dependencies. */
const FETCH_MS = 500_000

const ready = z.strictObject({ url: z.url(), server_url: z.url(), version: z.string() })

test('the page of the real Inspector is served, it reaches the workload and nothing else, and Ctrl-C leaves nothing', async () => {
  const before = await processesOf(home)
  const [uiPort, proxyPort] = [await freePort(), await freePort()]
  const ports = ['--ui-port', String(uiPort), '--mcp-proxy-port', String(proxyPort)]
  await using inspector = startThv(home, ['inspector', 'time', ...ports, '--format', 'json'], FETCH_MS)
  const [text = ''] = await inspector.says(/^\{[^}]*\}/)
  const { url, server_url: server } = ready.parse(JSON.parse(text))
  expect(new URL(url).port).toBe(String(uiPort))
  expect(await (await fetch(url)).text()).toMatch(/<title>.*Inspector/i)

  const token = new URL(url).searchParams.get('MCP_INSPECTOR_API_TOKEN') ?? ''
  const ask = inspectorApi(url, token)
  expect(await ask('GET', '/api/servers')).toMatchObject({
    status: 200,
    body: { mcpServers: { [new URL(server).host]: { type: 'streamable-http', url: server } } },
  })
  const { body } = await ask('POST', '/api/mcp/connect', { config: { type: 'streamable-http', url: server } })
  const { sessionId } = z.looseObject({ sessionId: z.string() }).parse(body)
  const message = { jsonrpc: '2.0', id: 1, method: 'initialize', params: INITIALIZE }
  expect(await ask('POST', '/api/mcp/send', { sessionId, message })).toMatchObject({ status: 200 })
  // Without the token, or for a page of another site, there is nothing.
  expect(await inspectorApi(url, 'wrong')('GET', '/api/servers')).toMatchObject({ status: 401 })
  // The daemon's own port is on the same loopback, and cannot be reached.
  const config = { type: 'streamable-http', url: `${daemon.baseUrl}/mcp` }
  const other = z
    .looseObject({ sessionId: z.string().optional() })
    .parse((await ask('POST', '/api/mcp/connect', { config })).body)
  const refused = await ask('POST', '/api/mcp/send', { sessionId: other.sessionId, message })
  expect(JSON.stringify(refused)).toMatch(/fetch failed|ECONNREFUSED|error/i)
  expect(refused.status === 200 && !JSON.stringify(refused.body).includes('error')).toBe(false)

  const ended = await inspector.interrupt()
  // On a slow machine, the progress of the start is printed, and nothing else.
  expect({ ...ended, stderr: ended.stderr.replaceAll(/^\[\d+ s\] .*\n/gm, '') }).toMatchObject({ code: 0, stderr: '' })
  await until('the Inspector to be gone', async () => (await processesOf(home)).length === before.length, 30_000)
  await expect(fetch(url)).rejects.toThrow()
  expect((await daemon.api.call('listWorkloads', { query: { all: true } })).workloads.map(({ name }) => name)).toEqual([
    'time',
  ])
}, 600_000)

test('it ends with the command, however that ends, and its ports are free again', async () => {
  const before = await processesOf(home)
  const [uiPort, proxyPort] = [await freePort(), await freePort()]
  const ports = ['--ui-port', String(uiPort), '--mcp-proxy-port', String(proxyPort)]
  await using inspector = startThv(home, ['inspector', 'time', ...ports], FETCH_MS)
  await inspector.says(/^The Inspector of time is at http:\/\/127\.0\.0\.1:\d+\/\?\S+\n$/)
  const taken = await thv(home, ['inspector', 'time', ...ports])
  expect(taken).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(`Port ${uiPort}`) })
  await inspector.kill()
  await until('the Inspector to be gone', async () => (await processesOf(home)).length === before.length, 30_000)
})

test('what cannot be inspected is said', async () => {
  expect(await thv(home, ['inspector', 'tmie'])).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('Did you mean time?'),
  })
  expect(await thv(home, ['inspector', 'time', '--ui-port', '7000', '--mcp-proxy-port', '7000'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('two different ports'),
  })
  expect(await thv(home, ['inspector', 'time', '--inspector-version', '1.0.3'])).toMatchObject({ code: 2 })
  await thv(home, ['stop', 'time'])
  expect(await thv(home, ['inspector', 'time'])).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('time is stopped\n"thv restart time" starts it.'),
  })
})

const INITIALIZE = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'toolhaven-e2e', version: '1.0.0' },
}

/** Its MCP proxy, as its page calls it. */
function inspectorApi(url: string, token: string) {
  return async (method: string, path: string, body?: object): Promise<{ status: number; body: unknown }> => {
    const response = await fetch(new URL(path, url), {
      method,
      headers: { 'x-mcp-remote-auth': `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
  }
}
