import { describe, expect, it } from 'vitest'
import { fc } from '@toolhaven/testing/properties'
import { isThvError } from '../errors.ts'
import { parseJson } from './strict-json.ts'

const limits = { maxDepth: 32 }

function refusal(text: string, maxDepth = 32): string {
  try {
    parseJson(text, { maxDepth })
  } catch (error) {
    if (isThvError(error, 'invalid')) return error.message
    throw error
  }
  throw new Error(`accepted: ${text.slice(0, 80)}`)
}

describe('parseJson', () => {
  it('gives what JSON.parse gives for any value', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 8, noUnicodeString: false }), (text) => {
        fc.pre(!text.includes('__proto__'))
        expect(parseJson(text, limits)).toEqual(JSON.parse(text))
      }),
    )
  })

  it('agrees with JSON.parse on what is JSON at all', () => {
    const pieces = [
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '"b"',
      '1',
      '-0',
      '01',
      '1.',
      '.5',
      '1e5',
      '1e',
      'true',
      'nul',
      'null',
      ' ',
      '\n',
      '\u00a0',
      '"\\u00zz"',
      '"\\x"',
      '"\t"',
      '"',
      '\\',
      '//x\n',
      "'a'",
    ]
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 7 }), (parts) => {
        const text = parts.join('')
        let platform = true
        try {
          JSON.parse(text)
        } catch {
          platform = false
        }
        let ours = true
        try {
          parseJson(text, limits)
        } catch (error) {
          if (!isThvError(error, 'invalid')) throw error
          ours = error.message.includes('twice')
        }
        expect(ours).toBe(platform)
      }),
      { numRuns: 3000 },
    )
  })

  it.each([
    ['', 'line 1, column 1: it ends where a value is needed'],
    ['{"a": 1,\n "b" 2}', 'line 2, column 6: ":" is needed here'],
    ['{"a": 1,}', 'line 1, column 9: a key in double quotes is needed here'],
    ['[1 2]', 'line 1, column 4: "," or "]" is needed here'],
    ['[1,', 'it ends where a value is needed'],
    ['{"a":1', 'it ends where "," or "}" is needed'],
    ['{} x', 'line 1, column 4: there is more text after the value'],
    ['\ufeff{}', 'a byte order mark is not allowed'],
    ['"abc', 'column 1: the string that begins here does not end'],
    ['"a\u0001"', 'a control character'],
    ['"\\q"', 'this escape is not known'],
    ['{"a":1,"a":2}', 'column 8: the key "a" appears twice'],
    ['{"a":1,"\\u0061":2}', 'the key "a" appears twice'],
    ['[{"x":{"a":1,\n"a":2}}]', 'line 2, column 1: the key "a" appears twice'],
    ['{"__proto__":{"admin":true}}', 'the key "__proto__" is not allowed'],
    ['{"\\u005f_proto__":{}}', 'the key "__proto__" is not allowed'],
  ])('refuses %j and says where and why', (text, reason) => {
    expect(refusal(text)).toContain(reason)
  })

  it('allows the same key in different objects, and constructor as plain data', () => {
    const text = '[{"a":1},{"a":{"a":2}},{"constructor":{"prototype":1}}]'
    expect(JSON.stringify(parseJson(text, limits))).toBe(text)
  })

  it('counts depth exactly and refuses ten million brackets without building them', () => {
    expect(parseJson('[[{"a":[]}]]', { maxDepth: 4 })).toEqual([[{ a: [] }]])
    expect(refusal('[[{"a":[]}]]', 3)).toContain('deeper than 3 levels')
    expect(refusal('['.repeat(10_000_000))).toContain('column 33: it nests deeper than 32 levels')
  })

  it('reads a string of many megabytes', () => {
    const text = JSON.stringify({ a: 'x\n'.repeat(4_000_000) })
    expect(parseJson(text, limits)).toEqual(JSON.parse(text))
  })
})
