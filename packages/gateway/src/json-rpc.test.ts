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
  ])('%s is no message', (text) => {
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
