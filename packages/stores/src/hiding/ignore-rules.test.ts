import { describe, expect, test } from 'vitest'
import { parseIgnoreRules } from './ignore-rules.ts'

const rulesOf = (text: string, ignoreCase = false) => parseIgnoreRules(text, { label: 'the file', ignoreCase })
const hidden = (text: string, paths: readonly string[], ignoreCase = false) => {
  const rules = rulesOf(text, ignoreCase)
  return paths.filter((path) => rules?.hides(path.replace(/\/$/, ''), path.endsWith('/')) !== undefined)
}

describe('the rules of an ignore file', () => {
  test.each([
    ['.env', ['.env', 'a/.env', '.env.local'], ['.env', 'a/.env']],
    ['/top', ['top', 'a/top'], ['top']],
    ['a/b', ['a/b', 'c/a/b'], ['a/b']],
    ['build/', ['build', 'build/', 'x/build/'], ['build/', 'x/build/']],
    ['*.pem\n!public.pem', ['a.pem', 'public.pem', 'x/public.pem'], ['a.pem']],
    ['keys/*\n!keys/public', ['keys/', 'keys/a', 'keys/public'], ['keys/a']],
    ['a/**/z', ['a/z', 'a/b/z', 'a/b/c/z', 'b/z'], ['a/z', 'a/b/z', 'a/b/c/z']],
    ['\\#odd\n\\!odd', ['#odd', '!odd'], ['#odd', '!odd']],
    ['id_[rd]sa', ['id_rsa', 'id_dsa', 'id_xsa'], ['id_rsa', 'id_dsa']],
    ['\uFEFF.env\r\n# a comment\r\n\r\nkeys\r\n', ['.env', 'keys', '# a comment'], ['.env', 'keys']],
    ['*.pem', ['two\nlines.pem', ' space.pem'], ['two\nlines.pem', ' space.pem']],
  ])('%j', (text, paths, expected) => {
    expect(hidden(text, paths)).toEqual(expected)
  })

  test('tell case apart unless the file system does not', () => {
    expect(hidden('.env', ['.ENV'])).toEqual([])
    expect(hidden('.env', ['.ENV'], true)).toEqual(['.ENV'])
  })

  test('name the pattern that decided', () => {
    expect(rulesOf('*.key\n*.pem')?.hides('a.pem', false)).toBe('*.pem')
  })

  test('are none in a file of comments', () => {
    expect(rulesOf('# nothing\n\n  \n')).toBeUndefined()
  })

  test('stay the same over more paths than are remembered', () => {
    const rules = rulesOf('*.pem')
    const answers = Array.from({ length: 12_000 }, (_, at) => rules?.hides(`a/${at}.pem`, false))
    expect(new Set(answers)).toEqual(new Set(['*.pem']))
  })

  test.each([
    ['*a*b*c*d', 'the file, line 1: at most three'],
    ['ok\na/**/b/**/c/**/d/**', 'the file, line 2: at most three'],
    ['x'.repeat(1025), 'line 1: the pattern is longer than 1024 characters'],
    ['x\n'.repeat(501), 'the file has more than 500 patterns'],
  ])('are refused where they could take long: %.20j', (text, message) => {
    expect(() => rulesOf(text)).toThrow(message)
  })
})
