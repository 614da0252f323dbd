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

/** A daemon that ends in the middle of each request; gives the methods it was asked with. */
async function listenAndEnd(path: string): Promise<string[]> {
  const asked: string[] = []
  const server = createServer((request) => {
    asked.push(request.method ?? '')
    request.socket.destroy()
  }).listen(path)
  cleanUp.defer(() => void server.close())
  await once(server, 'listening')
  return asked
}

test('a question that is cut off is asked again, by calls and by streams; a change is not', async () => {
  const asked = await listenAndEnd(socketPath)
  const next = await listen(`${socketPath}-next`)
  const client = createDaemonClient({ socketPath, whenNobodyListens: () => Promise.resolve(next) })
  expect(await client.call('getVersion', {}, unhurried)).toEqual({ version: '1.2.3' })
  for await (const line of await client.stream('streamEvents', {}, unhurried)) expect(line).toBe('no event is sent')
  const stop = client.call('stopWorkload', { params: { name: 'a' } }, unhurried)
  await expect(stop).rejects.toThrow('the daemon went away in the middle of its answer')
  expect(asked).toEqual(['GET', 'GET', 'POST'])
})

test('a question that ends every daemon is asked twice', async () => {
  const asked = await listenAndEnd(socketPath)
  const client = createDaemonClient({ socketPath, whenNobodyListens: () => Promise.resolve(socketPath) })
  await expect(client.call('getVersion', {}, unhurried)).rejects.toThrow('the daemon went away')
  expect(asked).toEqual(['GET', 'GET'])
})
