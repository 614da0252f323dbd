import { expect, test } from 'vitest'
import { fc } from '@toolhaven/testing/properties'
import { parseMessage, type LargeLine } from './json-rpc.ts'
import { largeRequest } from './large-request.ts'
import { requestLine } from './with-id.ts'

const LARGE = 'é\\" "id":7,"method":'.repeat(200)
const textOf = (params: unknown, more: object = {}) =>
  JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params, ...more })

test('a large request is what reading all of it says', () => {
  const small = fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 })
  fc.assert(
    fc.property(small, small, fc.integer({ min: 2000, max: 6000 }), (params, meta, size) => {
      const text = textOf({ ...params, _meta: meta, arguments: { text: 'x'.repeat(size), more: params } })
      const read = parseMessage(text)
      const large = largeRequest([Buffer.from(text)])
      if (large === undefined) return
      expect(read).toMatchObject({ kind: 'request', id: large.id, method: large.method })
      expect(JSON.stringify(large.params)).toBe(read?.kind === 'request' ? JSON.stringify(read.params) : '')
      expect(large.body).toEqual(read?.body)
      expect(large.text).toBe(text)
    }),
  )
})

test('what its outline tells is not read for again', () => {
  const bytes = Buffer.from(textOf({ name: 'echo', _meta: { progressToken: 5 }, arguments: { text: LARGE } }))
  const large = largeRequest([bytes])
  // Reading it now would give something else.
  bytes.fill('x')
  expect(large?.params).toMatchObject({ name: 'echo', _meta: { progressToken: 5 } })
  expect(() => large?.params?.['arguments']).toThrow('not what its outline says')
})

test.each([
  ['an answer', JSON.stringify({ jsonrpc: '2.0', id: 7, result: { text: LARGE } })],
  ['a notification', JSON.stringify({ jsonrpc: '2.0', method: 'notifications/x', params: { text: LARGE } })],
  ['a batch', `[${textOf({ text: LARGE })}]`],
  ['one with a long id', textOf({}, { id: LARGE })],
  ['one with a long method', textOf({}, { method: LARGE })],
  ['one with a long text for its params', textOf(LARGE)],
  ['one with a long key', textOf({ [LARGE]: 1 })],
  ['no JSON', textOf({ text: LARGE }).slice(0, -1)],
  ['one nested absurdly', textOf({ text: LARGE, deep: 0 }).replace('0}', `${'['.repeat(500)}${']'.repeat(500)}}`)],
])('%s is left to be read', (_what, text) => {
  expect(largeRequest([Buffer.from(text)])).toBeUndefined()
})

test('numbers keep their digits', () => {
  const text = textOf({ text: LARGE, count: 0 }).replace('"count":0', '"count":12345678901234567890')
  const large = largeRequest([Buffer.from(text)])
  expect(JSON.stringify({ ...large?.params })).toContain('"count":12345678901234567890')
  expect(JSON.stringify(large?.body)).toBe(text)
})

test('of two equal keys the last counts, also when it is long', () => {
  const text = `{"jsonrpc":"2.0","id":7,"method":"a","params":{"a":1,"a":"${'x'.repeat(2000)}","b":"${'y'.repeat(2000)}","b":2}}`
  expect({ ...largeRequest([Buffer.from(text)])?.params }).toEqual({ a: 'x'.repeat(2000), b: 2 })
})

test('a line of it has our id, and all else as it came', () => {
  const strings = fc.string({
    unit: fc.constantFrom('"id":7', '"id"', '\\', '"', ':7,', 'x', '\n', 'é'),
    minLength: 1500,
  })
  fc.assert(
    fc.property(
      strings,
      fc.boolean(),
      fc.constantFrom(7, 'seven', '"', '\\'),
      fc.nat(3000),
      (text, isLast, id, shift) => {
        const rest = { jsonrpc: '2.0', method: 'a', params: { arguments: { text: text.repeat(4) } } }
        const bytes = Buffer.from(JSON.stringify(isLast ? { ...rest, id } : { id, ...rest }))
        const middle = Math.floor(bytes.length / 2) - 1500 + shift
        const large = largeRequest([bytes.subarray(0, middle), bytes.subarray(middle)])
        expect(large?.id).toBe(id)
        const line = large?.bytes && requestLine(large.bytes, id, 99, large.outline)
        expect(JSON.parse(Buffer.concat(line ?? []).toString())).toEqual({ ...rest, id: 99 })
      },
    ),
  )
})

test('an id that is in two parts is left to be written again', () => {
  const text = textOf({ text: LARGE })
  const place = text.indexOf('"id"') + 2
  const bytes: LargeLine = [Buffer.from(text.slice(0, place)), Buffer.from(text.slice(place))]
  expect(requestLine(bytes, 7, 99, largeRequest([Buffer.from(text)])?.outline)).toBeUndefined()
})

test.each([
  ['wherever it stands', [0xff]],
  ['half a character at the end', [0xc3]],
  ['half of a pair', [0xed, 0xa0, 0x80]],
])('what is not UTF-8 is left to be refused: %s', (_what, bad) => {
  const [before, after] = [Buffer.from(textOf({ text: LARGE }).slice(0, -5)), Buffer.from(`${LARGE}"}}`)]
  expect(largeRequest([Buffer.concat([before, Buffer.from(bad)]), after])).toBeUndefined()
})

test('a character in two parts is one all the same', () => {
  const bytes = Buffer.from(textOf({ text: LARGE.repeat(3) }))
  const place = bytes.indexOf('é', 6000) + 1
  const parts = [bytes.subarray(0, place), bytes.subarray(place)]
  expect(largeRequest(parts)?.text).toBe(bytes.toString())
})

test.each([
  [
    'ends a line for some reader in a long string',
    `{"jsonrpc":"2.0","id":7,"method":"a","params":{"a":"${longText('\u2028')}"}}`,
  ],
  ['ends a line', `{"jsonrpc":"2.0","id":7,\n"method":"a","params":{"a":"${longText('')}"}}`],
  ['is there twice', `{"jsonrpc":"2.0","id":7,"method":"a","params":{"a":"${longText('')}"},"method":"a"}`],
  ['may be there twice', `{"jsonrpc":"2.0","id":7,"method":"a","params":{"a":"${longText('')}"},"\\u0069d":7}`],
])('no line is made of what %s', (_what, text) => {
  const bytes = Buffer.from(text)
  const outline = largeRequest([bytes])?.outline
  expect(outline).toBeDefined()
  expect(requestLine([bytes], 7, 99, outline)).toBeUndefined()
})

function longText(end: string): string {
  return `${'x'.repeat(2000)}${end}`
}
