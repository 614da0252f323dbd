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
})
