import { execFile } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { promisify } from 'node:util'
import { afterAll, describe, expect, test } from 'vitest'
import { type DaemonProcess, startDaemon } from './src/daemon-process.ts'
import type { Home } from './src/home.ts'
import { type Platform, usePlatform } from './src/platform.ts'
import { rawCall } from './src/raw-call.ts'
import { socketOf } from './src/socket-of.ts'
import { untilStatus } from './src/statuses.ts'

const ASK = `const r = await fetch(process.argv[1]); process.stdout.write(JSON.stringify([r.status, await r.text()]))`

/** The same call by an ordinary user of this machine. */
async function callAsNobody(url: string): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', ASK, url], {
    uid: 65_534,
    gid: 65_534,
    env: {},
  })
  return stdout
}

describe('over real sockets', () => {
  const platform = usePlatform('process')
  let scene: { home: Home; daemon: DaemonProcess; port: number } | undefined

  async function open(here: Platform) {
    if (scene) return scene
    const home = await here.makeHome()
    const daemon = await startDaemon(home)
    const { port } = await daemon.api.call('createWorkload', { body: { name: 'guarded', image: here.fixture } })
    await untilStatus(daemon, 'guarded', 'running')
    return (scene = { home, daemon, port })
  }
  afterAll(async () => {
    await scene?.daemon[Symbol.asyncDispose]()
    await scene?.home[Symbol.asyncDispose]()
  })

  test('another user of the machine is refused at the API and at a workload', async (context) => {
    if (process.getuid?.() !== 0) context.skip('becoming another user needs root')
    const { daemon, port } = await open(platform(context))
    expect(await callAsNobody(`${daemon.baseUrl}/api/v1beta/workloads`)).toMatch(/^\[403,".*another user/)
    expect(await callAsNobody(`${daemon.baseUrl}/health`)).toMatch(/^\[403,/)
    expect(await callAsNobody(`http://127.0.0.1:${port}/mcp`)).toMatch(/^\[403,/)
    expect(await callAsNobody(`http://127.0.0.1:${port}/health`)).toMatch(/^\[403,/)
  })

  test.for<{ what: string; headers: Record<string, string> }>([
    { what: 'a foreign Host', headers: { host: 'evil.example' } },
    { what: 'a Host that only begins like ours', headers: { host: '127.0.0.1.evil.example' } },
    { what: 'a foreign Origin', headers: { origin: 'https://evil.example' } },
    { what: 'the Origin of a sandboxed page', headers: { origin: 'null' } },
    { what: 'a page of another site', headers: { 'sec-fetch-site': 'cross-site' } },
  ])('$what is refused at the API and at a workload', async ({ headers }, context) => {
    const { daemon, port } = await open(platform(context))
    expect(await rawCall({ port: daemon.port }, '/api/v1beta/workloads', { headers })).toMatchObject({ status: 403 })
    expect(await rawCall({ port: daemon.port }, '/health', { headers })).toMatchObject({ status: 403 })
    expect(await rawCall({ port }, '/mcp', { headers, method: 'POST' })).toMatchObject({ status: 403 })
    expect(await rawCall({ port }, '/sse', { headers })).toMatchObject({ status: 403 })
  })

  test('the unix socket is private and gives the value of a secret, which no port does', async (context) => {
    const { home, daemon } = await open(platform(context))
    await daemon.api.call('setupSecrets', { body: { provider_type: 'encrypted' } })
    await daemon.api.call('createSecret', { body: { key: 'mine', value: 'kept to the socket' } })
    const socketPath = await socketOf(home)
    expect((await stat(socketPath)).mode & 0o777).toBe(0o600)
    const path = '/api/v1beta/secrets/default/keys/mine/value'
    const overSocket = await rawCall({ socketPath }, path, { headers: { host: 'localhost' } })
    expect(overSocket).toEqual({ status: 200, body: JSON.stringify({ key: 'mine', value: 'kept to the socket' }) })
    const overTcp = await rawCall({ port: daemon.port }, path)
    expect(overTcp.status).toBe(404)
    expect(overTcp.body).not.toContain('kept to the socket')
  })

  test('with a token every call over TCP must carry it; the socket needs none', async (context) => {
    const token = 'a-token-for-one-test-only'
    await using home = await platform(context).makeHome({ THV_API_TOKEN: token })
    await using daemon = await startDaemon(home, ['--host', '0.0.0.0'])
    const path = '/api/v1beta/workloads'
    expect(await rawCall({ port: daemon.port }, path)).toMatchObject({ status: 403 })
    expect(
      await rawCall({ port: daemon.port }, path, { headers: { authorization: `Bearer ${token}x` } }),
    ).toMatchObject({
      status: 403,
    })
    expect(await rawCall({ port: daemon.port }, path, { headers: { authorization: `Bearer ${token}` } })).toMatchObject(
      { status: 200 },
    )
    expect(await rawCall({ socketPath: await socketOf(home) }, path, { headers: { host: 'localhost' } })).toMatchObject(
      { status: 200 },
    )
  })
})
