import { fc } from '@toolhaven/testing/properties'

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
/** Client files of AmpVSCode as people and editors leave them; null: there is none. */
export const madeFile: fc.Arbitrary<string | null> = fc.oneof(
  fc.tuple(trivia, list(setting), trivia).map((parts) => parts.join('')),
  trivia,
  fc.constant(null),
)
