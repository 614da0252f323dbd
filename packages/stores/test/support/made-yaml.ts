import { fc } from '@toolhaven/testing/properties'

const comment = fc.constantFrom('', ' # c', ' # "x": {')
const own = ['own: {uri: x, url: x}', '"b c": {}', 'null:', 'time: ~', '<<: *a', '? k', 'x: {uri: &b "y"}', '!t z: {}']
const lists = ['l:\n  - uri: x\n  - 2', 'n:\n  uri: >-\n    x\n    y', 'm:\n  - - 1', 'o:\n\n  p: |+\n    x\n\n']

/** The value of the key of the servers, as people and programs leave it. */
const servers = (isList: boolean) => {
  const [open, close] = isList ? ['[', ']'] : ['{', '}']
  const item = fc.constantFrom(...own, ...lists).map((text) => {
    const body = isList && !text.startsWith('? ') ? `name: own\n${text}` : text
    return isList ? `- ${body.replaceAll('\n', '\n  ')}` : body
  })
  const line = fc.oneof({ weight: 3, arbitrary: item }, fc.constantFrom('# c', '    # deep', ''))
  const block = fc
    .tuple(fc.array(fc.tuple(line, comment), { maxLength: 4 }), fc.constantFrom('', ' ', '  ', '    '))
    .map(([lines, indent]) => lines.map(([text, end]) => `\n${text}${end}`.replaceAll('\n', `\n${indent}`)).join(''))
  const inside = isList ? ['{name: a}', 'b', '{name: own, url: "x"}'] : ['a: {uri: x}', '"b": 1', 'own', 'c: ']
  const flow = fc
    .tuple(fc.array(fc.constantFrom(...inside)), fc.constantFrom('', ' ', ' # c\n  ', ','))
    .map(([items, end]) => ` ${open}${items.join(', ')}${items.length === 0 && end === ',' ? '' : end}${close}`)
  return fc.oneof({ weight: 4, arbitrary: block }, flow, fc.constantFrom('', ' ~', ' &s', ' !!map', ' *a', ' null'))
}

/** Client files in YAML, most of them good ones. */
export function madeYaml(serversKey: 'extensions' | 'mcpServers'): fc.Arbitrary<string> {
  const others = fc.constantFrom(
    ...[
      'a: 1',
      'b: "x\n  y"',
      "c: 'it''s'",
      'd: |\n  text\n\n',
      'e: >+\n  text\n\n',
      'f: [1, # c\n  2]',
      'g: {h: [}]}',
    ],
    ...[
      'g: {h: "}"}',
      '',
      '# between',
      'i: &a\n  j: 1',
      'k: *a',
      'l: !!js/function "x"',
      '? m\n: n',
      'o:\n- 1\n- 2',
      'p:',
    ],
  )
  const ours = servers(serversKey === 'mcpServers').map((value) => `${serversKey}:${value}`)
  const root = fc
    .array(fc.tuple(fc.oneof({ weight: 3, arbitrary: others }, ours), comment), { maxLength: 5 })
    .map((items) => items.map(([text, end]) => `${text}${end}\n`).join(''))
  const around = fc.tuple(
    fc.constantFrom('', '', '', '# c\n', '---\n', '--- # c\n', '%YAML 1.2\n---\n', '\n', ' '),
    root,
    fc.constantFrom('', '', '# end\n', '  # deep\n', '\n\n', '...\n', '---\nx: 1\n', '\t\n', '{}\n'),
  )
  return fc.tuple(around, fc.constantFrom('\n', '\r\n'), fc.boolean()).map(([parts, eol, hasEnd]) =>
    parts
      .join('')
      .replace(/\n$/, hasEnd ? '\n' : '')
      .replaceAll('\n', eol),
  )
}
