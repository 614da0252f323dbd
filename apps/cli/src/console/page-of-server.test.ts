import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ConsoleSession } from '@toolhaven/contract/console'
import { createDaemonClient } from '../connect/daemon-client.ts'
import { createOutput } from '../output/output.ts'
import { pageOfServer } from './page-of-server.ts'

let built: string
beforeAll(async () => {
  built = await mkdtemp(join(tmpdir(), 'thv-console-'))
  await writeFile(join(built, 'index.html'), '<title>Console</title>')
})
afterAll(() => rm(built, { recursive: true, force: true }))

interface Circumstances {
  login?: ConsoleSession['login']
  isTTY?: boolean
  elsewhere?: string
  folder?: string
  status?: number
}

/** The page of web, according to a daemon whose console is at http://localhost:8080/. */
async function pageOfWeb({ login = 'not-needed', isTTY = true, elsewhere, folder, status = 200 }: Circumstances) {
  await using server = createServer(({ url = '' }, response) => {
    response.statusCode = status
    const answer = url.endsWith('/session') ? { login } : { url: 'http://localhost:8080/' }
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const client = createDaemonClient({ host: '127.0.0.1', port: typeof address === 'object' ? (address?.port ?? 0) : 0 })
  const out = createOutput({ stdout: { write: () => {}, isTTY }, stderr: { write: () => {} }, env: {} })
  const context = { out, env: { THV_HOST: elsewhere }, signal: new AbortController().signal }
  const page = await pageOfServer(context, client, 'web', { place: '/tools', folder: folder ?? built })
  server.closeAllConnections()
  return page
}

test('a person at a terminal gets the page of a server', async () => {
  expect(await pageOfWeb({})).toBe('In the browser: http://localhost:8080/servers/web/tools')
  expect(await pageOfWeb({ elsewhere: 'unix:/run/toolhaven.sock' })).toContain('http://localhost:8080/servers/web')
})

test.each<[string, Circumstances]>([
  ['a program reads the output', { isTTY: false }],
  ['the browser would have to log in', { login: 'needed' }],
  ['the daemon is on another machine', { elsewhere: 'https://box.example' }],
  ['the console is not built', { folder: '/no/such/folder' }],
  ['the daemon does not answer as it should', { status: 500 }],
])('no page is named where %s', async (_, circumstances) => {
  expect(await pageOfWeb(circumstances)).toBeUndefined()
})
