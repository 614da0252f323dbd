import { describe, expect, it } from 'vitest'
import { fc } from '@toolhaven/testing/properties'
import { CLIENT_PROGRAMS } from './catalogue.ts'
import type { OwnedFile } from './owned-entries.ts'
import { planEntries } from './plan-entries.ts'

const program = CLIENT_PROGRAMS.AmpVSCode
const nobody: OwnedFile = { path: 'settings.json', footprint: {}, entries: [] }

function plan(found: string | null, owned: OwnedFile, ports: Record<string, number>) {
  const wanted = new Map(
    Object.entries(ports).map(([name, port]) => [
      name,
      { url: `http://127.0.0.1:${port}/mcp`, transport: 'sse' as const },
    ]),
  )
  const { text, entries, footprint } = planEntries({ client: 'AmpVSCode', program, found, owned, wanted })
  return { text, owned: { path: owned.path, entries, footprint } }
}

const eol = fc.constantFrom('\n', '\r\n')
const trivia = fc
  .tuple(fc.array(fc.constantFrom('', ' ', '\n', '\n  ', '\t', '/* c, } */', '// c "x": {\n'), { maxLength: 4 }), eol)
  .map(([parts, end]) => parts.join('').replaceAll('\n', end))
const list = (members: fc.Arbitrary<string>) =>
  fc
    .tuple(fc.array(fc.tuple(trivia, members, trivia), { maxLength: 3 }), trivia, fc.boolean())
    .map(([items, inner, hasComma]) => {
      if (items.length === 0) return `{${inner}}`
      return `{${items.map((parts) => parts.join('')).join(',')}${hasComma ? `,${inner}` : ''}}`
    })
const otherServer = fc
  .tuple(fc.constantFrom('own', 'b', '__proto__'), trivia, fc.constantFrom('{"command": "x,}"}', '{}', 'null'))
  .map(([key, blank, value]) => `"${key}"${blank}:${value}`)
const setting = fc.oneof(
  fc.constantFrom('"editor.x":1', '"[json]": {"a": [1, {}]}', '"\\u0061": "// no"'),
  list(otherServer).map((servers) => `"amp.mcpServers": ${servers}`),
)
const file = fc.oneof(
  fc.tuple(trivia, list(setting), trivia).map((parts) => parts.join('')),
  trivia,
  fc.constant(null),
)

describe('planEntries', () => {
  it('gives any file back byte for byte when what was added is gone, in whatever order and over changes', () => {
    fc.assert(
      fc.property(file, fc.shuffledSubarray(['one', 'two', 'three'], { minLength: 3 }), (original, order) => {
        const [first = '', second = '', third = ''] = order
        let now = plan(original, nobody, { [first]: 1 })
        now = plan(now.text, now.owned, { [first]: 9, [second]: 2 })
        now = plan(now.text, now.owned, { [second]: 2, [third]: 3 })
        now = plan(now.text, now.owned, { [third]: 4 })
        now = plan(now.text, now.owned, {})
        expect(now.text).toBe(original)
        expect(now.owned.entries).toEqual([])
      }),
      { numRuns: 500 },
    )
  })

  it('changes nothing when nothing is new', () => {
    fc.assert(
      fc.property(file, (original) => {
        const first = plan(original, nobody, { one: 1, two: 2 })
        const again = plan(first.text, first.owned, { two: 2, one: 1 })
        expect(again.text).toBe(first.text)
      }),
      { numRuns: 300 },
    )
  })
})
