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

test('a daemon that runs and does not listen yet is waited for', async () => {
  const asked = createDaemonClient({ socketPath, isHeld: true }).call('getVersion', {}, unhurried)
  const isSettled = Promise.race([asked.then(Boolean, Boolean), new Promise((resolve) => setTimeout(resolve, 200))])
  expect(await isSettled).toBeUndefined()
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end('{"version":"1.2.3"}')
  }).listen(socketPath)
  cleanUp.defer(() => void server.close())
  await once(server, 'listening')
  expect(await asked).toEqual({ version: '1.2.3' })
})

test('a socket that nobody claims is not waited for', async () => {
  const asked = createDaemonClient({ socketPath }).call('getVersion', {}, unhurried)
  await expect(asked).rejects.toThrow('the daemon does not answer; start it with "thv serve"')
})
