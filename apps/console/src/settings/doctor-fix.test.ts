import { expect, test } from 'vitest'
import { doctorFix, isCommand, sortChecks } from './doctor-fix.ts'

test.each([
  ['thv restart time', { kind: 'restart', name: 'time' }],
  ['thv logs time', { kind: 'logs', name: 'time' }],
  ['thv secret set api-key', { kind: 'secret', key: 'api-key' }],
  ['thv adopt', { kind: 'page', to: '/adopt', label: 'Look at them' }],
  ['thv restart time (after you stopped the program that has port 8080)', undefined],
  ['thv logs prune', undefined],
  ['correct the file; Toolhaven leaves it alone until then', undefined],
])('what the console can do about it is offered, and nothing of the advice is lost: %s', (fix, expected) => {
  expect(doctorFix(fix)).toEqual(expected)
})

test('only a command is offered to be copied', () => {
  expect(isCommand('thv learn notes --apply')).toBe(true)
  expect(isCommand("chmod 600 '/home/me/file'")).toBe(true)
  expect(isCommand('thv serve (takes over from the old daemon)')).toBe(false)
  expect(isCommand('thv rm notes, then thv run it without --network host')).toBe(false)
  expect(isCommand('run the daemon as an ordinary user')).toBe(false)
})

test('what failed comes first', () => {
  const checks = [{ status: 'ok' }, { status: 'warning' }, { status: 'failed' }] as const
  expect(sortChecks(checks).map(({ status }) => status)).toEqual(['failed', 'warning', 'ok'])
})
