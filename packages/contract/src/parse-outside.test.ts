import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { parseOutside } from './parse-outside.ts'

function issues(value: unknown): string[] {
  const { error } = parseOutside(z.unknown(), value)
  return (error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`)
}

describe('parseOutside', () => {
  test('names every place with a NUL, in values and in keys, however deep', () => {
    expect(issues('a\0')).toEqual([': must not contain a NUL character'])
    expect(issues({ env_vars: { A: 'x\0y', B: 'fine' }, list: [1, { deep: ['\0'] }] })).toEqual([
      'env_vars.A: must not contain a NUL character',
      'list.1.deep.0: must not contain a NUL character',
    ])
    expect(issues({ 'a\0b': 1 })).toEqual(['a\0b: this key must not contain a NUL character'])
  })

  test('refuses half of a surrogate pair in a key, and leaves it in values to the schema', () => {
    expect(issues({ tools: { '\ud83d': 1 } })).toEqual([
      'tools.\ud83d: this key must not contain half of a surrogate pair',
    ])
    expect(issues({ description: 'cut off \ud83d', '\u{1f600}': '\u{1f600}' })).toEqual([])
  })

  test('checks what the schema does not know, before the schema', () => {
    const parsed = parseOutside(z.strictObject({ name: z.string() }), { name: 1, unknown: '\0' })
    expect(parsed.error?.issues.map(({ path }) => path)).toEqual([['unknown']])
  })

  test('gives what the schema gives for all other text', () => {
    const value = { name: 'line 1\nline 2\t\u0001 ü \u{1f600}' }
    expect(parseOutside(z.strictObject({ name: z.string() }), value)).toEqual({ success: true, data: value })
  })

  test('ends on values that hold themselves and on deep ones', () => {
    const round: Record<string, unknown> = { bad: '\0' }
    round['round'] = round
    expect(issues(round)).toEqual(['bad: must not contain a NUL character'])
    let deep: unknown = '\0'
    for (let depth = 0; depth < 50_000; depth += 1) deep = [deep]
    expect(issues(deep)).toHaveLength(1)
  })
})
