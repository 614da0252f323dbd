import { expect, test } from 'vitest'
import { requestOf } from '../messages/json-rpc.ts'
import { Traffic } from './traffic.ts'

function clocked(start = 1_000_000) {
  const clock = { now: start }
  const traffic = new Traffic(() => clock.now)
  const call = (ms: number, outcome: 'answered' | 'failed' | 'abandoned' = 'answered', method = 'tools/call') => {
    const begun = { request: requestOf(1, method, {}), since: clock.now }
    traffic.begin(begun)
    clock.now += ms
    traffic.end(begun, outcome)
  }
  return { clock, traffic, call }
}

test('calls, errors and the median are of the last minute', () => {
  const { clock, traffic, call } = clocked()
  expect(traffic.lastMinute()).toEqual({ calls: 0, errors: 0 })
  for (let i = 0; i < 9; i++) call(10)
  call(4000, 'failed')
  const { p50Ms, ...counts } = traffic.lastMinute()
  expect(counts).toEqual({ calls: 10, errors: 1 })
  expect(p50Ms).toBeGreaterThan(8)
  expect(p50Ms).toBeLessThan(12)
  clock.now += 61_000
  expect(traffic.lastMinute()).toEqual({ calls: 0, errors: 0 })
  call(1)
  expect(traffic.lastMinute()).toMatchObject({ calls: 1, errors: 0 })
})

test('what was given up counts as a call, not as an error and not for the median', () => {
  const { traffic, call } = clocked()
  call(30_000, 'abandoned')
  expect(traffic.lastMinute()).toEqual({ calls: 1, errors: 0 })
})

test('what was refused is an error that took no time of the server', () => {
  const { traffic } = clocked()
  traffic.refused()
  expect(traffic.lastMinute()).toEqual({ calls: 1, errors: 1 })
})

test('a listener is not a call', async () => {
  const { traffic, call } = clocked()
  call(50_000, 'answered', 'subscriptions/listen')
  expect(traffic.lastMinute()).toEqual({ calls: 0, errors: 0 })
  await traffic.drain(60_000)
})

test('durations out of all bounds are counted too', () => {
  const { traffic, call } = clocked()
  call(0)
  expect(traffic.lastMinute().p50Ms).toBeLessThan(1)
  call(1e12)
  expect(traffic.lastMinute()).toMatchObject({ calls: 1, p50Ms: expect.any(Number) })
})
