import { expect, test } from 'vitest'
import { inOrder } from './line-writer.ts'
import { timeOf } from './since.ts'

test('how long ago, or when, becomes a time', () => {
  const now = Date.parse('2026-01-15T12:00:00Z')
  expect(['90s', '1h30m', '2d', '2026-01-15T09:30:00Z', '2026-01-15'].map((text) => timeOf(text, now))).toEqual([
    ...['2026-01-15T11:58:30.000Z', '2026-01-15T10:30:00.000Z', '2026-01-13T12:00:00.000Z'],
    ...['2026-01-15T09:30:00.000Z', '2026-01-15T00:00:00.000Z'],
  ])
  for (const text of ['', '10', 'm', '-5m', 'yesterday', '2026-13-40', '99999999999d'])
    expect(() => timeOf(text, now), text).toThrow('such as 10m, 2h or 1d')
})

test('lines of several workloads stand in the order of time, and those without time before the others of their workload', () => {
  const of = (name: string, ...times: (string | undefined)[]) =>
    times.map((time, at) => ({ name: `${name}${at}`, line: { time, text: '' } }))
  const ordered = inOrder([of('a', undefined, '01', '03'), of('b', '02', undefined, '04'), of('c', undefined)])
  expect(ordered.map(({ name }) => name).join(' ')).toBe('a0 c0 a1 b0 b1 a2 b2')
})
