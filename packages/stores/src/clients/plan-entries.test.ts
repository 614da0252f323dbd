import { isThvError } from '@toolhaven/core/errors'
import { describe, expect, it } from 'vitest'
import { fc } from '@toolhaven/testing/properties'
import { CLIENT_PROGRAMS } from './catalogue.ts'
import type { OwnedFile } from './owned-entries.ts'
import { planEntries } from './plan-entries.ts'
import { madeFile } from '../../test/support/made-files.ts'

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

describe('planEntries', () => {
  it('gives any file back byte for byte when what was added is gone, in whatever order and over changes', () => {
    fc.assert(
      fc.property(madeFile, fc.shuffledSubarray(['one', 'two', 'three'], { minLength: 3 }), (original, order) => {
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
      fc.property(madeFile, (original) => {
        const first = plan(original, nobody, { one: 1, two: 2 })
        const again = plan(first.text, first.owned, { two: 2, one: 1 })
        expect(again.text).toBe(first.text)
      }),
      { numRuns: 300 },
    )
  })

  it.each([
    ['AmpVSCode', `{"a":${'['.repeat(100_000)}`],
    ['AmpVSCode', `{"a":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}}`],
    ['Codex', `${'a.'.repeat(100_000)}b = 1`],
    ['Goose', `a: ${'['.repeat(60_000)}`],
  ] as const)('refuses a file of %s that is nested without end with a sentence', (client, found) => {
    const wanted = new Map([['one', { url: 'http://127.0.0.1:1/mcp', transport: 'sse' as const }]])
    let refusal: unknown
    try {
      planEntries({ client, program: CLIENT_PROGRAMS[client], found, owned: nobody, wanted })
    } catch (error) {
      refusal = error
    }
    expect(isThvError(refusal, 'invalid') && refusal.message).toMatch(/^settings\.json was left as it is, because/)
  })

  it.each([
    [
      'AmpVSCode',
      (at: number) => `${at > 0 ? ',' : '{"amp.mcpServers":{'}"s${at}":{"url":"http://a.test/${at}"}`,
      '}}',
    ],
    ['Codex', (at: number) => `[mcp_servers.s${at}]\nurl = "http://a.test/${at}"\n\n`, ''],
  ] as const)('takes its time once for a file of %s with very many servers', (client, entry, end) => {
    const found = Array.from({ length: 20_000 }, (_each, at) => entry(at)).join('') + end
    const wanted = new Map([['one', { url: 'http://127.0.0.1:1/mcp', transport: 'sse' as const }]])
    const program = CLIENT_PROGRAMS[client]
    const { text, entries, footprint } = planEntries({ client, program, found, owned: nobody, wanted })
    const owned = { path: nobody.path, entries, footprint }
    expect(planEntries({ client, program, found: text, owned, wanted: new Map() }).text).toBe(found)
  })
})
