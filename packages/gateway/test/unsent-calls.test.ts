import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import type { SessionServer } from '@toolhaven/core/ports/gateway'
import { childServer } from '@toolhaven/testing/mcp-servers/child-channel'
import { expect, it } from 'vitest'
import { startGateway, type TestGateway } from './support/gateway.ts'
import { runAuto } from './support/isolated.ts'
import { RawModernClient } from './support/modern-client.ts'
import { openSession } from './support/raw-server.ts'

/** Enough for another server to start, even on a busy machine. */
const PATIENT = { backendWaitMs: 60_000 }

/** A run that starts `count` processes besides its first one, and no more. Returns when it was asked for more. */
async function runStuck(test: TestGateway, count = 0): Promise<{ asked: Promise<void> }> {
  const asked = Promise.withResolvers<void>()
  let started = 0
  const startAnother = async (signal: AbortSignal): Promise<SessionServer> => {
    if (started++ < count) return processOf(test, started)
    asked.resolve()
    await once(signal, 'abort')
    throw signal.reason
  }
  await runAuto(test, { needsOwn: true, startAnother })
  return { asked: asked.promise }
}

function processOf(test: TestGateway, number: number): SessionServer {
  const child = childServer([])
  const end = () => child.kill()
  test.defer(end)
  const { channel, start } = child
  return { tag: `tag${number}`, server: { kind: 'stdio', channel, processId: randomUUID(), start }, end }
}

/** The outcome of a call, once it has an answer. */
function watched(answer: Promise<string>): { text?: string } {
  const seen: { text?: string } = {}
  void answer.then((text) => (seen.text = text))
  return seen
}

it('a call whose process was not up when the server ended goes to the next server', async () => {
  await using test = await startGateway({ limits: PATIENT })
  await test.open()
  await runAuto(test, { needsOwn: true })
  const post = await openSession(test)
  const { asked } = await runStuck(test)
  const body = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'echo', arguments: { message: 'late' } } }
  const call = watched(post(JSON.stringify(body)).then((response) => response.text()))
  await asked
  // Without a server none can fail the call, which waits for the next one.
  test.gateway.disconnect('fixture', 'the engine went away')
  await runAuto(test, { needsOwn: true })
  await expect.poll(() => call.text, { timeout: 20_000 }).toContain('"result"')
})

it('a handshake whose process was not up when the server ended goes to the next server', async () => {
  await using test = await startGateway({ limits: PATIENT })
  await test.open()
  const { asked } = await runStuck(test)
  const opening = openSession(test)
  await asked
  test.gateway.disconnect('fixture', 'the server ended')
  await runAuto(test, { needsOwn: true })
  const post = await opening
  const body = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'echo', arguments: { message: 'late' } } }
  expect(await (await post(JSON.stringify(body))).text()).toContain('"result"')
})

it('a handshake that no process could be started for is told why', async () => {
  await using test = await startGateway({ limits: { backendWaitMs: 300 } })
  await test.open()
  const { asked } = await runStuck(test)
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } }
  const answer = fetch(`${test.origin}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
  })
  await asked
  test.gateway.disconnect('fixture', 'the engine went away')
  expect(await (await answer).text()).toContain('is not available (the engine went away). Try again when it runs')
})

it('a call of a client without a session does so too', async () => {
  await using test = await startGateway({ limits: PATIENT })
  await test.open()
  // One for the list of tools, which all clients share. The call of another client takes the first process.
  const { asked } = await runStuck(test, 1)
  const client = new RawModernClient(test, 'modern')
  expect(await client.sample('zero')).toContain('modern answers zero')
  const call = watched(client.sample('one'))
  await asked
  // The process was requested before there was a call for it, and no event tells when the call waits for it.
  await setTimeout(500)
  await runAuto(test, { needsOwn: true })
  await expect.poll(() => call.text, { timeout: 20_000 }).toContain('modern answers one')
})

it('a call that no process could be started for is told why', async () => {
  await using test = await startGateway({ limits: { backendWaitMs: 300 } })
  await test.open()
  await runAuto(test, { needsOwn: true })
  const post = await openSession(test)
  const { asked } = await runStuck(test)
  const answer = post(JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/list' }))
  await asked
  test.gateway.disconnect('fixture', 'the engine went away')
  expect(await (await answer).text()).toContain('is not available (the engine went away). Try again when it runs')
})

it('a call that waits for its process is answered when the daemon ends', async () => {
  await using test = await startGateway({ limits: PATIENT })
  await test.open()
  await runAuto(test, { needsOwn: true })
  const post = await openSession(test)
  const { asked } = await runStuck(test)
  const answer = post(JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/list' }))
  await asked
  await test.gateway.shutdown(0)
  expect(await (await answer).text()).toContain('the daemon is restarting')
})

it('a call that waits is judged by the rules that are in force when its server is there', async () => {
  await using test = await startGateway({ limits: PATIENT })
  await test.open()
  const child = await test.run()
  const post = await openSession(test)
  await child.kill()
  const body = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'echo', arguments: { message: 'late' } } }
  const answer = post(JSON.stringify(body))
  // No event tells when it has arrived.
  await setTimeout(300)
  await test.open({ toolsFilter: ['add'] })
  await test.run()
  expect(await (await answer).text()).toContain('"error"')
})
