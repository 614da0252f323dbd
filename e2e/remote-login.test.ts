import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { browse, startLoginProvider } from '@toolhaven/testing/testbed/login-provider'
import { startProtectedServer } from '@toolhaven/testing/testbed/protected-server'
import { until } from '@toolhaven/testing/testbed/until'
import { startDaemon } from './src/daemon-process.ts'
import { makeHome } from './src/home.ts'
import { callText, connectMcp } from './src/mcp-client.ts'
import { startThv } from './src/running-thv.ts'
import { thv } from './src/thv.ts'

const LOGIN = /http:\/\/127\.0\.0\.1:\d+\/auth\?\S+/

test('a person logs in to a remote server once, and it is used from then on, over restarts too', async () => {
  await using provider = await startLoginProvider()
  await using server = await startProtectedServer(provider)
  await using home = await makeHome({ env: { THV_RUNTIME: 'process' } })
  let url: string
  {
    await using _daemon = await startDaemon(home)
    await using running = startThv(home, ['run', server.url, '--accept-network', '--name', 'far'])
    const [address] = await running.says(LOGIN)
    const waiting = JSON.parse((await thv(home, ['list', '--format', 'json'])).stdout)
    expect(JSON.stringify(waiting)).toContain(`needs login: ${address}`)
    expect((await browse(address)).text).toContain('You are logged in')
    url = (await running.says(/far is running at (\S+)/))[1] ?? ''
    await using client = await connectMcp(url)
    expect(await callText(client, 'echo', { text: 'hello' })).toContain('hello')
  }
  {
    await using _daemon = await startDaemon(home)
    const isRunning = async () => (await thv(home, ['list', '--format', 'json'])).stdout.includes('"running"')
    await until('the server to run again without a login', isRunning, 60_000)
    await using client = await connectMcp(url)
    expect(await callText(client, 'echo', { text: 'again' })).toContain('again')
  }
  expect(provider.requests.filter((request) => request === 'GET /auth')).toHaveLength(1)
  const tokens = new Set(server.seen.flatMap((header) => header?.replace('Bearer ', '') ?? []))
  expect(tokens.size).toBeGreaterThan(0)
  for (const text of await textsBelow(home.dir)) for (const token of tokens) expect(text).not.toContain(token)
})

test('nobody who logs in in time is told so, and the server goes on waiting', async () => {
  await using provider = await startLoginProvider()
  await using server = await startProtectedServer(provider)
  await using home = await makeHome({ env: { THV_RUNTIME: 'process' } })
  await using _daemon = await startDaemon(home)
  const { code, stderr } = await thv(home, [
    'run',
    server.url,
    '--accept-network',
    '--name',
    'far',
    '--remote-auth-timeout',
    '1',
  ])
  expect(code).toBe(1)
  expect(stderr).toContain('nobody logged in to far within 1 s')
  const address = LOGIN.exec(stderr)?.[0] ?? ''
  expect((await browse(address)).text).toContain('You are logged in')
  const isRunning = async () => (await thv(home, ['list'])).stdout.includes('running')
  await until('the server to run', isRunning, 60_000)
})

async function textsBelow(dir: string): Promise<string[]> {
  const files = (await readdir(dir, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
  return Promise.all(files.map((entry) => readFile(join(entry.parentPath, entry.name), 'latin1')))
}
