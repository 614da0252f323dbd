import { describe, expect, test } from 'vitest'
import { OutputRing } from './output-ring.ts'

const signal = new AbortController().signal

async function text(ring: OutputRing, options: Parameters<OutputRing['read']>[0]): Promise<string> {
  let all = ''
  for await (const chunk of ring.read(options, signal)) all += Buffer.from(chunk.data).toString()
  return all
}

describe('the kept output', () => {
  test.each([
    [['a\nb\nc\n'], 2, 'b\nc\n'],
    [['a\nb', '\nc\n'], 2, 'b\nc\n'],
    [['a\n', 'b\n', 'unfinished'], 2, 'b\nunfinished'],
    [['a\n', 'b\n'], 9, 'a\nb\n'],
    [['a\n', 'b\n'], 0, ''],
    [['a\n', '\n'], 1, '\n'],
  ])('of %j the last %i lines are %j', async (chunks, tail, expected) => {
    const ring = new OutputRing(1000)
    for (const chunk of chunks) ring.append('stdout', Buffer.from(chunk), 0)
    expect(await text(ring, { tail })).toBe(expected)
  })

  test('forgets the oldest beyond its size', async () => {
    const ring = new OutputRing(10)
    for (const chunk of ['12345\n', '67890\n', 'abc\n']) ring.append('stdout', Buffer.from(chunk), 0)
    expect(await text(ring, {})).toBe('67890\nabc\n')
  })

  test('begins at the time asked for', async () => {
    const ring = new OutputRing(100)
    ring.append('stdout', Buffer.from('early\n'), Date.parse('2026-01-01T00:00:00Z'))
    ring.append('stderr', Buffer.from('late\n'), Date.parse('2026-01-01T00:00:05Z'))
    expect(await text(ring, { since: '2026-01-01T00:00:05Z' })).toBe('late\n')
  })

  test('a follower of what has ended gets all and ends', async () => {
    const ring = new OutputRing(100)
    ring.append('stdout', Buffer.from('all\n'), 0)
    ring.end()
    expect(await text(ring, { follow: true })).toBe('all\n')
  })
})
