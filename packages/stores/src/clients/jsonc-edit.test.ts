import { describe, expect, it } from 'vitest'
import { fc } from '@toolhaven/testing/properties'
import { insertProperties, type PlainValue } from './jsonc-insert.ts'
import { removeProperty } from './jsonc-remove.ts'
import { applyTextEdits, endOf, findProperty, parseJsoncObject } from './jsonc-text.ts'

const entry = { url: 'http://127.0.0.1:4000/mcp', type: 'http' }

function add(text: string, ...keys: string[]) {
  const root = parseJsoncObject(text, 'settings.json')
  const { edits, inside } = insertProperties(text, root, new Map(keys.map((key): [string, PlainValue] => [key, entry])))
  return { text: applyTextEdits(text, edits), inside }
}

function remove(text: string, key: string, inside?: string): string {
  const root = parseJsoncObject(text, 'settings.json')
  const property = findProperty(root, key)
  if (property === undefined) throw new Error(`${key} is not there`)
  return applyTextEdits(text, removeProperty(text, root, property, inside))
}

const one = '"x": {\n    "url": "http://127.0.0.1:4000/mcp",\n    "type": "http"\n  }'

describe('inserting into JSON with comments', () => {
  it.each([
    ['{}', `{\n  ${one}\n}`],
    ['{\n}\n', `{\n  ${one}\n}\n`],
    ['{\n  "a": 1\n}\n', `{\n  "a": 1,\n  ${one}\n}\n`],
    ['{\n  "a": 1,\n}\n', `{\n  "a": 1,\n  ${one},\n}\n`],
    ['{\n  "a": 1 // note\n}\n', `{\n  "a": 1, // note\n  ${one}\n}\n`],
    ['{\n  "a": 1, // note\n  // end\n}\n', `{\n  "a": 1, // note\n  ${one},\n  // end\n}\n`],
    ['{\n  // nothing yet\n}\n', `{\n  // nothing yet\n  ${one}\n}\n`],
    ['{"a":1}', '{"a":1,"x":{"url":"http://127.0.0.1:4000/mcp","type":"http"}}'],
    ['{ "a": 1 /* c */ }', '{ "a": 1, /* c */ "x":{"url":"http://127.0.0.1:4000/mcp","type":"http"} }'],
  ])('turns %j into what a person would write', (before, after) => {
    expect(add(before, 'x').text).toBe(after)
  })

  it('uses tabs and CRLF where the file does', () => {
    expect(add('{\r\n\t"a": 1\r\n}\r\n', 'x').text).toBe(
      '{\r\n\t"a": 1,\r\n\t"x": {\r\n\t\t"url": "http://127.0.0.1:4000/mcp",\r\n\t\t"type": "http"\r\n\t}\r\n}\r\n',
    )
  })

  it.each(['__proto__', 'a/b', 'a.b', '"', 'ü\n', ''])('writes the key %j as it is', (key) => {
    const text = add('{"a":1}', key).text
    expect(findProperty(parseJsoncObject(text, 'f'), key)).toBeDefined()
    expect(remove(text, key)).toBe('{"a":1}')
  })
})

describe('removing what was inserted', () => {
  const blank = fc.constantFrom('', ' ', '\n', '\n  ', '\r\n\t', '\n\n', '  ')
  const comment = fc.constantFrom('', '/* c */', '// c\n', '/* a\n b */', '// {"x": 1,}\r\n', '/*,*/')
  const trivia = fc.tuple(blank, comment, blank, comment, blank).map((parts) => parts.join(''))
  const scalar = fc.constantFrom('1', '"s,}"', 'null', '[1, 2,]', '{ /* in */ }', '{"k": "//"}', '-0.50e1')
  const member = fc.tuple(trivia, fc.constantFrom('"a"', '"b\\u0061"', '"c.d"', '"//"'), trivia, scalar, trivia)
  const document = fc
    .tuple(trivia, trivia, fc.array(member, { maxLength: 3 }), fc.option(trivia), trivia)
    .map(([lead, inner, members, trailing, tail]) => {
      const body = members
        .map(([before, key, colon, value, after]) => `${before}${key}${colon}:${colon}${value}${after}`)
        .join(',')
      const end = members.length > 0 && trailing !== null ? `,${trailing}` : ''
      return `${lead}{${members.length === 0 ? inner : ''}${body}${end}}${tail}`
    })

  it('gives the original bytes back, for any comments, blanks, line ends and trailing comma', () => {
    fc.assert(
      fc.property(document, (text) => {
        const added = add(text, 'x')
        expect(remove(added.text, 'x', added.inside)).toBe(text)
      }),
      { numRuns: 2000 },
    )
  })

  it('gives the original bytes back for several, whichever goes first', () => {
    fc.assert(
      fc.property(document, fc.shuffledSubarray(['x', 'y', 'z'], { minLength: 3 }), (text, order) => {
        const added = add(text, 'x', 'y', 'z')
        let current = added.text
        for (const key of order) current = remove(current, key, added.inside)
        expect(current).toBe(text)
      }),
      { numRuns: 1000 },
    )
  })

  it('keeps comments that were written around our entry', () => {
    const text = '{\n  "a": 1, // one\n  // about x\n  "x": 2 /* two */, // three\n  "b": 3\n}'
    expect(remove(text, 'x')).toBe('{\n  "a": 1, // one\n  // about x\n   /* two */ // three\n  "b": 3\n}')
  })

  it('never draws what follows into a comment', () => {
    const left = remove('{ "a": 1, // one\n "x": 2 }', 'x')
    expect(left).toBe('{ "a": 1 // one\n  }')
    expect(endOf(parseJsoncObject(left, 'f'))).toBe(left.length)
  })
})

describe('reading JSON with comments', () => {
  it.each([
    ['{\n  "a": 1\n  "b": 2\n}', 'line 3, column 3: Comma expected'],
    ['{"a": }', 'line 1, column 7: Value expected'],
    ['[]', 'line 1, column 1: an object in braces is needed'],
    ['{"a": 1', 'line 1, column 8: Close brace expected'],
    ['{"a": 1} x', 'line 1, column 10:'],
    ['{"a": /* open', 'line 1'],
  ])('refuses %j and says where', (text, place) => {
    expect(() => parseJsoncObject(text, 'mcp.json')).toThrow(
      `mcp.json was left as it is, because it cannot be read at ${place}`,
    )
  })
})
