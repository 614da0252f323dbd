import { isThvError } from '@toolhaven/core/errors'
import type { ClientEntry } from '@toolhaven/core/ports/clients'
import { fc } from '@toolhaven/testing/properties'
import { parse } from 'smol-toml'
import { expect, test } from 'vitest'
import { CLIENT_PROGRAMS } from './catalogue.ts'
import type { OwnedFile } from './owned-entries.ts'
import { planEntries } from './plan-entries.ts'
import { tomlSections } from './toml-sections.ts'

const entry = (port: number): ClientEntry => ({ url: `http://127.0.0.1:${port}/mcp`, transport: 'streamable-http' })
const nobody: OwnedFile = { path: 'config.toml', footprint: {}, entries: [] }

function plan(found: string | null, owned: OwnedFile, wanted: Record<string, ClientEntry>) {
  const done = planEntries({
    ...{ client: 'Codex', program: CLIENT_PROGRAMS.Codex, found, owned },
    wanted: new Map(Object.entries(wanted)),
  })
  return { ...done, owned: { path: owned.path, entries: done.entries, footprint: done.footprint } }
}

/** Adds entries, changes one, and takes them away one by one. */
function afterAll(found: string | null): string | null {
  let text = found
  let owned = nobody
  for (const wanted of [{ time: entry(1) }, { time: entry(2), 'a.b c': entry(3) }, { 'a.b c': entry(3) }, {}]) {
    const done = plan(text, owned, wanted)
    text = done.text
    owned = done.owned
  }
  return text
}

const LINES = [
  ...[
    '',
    '# [mcp_servers.time]',
    'a = 1',
    '[tui]',
    '[[list]]',
    '[mcp_servers.own]',
    '[mcp_servers.own.env]',
    '[x."y.z"]',
  ],
  ...[
    'b = """\n[mcp_servers.time]\n"""',
    "c = '''it''''",
    'd = [ # ]\n  ["[e]"],\n]',
    'e = {f = "]"} # {',
    '  g = "\\""',
    'h = 1979-05-27',
  ],
]

test('a file comes back byte for byte, whatever its tables, strings, comments and line ends', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...LINES)),
      fc.constantFrom('\n', '\r\n'),
      fc.boolean(),
      (lines, eol, hasEnd) => {
        const text = lines.join('\n').replaceAll('\n', eol) + (hasEnd ? eol : '')
        try {
          parse(text)
        } catch {
          return fc.pre(false)
        }
        expect(afterAll(text)).toBe(text)
        for (const { from, path } of tomlSections(text))
          expect(text.slice(from)).toMatch(path.length > 0 ? /^[ \t]*\[/ : /^$/)
      },
    ),
  )
  for (const text of ['', '\n', ' ', '# only a comment', 'a = 1', null]) expect(afterAll(text)).toBe(text)
})

test('an entry keeps what the user added to it, and is theirs with another address', () => {
  const first = plan('a = 1\n', nobody, { time: entry(1) })
  expect(first.text).toBe('a = 1\n\n[mcp_servers.time]\nurl = "http://127.0.0.1:1/mcp"\n')
  const edited = `${first.text}enabled = false # for now\n\n[mcp_servers.time.tools]\nx = 1\n\n# the end\n`
  const moved = plan(edited, first.owned, { time: entry(2) })
  expect(moved.text).toBe(edited.replace(':1/', ':2/'))
  expect(plan(moved.text, moved.owned, {}).text).toBe('a = 1\n\n# the end\n')
  const theirs = edited.replace(':1/', ':9/')
  const left = plan(theirs, first.owned, { time: entry(1) })
  expect(left.notes.join()).toContain('was changed by hand')
  expect(left.text).toBe(`${theirs}\n[mcp_servers.time-toolhaven]\nurl = "http://127.0.0.1:1/mcp"\n`)
})

test('an entry in parts follows its address, and is removed from every place', () => {
  const first = plan(null, nobody, { time: entry(1) })
  const parts = `[mcp_servers.time.env]
A = "1"

[tui]
x = 1

[mcp_servers.time]
note = """
url = "mine"
"""
"url" = "http://127.0.0.1:1/mcp" # keep "this"

[mcp_servers.own]
url = "x"

[mcp_servers.time.tools]
y = 1
`
  const moved = plan(parts, first.owned, { time: entry(2) })
  expect(moved.text).toBe(parts.replace(':1/', ':2/'))
  expect(plan(moved.text, moved.owned, {}).text).toBe('\n[tui]\nx = 1\n\n[mcp_servers.own]\nurl = "x"\n')
})

test('an entry that was rewritten without a table of its own is let go with a note', () => {
  const first = plan(null, nobody, { time: entry(1) })
  for (const text of [
    '[mcp_servers]\ntime = { url = "http://127.0.0.1:1/mcp" }\n',
    '[mcp_servers]\ntime.url = "http://127.0.0.1:1/mcp"\n',
  ]) {
    const gone = plan(text, first.owned, {})
    expect(gone).toMatchObject({ text, owned: { entries: [] } })
    expect(gone.notes.join()).toContain('is left alone from now on')
    const kept = plan(text, first.owned, { time: entry(1) })
    expect(kept).toMatchObject({ text, owned: { entries: [] }, notes: gone.notes })
    const moved = plan(text, first.owned, { time: entry(2) })
    expect(moved.text).toBe(`${text}\n[mcp_servers.time-toolhaven]\nurl = "http://127.0.0.1:2/mcp"\n`)
  }
})

test('an entry of theirs is untouched in every spelling, and a file that cannot take ours is refused', () => {
  for (const own of ['[mcp_servers]\ntime = { command = "x" }\n', '[mcp_servers."time"]\ncommand = "x"\n']) {
    const done = plan(own, nobody, { time: entry(1) })
    expect(done.text?.startsWith(own)).toBe(true)
    expect(done.text).toContain('[mcp_servers.time-toolhaven]')
    expect(plan(done.text, done.owned, {}).text).toBe(own)
  }
  for (const [text, told] of [
    ['mcp_servers = { a = { url = "x" } }\n', /nothing can be added to mcp_servers .*as tables/],
    ['a = \n', /cannot be read at line 1, column \d+: /],
  ] as const) {
    let refusal: unknown
    try {
      plan(text, nobody, { time: entry(1) })
    } catch (error) {
      refusal = error
    }
    expect(isThvError(refusal, 'invalid') && refusal.message).toMatch(told)
  }
})
