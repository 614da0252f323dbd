import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createDaemonClient } from './daemon-client.ts'

let cleanUp: AsyncDisposableStack
let socketPath: string
beforeEach(async () => {
  cleanUp = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'thv-x-'))
  cleanUp.defer(() => rm(folder, { recursive: true, force: true }))
  socketPath = join(folder, 's')
})
afterEach(() => cleanUp.disposeAsync())

const unhurried = AbortSignal.timeout(30_000)

async function listen(path: string): Promise<string> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end('{"version":"1.2.3"}')
  }).listen(path)
  cleanUp.defer(() => void server.close())
  await once(server, 'listening')
  return path
}

test('a daemon that does not listen yet is waited for, by calls and by streams', async () => {
  const moved = `${socketPath}-moved`
  const whenNobodyListens = () => listen(moved)
  const client = createDaemonClient({ socketPath, whenNobodyListens })
  expect(await client.call('getVersion', {}, unhurried)).toEqual({ version: '1.2.3' })
  const fresh = createDaemonClient({ socketPath, whenNobodyListens: () => Promise.resolve(moved) })
  for await (const line of await fresh.stream('streamEvents', {}, unhurried)) expect(line).toBe('no event is sent')
})

test('a socket that nobody claims is not waited for', async () => {
  const asked = createDaemonClient({ socketPath }).call('getVersion', {}, unhurried)
  await expect(asked).rejects.toThrow('the daemon does not answer; start it with "thv serve"')
})
