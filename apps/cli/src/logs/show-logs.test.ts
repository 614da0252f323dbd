import { expect, test } from 'vitest'
import { createOutput } from '../output/output.ts'
import { createLineWriter, inOrder } from './line-writer.ts'
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

test.each(['text', 'json'])('as %s, what a server writes drives no terminal', (format) => {
  const text = 'a\u009B31mb\u202Ec\u2066d\u200Fe\u0007f é'
  let all = ''
  const stream = { isTTY: true, write: (written: string) => (all += written) }
  const out = createOutput({ stdout: stream, stderr: stream, env: {}, now: () => 0 })
  createLineWriter(out, ['time'], { format, timestamps: false })('time', { text })
  const written = all
  out.json({ text })
  expect(all).not.toMatch(/[^\n\P{Cc}]|[\u200E\u200F\u202A-\u202E\u2066-\u2069]/u)
  // JSON keeps every character, and text writes out those that are not shown.
  const kept = format === 'json' ? String(JSON.parse(written).text) : written.trimEnd()
  expect(kept).toBe(format === 'json' ? text : String.raw`a\u{9b}31mb\u{202e}c\u{2066}d\u{200f}e\u{7}f é`)
})
