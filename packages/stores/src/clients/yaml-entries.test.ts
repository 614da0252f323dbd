import { isThvError } from '@toolhaven/core/errors'
import type { ClientEntry } from '@toolhaven/core/ports/clients'
import { fc } from '@toolhaven/testing/properties'
import { parse } from 'yaml'
import { describe, expect, it } from 'vitest'
import { madeYaml } from '../../test/support/made-yaml.ts'
import { CLIENT_PROGRAMS } from './catalogue.ts'
import type { OwnedFile } from './owned-entries.ts'
import { planEntries } from './plan-entries.ts'

type Client = 'Goose' | 'Continue'

const entry = (port: number): ClientEntry => ({ url: `http://127.0.0.1:${port}/mcp`, transport: 'streamable-http' })
const nobody: OwnedFile = { path: 'config.yaml', footprint: {}, entries: [] }

function plan(client: Client, found: string | null, owned: OwnedFile, wanted: Record<string, ClientEntry>) {
  const entries = new Map(Object.entries(wanted))
  const done = planEntries({ client, program: CLIENT_PROGRAMS[client], found, owned, wanted: entries })
  return { ...done, owned: { path: owned.path, entries: done.entries, footprint: done.footprint } }
}

/** Adds entries, changes one, and takes them away one by one. */
function afterAll(client: Client, found: string | null): string | null {
  let text = found
  let owned = nobody
  for (const wanted of [{ time: entry(1) }, { time: entry(2), 'a.b c': entry(3) }, { 'a.b c': entry(3) }, {}]) {
    const done = plan(client, text, owned, wanted)
    text = done.text
    owned = done.owned
    for (const { urls } of done.entries) expect(text).toContain(urls[0])
  }
  return text
}

function refusalOf(edit: () => unknown): string {
  try {
    edit()
  } catch (error) {
    if (isThvError(error, 'invalid')) return error.message
    throw error
  }
  return ''
}

const added = (indent: string) =>
  ['time:', '  name: time', '  uri: http://127.0.0.1:1/mcp', '  type: streamable_http', '  enabled: true']
    .concat('  description: Runs in Toolhaven', '  timeout: 300')
    .map((line) => `${indent}${line}\n`)
    .join('')

/** Can be read, and not edited: a value that is only an anchor or a tag, and the end of a document that is not there. */
const SELDOM = /^\.\.\.|: (?:&s|!!map)/m

describe('a YAML file', () => {
  it.each([
    ['Goose', 'extensions'],
    ['Continue', 'mcpServers'],
  ] as const)('of %s comes back byte for byte, whatever is in it', (client, key) => {
    let edited = 0
    let refused = 0
    fc.assert(
      fc.property(madeYaml(key), (text) => {
        const refusal = refusalOf(() => plan(client, text, nobody, { time: entry(1) }))
        if (refusal === '') edited += 1
        else refused += 1
        expect(refusal === '' || /cannot be read/.test(refusal) || SELDOM.test(text), refusal).toBe(true)
        expect(refusal === '' ? afterAll(client, text) : text).toBe(text)
      }),
      { numRuns: 300 },
    )
    expect(edited).toBeGreaterThan(refused / 3)
    for (const text of ['', '\n', ' ', '# only a comment', '---', 'a: 1', null])
      expect(afterAll(client, text)).toBe(text)
  })

  it.each([
    ['', `extensions:\n${added('  ')}`],
    ['a: 1', `a: 1\nextensions:\n${added('  ')}`.trimEnd()],
    ['# c\n---\n# d\n', `# c\n---\n# d\nextensions:\n${added('  ')}`],
    ['a: 1\n\n# end\n', `a: 1\nextensions:\n${added('  ')}\n# end\n`],
    ['extensions:\n  own:\n    cmd: x # c\n    # envs:\nb: |\n  x\n', null],
    ['extensions:\n    own: {cmd: x}\n\nb: 1\n', null],
    ['b: |\n  x\n\nextensions:\n  own:\n    description: >\n      one\n\n      two\n\n\nc: 1\n', null],
  ])('%j takes an entry in its own manner', (text, after) => {
    const done = plan('Goose', text, nobody, { time: entry(1) })
    const [before = '', rest = ''] = done.text?.split(/(?<=\n) *time:\n(?:.*\n?){6}/) ?? []
    expect(after ?? before + rest).toBe(after === null ? text : done.text)
    expect(parse(done.text ?? '').extensions.time.uri).toBe(entry(1).url)
  })

  it('in braces and brackets takes entries in braces', () => {
    const flow = plan('Continue', '{"name": "x", "mcpServers": [ # none\n ]}', nobody, { time: entry(1) })
    expect(flow.text).toBe(
      '{"name": "x", "mcpServers": [{"name":"time","url":"http://127.0.0.1:1/mcp","type":"streamable-http"} # none\n ]}',
    )
    const empty = plan('Goose', 'extensions:   # none\nb: 1\n', nobody, { time: entry(1) })
    expect(empty.text).toMatch(/^extensions: \{"time": \{.*\}\} {3}# none\nb: 1\n$/)
    expect(plan('Goose', empty.text, empty.owned, {}).text).toBe('extensions:   # none\nb: 1\n')
  })

  it('is parsed as the program means it: a key is not a number, and a name no alias', () => {
    for (const name of [
      '1',
      'true',
      'null',
      '~',
      '*a',
      '- x',
      '__proto__',
      'constructor',
      '"q"',
      "it's",
      'a: b',
      '#',
      'no',
    ]) {
      for (const text of ['extensions:\n  own: {cmd: x}\n', 'extensions: {}\n', 'b: 1\n']) {
        const done = plan('Goose', text, nobody, { [name]: entry(1) })
        const written = Object.entries(Object(parse(done.text ?? '').extensions)).find(([key]) => key === name)
        expect(written?.[1], name).toMatchObject({ name, uri: entry(1).url })
        expect(plan('Goose', done.text, done.owned, {}).text).toBe(text)
      }
    }
  })
})

describe('an entry in a YAML file', () => {
  it('keeps what its user added, and is theirs with another address', () => {
    const first = plan('Goose', 'a: 1\n', nobody, { time: entry(1) })
    const edited = `${first.text?.replace('enabled: true', 'enabled: false # for now')}    available_tools: [now]\n\n# end\n`
    const moved = plan('Goose', edited, first.owned, { time: entry(2) })
    expect(moved.text).toBe(edited.replace(':1/', ':2/'))
    expect(plan('Goose', moved.text, moved.owned, {}).text).toBe('a: 1\n\n# end\n')
    const theirs = edited.replace(':1/', ':9/')
    const left = plan('Goose', theirs, first.owned, { time: entry(1) })
    expect(left.notes.join()).toContain('was changed by hand')
    expect(left.owned.entries.map(({ key }) => key)).toEqual(['time-toolhaven'])
    expect(parse(left.text ?? '').extensions['time-toolhaven'].name).toBe('time-toolhaven')
  })

  it('follows its workload in whatever style it was written again', () => {
    const { owned } = plan('Goose', null, nobody, { time: entry(1) })
    for (const uri of [
      '"http://127.0.0.1:1/mcp"',
      "'http://127.0.0.1:1/mcp' # c",
      '>-\n      http://127.0.0.1:1/mcp',
      '|-\n      http://127.0.0.1:1/mcp',
    ]) {
      for (const end of ['', '    enabled: true\n', '    timeout: 1\n  own: {}\n']) {
        const text = `extensions:\n  time:\n    uri: ${uri}\n${end}`
        const moved = plan('Goose', text, owned, { time: entry(2) })
        const { time, ...others } = parse(moved.text ?? '').extensions
        const { time: before, ...othersBefore } = parse(text).extensions
        expect(time).toEqual({ ...before, uri: entry(2).url, type: 'streamable_http' })
        expect(others).toEqual(othersBefore)
      }
    }
  })

  it('that was given an anchor, a tag or an alias is let go with a note', () => {
    const { owned } = plan('Goose', null, nobody, { time: entry(1) })
    const uri = 'uri: http://127.0.0.1:1/mcp'
    for (const written of [
      `time: &t {${uri}}\nother: *t`,
      `time: {<<: *a, ${uri}}`,
      `time: {uri: &u "http://127.0.0.1:1/mcp"}\nother: *u`,
      `&k time: {${uri}}`,
      `!!map time: {${uri}}`,
      `? time\n  : {${uri}}`,
    ]) {
      const text = `a: &a {}\nextensions:\n  ${written}\n`
      const gone = plan('Goose', text, owned, {})
      expect(gone).toMatchObject({ text, owned: { entries: [] } })
      expect(gone.notes.join()).toContain('is left alone from now on')
    }
  })

  it('of the user is untouched, whatever its shape', () => {
    for (const own of [
      'time: 1',
      'time:',
      'time: [1]',
      'time: *a',
      'time: {uri: 1}',
      'time: {uri: *b}',
      '"time": {cmd: x}',
    ]) {
      const text = `a: &a {}\nb: &b x\nextensions:\n  ${own}\n  other: {}\n`
      const done = plan('Goose', text, nobody, { time: entry(1) })
      expect(done.text?.startsWith(text)).toBe(true)
      expect(done.owned.entries.map(({ key }) => key)).toEqual(['time-toolhaven'])
      expect(plan('Goose', done.text, done.owned, {}).text).toBe(text)
    }
  })
})

describe('a YAML file that cannot be edited', () => {
  const laughs = Array.from(
    { length: 30 },
    (_each, at) => `l${at + 1}: &l${at + 1} [${`*l${at}, `.repeat(10)}]\n`,
  ).join('')

  it.each([
    ['damaged', 'a: [1\n', /cannot be read at line \d, column \d+/],
    ['indented by tabs', 'extensions:\n\town: 1\n', /cannot be read at line 2, column 1: .*[Tt]ab/],
    ['of two documents', 'a: 1\n---\nb: 2\n', /line 2, column 1: a second document begins there/],
    ['that is a list', '- a\n', /line 1, column 1: keys with values are needed/],
    ['with a list in place of keys', 'extensions: [a]\n', /line 1, column 13: "extensions" must hold keys with values/],
    ['with an alias in place of keys', 'a: &a {}\nextensions: *a\n', /"extensions" must hold keys with values/],
    [
      'whose servers are repeated',
      'extensions: &e\n  own: {}\nb: *e\n',
      /cannot change "extensions" as it is written there/,
    ],
    [
      'whose lack of servers is repeated',
      'extensions: &e\nb: *e\n',
      /cannot change "extensions" as it is written there/,
    ],
    [
      'that gets its servers from elsewhere',
      'base: &b\n  extensions: {own: {cmd: x}}\n<<: *b\n',
      /cannot change "extensions" as it is written there/,
    ],
    [
      'whose servers have a key of their own kind',
      '? extensions\n: a: {uri: q}\n',
      /would change other parts of the file/,
    ],
    ['with an empty second document', 'a: 1\n...\n# more\n---\n', /second document/],
    ['of deep brackets', `a: ${'['.repeat(100_000)}`, /cannot be read at line 1/],
    ['of deep braces', `a: ${'{a: '.repeat(30_000)}`, /cannot be read at line 1/],
    ['of ten megabytes', 'a: "x"\n'.repeat(1_500_000), /is larger than \d+ characters/],
  ])('is one %s', (_what, text, told) => {
    expect(refusalOf(() => plan('Goose', text, nobody, { time: entry(1) }))).toMatch(told)
  })

  it.each([
    'TOKEN: >hunter2-hunter2\n',
    'TOKEN: |hunter2-hunter2\n',
    'TOKEN: "\\Uhunter2hunter2"\n',
    '%YAML hunter2-hunter2\n---\na: 1\n',
    'TOKEN: !hunter2!hunter2 1\n',
    '- a\nTOKEN: hunter2-hunter2\n',
  ])('is told of without what it says: %j', (text) => {
    const told = refusalOf(() => plan('Goose', text, nobody, { time: entry(1) }))
    expect(told).toMatch(/cannot be read at line \d, column \d+: [a-z ]+; correct it/i)
    expect(told).not.toContain('hunter2')
  })

  it('is none with aliases that stand for billions, unknown tags or keys that are there twice', () => {
    for (const text of [
      `l0: &l0 ha\n${laughs}extensions:\n  own: {cmd: x}\n`,
      `l0: &l0 ha\n${laughs}extensions:\n  <<: *l30\n  own: {cmd: x}\n`,
      'a: !!js/function "function () {}"\nb: !!python/object/apply:os.system ["x"]\nextensions: {own: !!js/undefined x}\n',
      'a: 1\na: 2\nextensions: {}\nextensions:\n  own: {cmd: x}\n  own: {cmd: y}\n',
    ])
      expect(afterAll('Goose', text)).toBe(text)
  })
})
