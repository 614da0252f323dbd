import { describe, expect, test } from 'vitest'
import { fc } from '@toolhaven/testing/properties'
import { answerWithId, requestLine, requestWithId } from './with-id.ts'

describe('a response gets another id in place', () => {
  test.each([
    ['first', '{"jsonrpc":"2.0","id":7,"result":{"a":7}}', '{"jsonrpc":"2.0","id":"a","result":{"a":7}}'],
    ['last', '{"result":{"a":7},"jsonrpc":"2.0","id":7}', '{"result":{"a":7},"jsonrpc":"2.0","id":"a"}'],
    ['before the version', '{"id":7,"jsonrpc":"2.0","result":1}', '{"id":"a","jsonrpc":"2.0","result":1}'],
  ])('when it stands %s', (_where, text, expected) => {
    expect(answerWithId(text, 7, 'a')).toBe(expected)
  })

  test.each([
    ['in the middle', '{"jsonrpc":"2.0","result":{},"id":7,"x":1}'],
    ['with spaces', '{"jsonrpc": "2.0", "id": 7, "result": {}}'],
    ['of more digits', '{"jsonrpc":"2.0","id":77,"result":{}}'],
    ['on lines', '{"jsonrpc":"2.0","id":7,\n"result":{}}'],
    ['twice', '{"jsonrpc":"2.0","id":7,"result":{},"id":7}'],
    ['twice, once in disguise', '{"jsonrpc":"2.0","id":7,"result":{},"\\u0069d":7}'],
  ])('but not %s', (_what, text) => {
    expect(answerWithId(text, 7, 1)).toBeUndefined()
  })

  test('and says the same otherwise, or is left alone', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.oneof(fc.string(), fc.integer()), fc.boolean(), (result, to, isFirst) => {
        const message = isFirst ? { jsonrpc: '2.0', id: 123, result } : { result, jsonrpc: '2.0', id: 123 }
        const text = answerWithId(JSON.stringify(message), 123, to)
        if (text === undefined) return
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify({ ...message, id: to })))
      }),
    )
  })
})

describe('a request gets our id in place', () => {
  test.each([
    ['{"jsonrpc":"2.0","id":"x","method":"ping"}', '{"jsonrpc":"2.0","id":5,"method":"ping"}'],
    ['{"method":"a","params":{"b":[]},"id":"x"}', '{"method":"a","params":{"b":[]},"id":5}'],
  ])('%s', (text, expected) => {
    expect(requestWithId(text, 'x', 5)).toBe(expected)
  })

  test.each([
    ['is there twice', '{"jsonrpc":"2.0","id":"x","method":"ping","id":"x"}'],
    ['is there twice, once in disguise', '{"jsonrpc":"2.0","id":"x","method":"ping","\\u0069d":3}'],
    ['has spaces', '{"jsonrpc":"2.0","id": "x","method":"ping"}'],
    ['may be an argument', '{"jsonrpc":"2.0","params":{"id":"x"},"method":"a","id" :"x"}'],
  ])('but not when the id %s', (_what, text) => {
    expect(requestWithId(text, 'x', 5)).toBeUndefined()
  })

  test.each(['"method":"tasks/list","method":"ping"', '"params":{},"params":{}', '"params":{"_meta":{"_meta":1}}'])(
    'nor when readers may differ: %s',
    (rest) => {
      expect(requestWithId(`{"jsonrpc":"2.0","id":"x",${rest}}`, 'x', 5)).toBeUndefined()
    },
  )

  test('and says the same otherwise, or is left alone', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.integer(), (params, from) => {
        const message = { jsonrpc: '2.0', id: from, method: 'tools/call', params }
        const text = requestWithId(JSON.stringify(message), from, 99)
        if (text === undefined) return
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify({ ...message, id: 99 })))
      }),
    )
  })
})

describe('the bytes of a request get our id as its text does', () => {
  const ids = fc.oneof(fc.string(), fc.integer())
  const lineOf = (text: string, from: string | number) => requestLine([Buffer.from(text)], from, 99)?.join('')

  test('whatever it says', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), ids, (params, from) => {
        const text = JSON.stringify({ jsonrpc: '2.0', id: from, method: 'tools/call', params })
        const expected = requestWithId(text, from, 99)
        expect(lineOf(text, from)).toBe(expected === undefined ? undefined : `${expected}\n`)
      }),
    )
  })

  test.each(['\u2028', '\u2029'])('but not where some reader ends the line: %j', (separator) => {
    expect(lineOf(`{"jsonrpc":"2.0","id":1,"method":"a","params":{"b":"${separator}"}}`, 1)).toBeUndefined()
  })

  test.each([
    '{"jsonrpc":"2.0","id":1,"method":"ping","id":1}',
    '{"jsonrpc":"2.0","id":1,"method":"ping","\\u0069d":3}',
    '{"jsonrpc":"2.0",\n"id":1,"method":"ping"}',
  ])('nor when readers may differ: %s', (text) => {
    expect(lineOf(text, 1)).toBeUndefined()
  })
})
