import { describe, expect, it } from 'vitest'
import { fc } from '@toolhaven/testing/properties'
import { AnswerReader } from './answer-reader.ts'
import { disagreement, plain, readOne, readWith } from '../../../test/support/compare-answers.ts'
import { keptAnswer, madeAnswer } from '../../../test/support/made-answers.ts'
import { nodeReader } from '../../../test/support/node-answers.ts'

describe('the reader of answers', () => {
  it("takes what Node's own client takes, as it does, and refuses what that refuses", async () => {
    await using node = await nodeReader()
    const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(madeAnswer, sizes, async (text, cuts) => {
        const bytes = Buffer.from(text, 'latin1')
        const bytewise = readOne(bytes, [1])
        const cut = readOne(bytes, cuts)
        expect(cut.answer).toEqual(bytewise.answer)
        // Bytes that follow the answer may arrive together with its end.
        expect(cut.refusal === bytewise.refusal || cut.keptMs === 0).toBe(true)
        expect(disagreement(text, bytewise, await node.read(bytes))).toBeUndefined()
      }),
      { numRuns: 1500 },
    )
  })

  it('reads one answer after the other on a connection', async () => {
    await using node = await nodeReader()
    await fc.assert(
      fc.asyncProperty(
        fc.array(keptAnswer, { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 50 }),
        async (texts, size) => {
          const answers = texts.map((text) => Buffer.from(text, 'latin1'))
          const reader = new AnswerReader()
          const ours = answers.map((bytes) => readWith(reader, bytes, [size], false))
          const theirs = await node.readAll(answers)
          expect(ours.map(({ answer }) => answer)).toEqual(theirs.map((answer) => answer && plain(answer)))
          for (const { keptMs } of ours) expect(keptMs).toBeGreaterThan(0)
        },
      ),
      { numRuns: 100 },
    )
  })

  it('skips what comes on the way to an answer, and what stands between and after chunks', () => {
    const early = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: a\r\n\r\n'
    const chunks = '3;name="a value"\r\nabc\r\n0a\r\n0123456789\r\n0\r\nx-checked: yes\r\n\r\n'
    const bytes = Buffer.from(`${early}HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n${chunks}`)
    const { answer, keptMs } = readOne(bytes, [bytes.length])
    expect(answer).toEqual({ status: 200, headers: { 'transfer-encoding': 'Chunked' }, body: 'abc0123456789' })
    expect(keptMs).toBe(4000)
  })

  it.each([
    ['', 4000],
    ['keep-alive: timeout=5, max=100\r\n', 3000],
    ['keep-alive: timeout=2\r\n', 0],
    ['keep-alive: timeout=99999\r\n', 600_000],
    ['connection: Close\r\n', 0],
    ['connection: foo\r\nconnection: bar, close\r\n', 0],
    ['connection: not-close\r\n', 4000],
  ])('says how long a connection is of use after %j', (lines, keptMs) => {
    const read = (status: string) =>
      readOne(Buffer.from(`${status}\r\n${lines}content-length: 0\r\n\r\n`), [100]).keptMs
    expect(read('HTTP/1.1 200 OK')).toBe(keptMs)
    expect(read('HTTP/1.0 200 OK')).toBe(0)
  })

  it('does not keep a connection that may bring the body that an answer must not have', () => {
    const read = (lines: string) => readOne(Buffer.from(`HTTP/1.1 204 No Content\r\n${lines}\r\n`), [100]).keptMs
    expect(read('')).toBe(4000)
    expect(read('content-length: 0\r\n')).toBe(4000)
    expect(read('content-length: 5\r\n')).toBe(0)
    expect(read('transfer-encoding: chunked\r\n')).toBe(0)
  })

  it('ends a connection that brings more than the answer', () => {
    const bytes = Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nokHTTP/1.1 200 OK\r\n')
    expect(readOne(bytes, [bytes.length])).toMatchObject({ answer: { body: 'ok' }, keptMs: 0 })
  })

  const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'
  const long = 'x'.repeat(16 * 1024)
  it.each([
    // The end of these never comes.
    ['another protocol', 'SSH-2.0-x', 'its first line is not a status line'],
    ['lines that end with LF', 'HTTP/1.1 200 OK\nx: y\n\n', 'a line of its head ends with no CR LF'],
    ['lines that end with CR', 'HTTP/1.1 200 OK\rx: y\r\r', 'a line of its head ends with no CR LF'],
    ['a head without an end', `HTTP/1.1 200 OK\r\nx: ${long}`, 'its head is over 16384 bytes'],
    ['a long head', `HTTP/1.1 200 OK\r\nx: ${long}\r\n\r\n`, 'its head is over 16384 bytes'],
    ['a chunk size without an end', `${chunked}1;${long}`, 'a line between its chunks is too long'],
    ['a large chunk', `${chunked}1000000000000\r\n`, 'a chunk does not begin with its size'],
    [
      'many extensions',
      `${chunked}${`1;a=${'b'.repeat(2000)}\r\nx\r\n`.repeat(9)}`,
      'there is too much between its chunks',
    ],
    [
      'many trailers',
      `${chunked}0\r\n${`a: ${'b'.repeat(2000)}\r\n`.repeat(9)}`,
      'there is too much between its chunks',
    ],
    ['a chunk that goes on', `${chunked}1\r\nxy\r\n`, 'a chunk is longer than it says'],
    ['a chunk size ended by LF', `${chunked}1\nx`, 'a line between its chunks ends with no CR LF'],
  ])('refuses %s', (_what, text, refusal) => {
    const bytes = Buffer.from(text)
    for (const size of [1, 1000, bytes.length])
      expect(readWith(new AnswerReader(), bytes, [size], false).refusal).toBe(
        `the server's answer is not well-formed HTTP: ${refusal}`,
      )
  })

  it('takes a head of just the size that is allowed', () => {
    const start = 'HTTP/1.1 204 No Content\r\nx: '
    const head = `${start}${'y'.repeat(16 * 1024 - start.length - 4)}\r\n\r\n`
    expect(readOne(Buffer.from(head), [1000]).answer?.status).toBe(204)
  })
})
