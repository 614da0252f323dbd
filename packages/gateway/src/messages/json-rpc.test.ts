import { describe, expect, it } from 'vitest'
import { fc } from '@toolhaven/testing/properties'
import { idKey, parseJson, parseMessage } from './json-rpc.ts'

describe('parseJson', () => {
  it('means what JSON.parse makes of it', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(JSON.parse(JSON.stringify(parseJson(text)?.value))).toEqual(JSON.parse(text))
      }),
    )
  })

  it('keeps every digit of large integers', () => {
    fc.assert(
      fc.property(fc.bigInt(), (number) => {
        const text = `{"jsonrpc":"2.0","id":1,"result":{"n":${number},"list":[${number}]}}`
        expect(JSON.stringify(parseJson(text)?.value)).toBe(text)
      }),
    )
  })

  it('keeps them in large texts too, whatever else is in those', () => {
    const room = JSON.stringify('x'.repeat(5000))
    fc.assert(
      fc.property(fc.bigInt(), fc.jsonValue(), (number, other) => {
        const text = `{"room":${room},"__proto__":${number},"other":${JSON.stringify(other)},"list":[${number},0,{"n":${number}}]}`
        expect(JSON.stringify(parseJson(text)?.value)).toBe(text)
      }),
    )
  })

  it('takes the same texts as JSON.parse, large ones with long numbers too', () => {
    const room = JSON.stringify('x'.repeat(5000))
    const pieces = ['12345678901234567890', '-', '.', 'e', '+', '0', ':', ',', '"a"', '{', '}', '[', ']', ' ']
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 6 }), (some) => {
        const text = `[${room},12345678901234567890,${some.join('')}]`
        expect(parseJson(text) !== undefined).toBe(isJson(text))
      }),
    )
    expect(parseJson(`[${room},{12345678901234567890:1}]`)).toBeUndefined()
  })

  it('reads a large list with one long number', () => {
    const text = `[${'0,'.repeat(4_000_000)}12345678901234567890]`
    const read = parseJson(text)?.value
    expect(Array.isArray(read) && read.length).toBe(4_000_001)
    expect(Array.isArray(read) && JSON.stringify(read.at(-1))).toBe('12345678901234567890')
  })

  it('refuses nesting that would exhaust the machine, but not brackets in text', () => {
    expect(parseJson('['.repeat(500) + ']'.repeat(500))).toBeUndefined()
    expect(parseJson(JSON.stringify('["\\'.repeat(10_000)))).toEqual({ value: '["\\'.repeat(10_000) })
    expect(parseJson(`[${'[],'.repeat(5000)}[]]`)).toBeDefined()
  })
})

describe('parseMessage', () => {
  it.each([
    ['{"jsonrpc":"2.0","id":1,"method":"a"}', 'request'],
    ['{"jsonrpc":"2.0","method":"a","params":{}}', 'notification'],
    ['{"jsonrpc":"2.0","id":"x","result":{}}', 'response'],
    ['{"jsonrpc":"2.0","id":0,"error":{"code":1,"message":""}}', 'response'],
  ])('%s is a %s', (text, kind) => {
    expect(parseMessage(text)).toMatchObject({ kind, text })
  })

  it.each([
    '[]',
    '1',
    'null',
    '{}',
    '{"jsonrpc":"1.0","method":"a"}',
    '{"jsonrpc":"2.0","id":1}',
    '{"jsonrpc":"2.0","id":null,"result":1}',
    '{"jsonrpc":"2.0","id":1,"result":1,"error":{}}',
    '{"jsonrpc":"2.0","method":"a","params":"x"}',
  ])('%s is not a message', (text) => {
    expect(parseMessage(text)).toBeUndefined()
  })
})

it('ids of different types or values never share a key', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.integer()), fc.oneof(fc.string(), fc.integer()), (a, b) => {
      expect(idKey(a) === idKey(b)).toBe(a === b)
    }),
  )
})

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
