import { expect, test } from 'vitest'
import { loginOf } from './start-workload.ts'

const FLAGS = { remoteAuthTimeout: 300, remoteAuthBrowser: true }

test('a run configuration says how long a login is waited for, unless a flag does', () => {
  const wait = (timeout: string, flags = FLAGS) => loginOf(flags, { remote_auth_config: { timeout } }).timeoutMs
  expect([wait('5m'), wait('1h30m'), wait('1.5s'), wait('250ms')]).toEqual([300_000, 5_400_000, 1500, 250])
  expect(wait('5m', { ...FLAGS, remoteAuthTimeout: 10 })).toBe(10_000)
  expect(loginOf(FLAGS).timeoutMs).toBe(300_000)
})

test('a run configuration with skipBrowser opens none', () => {
  expect(loginOf(FLAGS, { remote_auth_config: { skipBrowser: true } }).openBrowser).toBe(false)
  expect(loginOf(FLAGS, { remote_auth_config: { skipBrowser: false } }).openBrowser).toBe(true)
  expect(loginOf({ ...FLAGS, remoteAuthBrowser: false }).openBrowser).toBe(false)
})
