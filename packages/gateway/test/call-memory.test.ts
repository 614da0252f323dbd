import { expect, it } from 'vitest'
import { requestOf } from '../src/messages/json-rpc.ts'
import { startGateway } from './support/gateway.ts'
import { postModern } from './support/modern-post.ts'
import { openSession } from './support/raw-server.ts'
import { weightOf } from '../src/messages/weight.ts'

const MIB = 1024 * 1024

function call(id: number, name: string, args: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } })
}

/** About 3.6 MiB in memory, sent as 150 KB. */
const MANY_VALUES = Array.from({ length: 50_000 }, () => ({}))

it('calls that nobody answers do not fill the memory: further large ones are refused, small ones go on', async () => {
  await using test = await startGateway({ limits: { maxCallBytes: 10 * MIB } })
  await test.open()
  await test.run()
  const post = await openSession(test)
  const held = [1, 2].map((id) => post(call(id, 'sleep', { ms: 600_000, list: MANY_VALUES })).catch(() => undefined))
  const refused = async (id: number) => (await post(call(id, 'size', { text: 'x', list: MANY_VALUES }))).text()
  await expect.poll(() => refused(9), { timeout: 20_000 }).toContain('take too much memory. Wait until some')
  expect(await (await post(call(10, 'echo', { text: 'hi' }))).text()).toContain('hi')

  // Cancelled calls release their room, although the server may still work on them.
  for (const requestId of [1, 2])
    await post(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } }))
  await expect.poll(() => refused(11), { timeout: 20_000 }).toContain('"result"')
  await Promise.all(held)
})

it('a single call that would take too much memory is refused with what to do', async () => {
  await using test = await startGateway({ limits: { maxCallBytes: 4 * MIB } })
  await test.open()
  await test.run()
  const post = await openSession(test)
  expect(await (await post(call(1, 'echo', { list: MANY_VALUES }))).text()).toContain('too many values')
  // As one string it weighs its length.
  expect(await (await post(call(2, 'size', { text: 'x'.repeat(MIB) }))).text()).toContain(String(MIB))
})

it('all workloads together have a bound too', async () => {
  await using test = await startGateway({ limits: { maxCallBytes: 100 * MIB, maxCallBytesInAll: 3 * MIB } })
  await test.open()
  await test.run()
  const post = await openSession(test)
  expect(await (await post(call(1, 'echo', { list: MANY_VALUES }))).text()).toContain('take too much memory')
})

it('requests without sessions count while they wait for their server', async () => {
  await using test = await startGateway({ limits: { maxCallBytes: 10 * MIB, backendWaitMs: 600_000 } })
  await test.open()
  const params = { name: 'size', arguments: { text: 'x', list: MANY_VALUES } }
  const ask = () => postModern(test, 'tools/call', params).then((response) => response.text())
  const asked = [ask(), ask(), ask()]
  expect(await Promise.race(asked)).toContain('take too much memory')
  await test.run()
  // Those that waited are carried out, and their room is free again.
  const answers = [...(await Promise.all(asked)), await ask()]
  expect(answers.filter((answer) => answer.includes('"result"'))).toHaveLength(3)
})

it('small calls weigh what they take, not only what they are long', () => {
  const request = requestOf(1, 'tools/call', { list: Array.from({ length: 300 }, () => ({})) })
  expect(weightOf(request, Infinity)).toBeGreaterThan(20_000)
  expect(weightOf(requestOf(1, 'ping'), Infinity)).toBeGreaterThanOrEqual(1024)
})

it('counting a request ends where it is too much', () => {
  const request = requestOf(1, 'tools/call', { list: Array.from({ length: 1_000_000 }, () => [[]]) })
  expect(weightOf(request, 1000)).toBeLessThan(request.text.length + 3000)
  expect(weightOf(request, Infinity)).toBeGreaterThan(100 * MIB)
})
