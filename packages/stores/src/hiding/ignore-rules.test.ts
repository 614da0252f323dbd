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
    ['a*b*c?d', ['abcxd', 'aXbXcXd', 'abcd', 'a/bcxd'], ['abcxd', 'aXbXcXd']],
    ['a/**', ['a/', 'a/b', 'a/b/c', 'b/a/c'], ['a/b', 'a/b/c']],
    ['**/x/**/y', ['x/y', 'a/x/b/c/y', 'x/a', 'y'], ['x/y', 'a/x/b/c/y']],
    ['a**b', ['ab', 'a1b', 'a/b'], ['ab', 'a1b']],
    ['[!a-c]x\n[]]y\n[\\]]z', ['ax', 'dx', ']y', ']z', 'z'], ['dx', ']y', ']z']],
    ['*.[[:alpha:]]em\nid_[[:digit:]]', ['a.pem', 'a.Pem', 'a.4em', 'id_7', 'id_x'], ['a.pem', 'a.Pem', 'id_7']],
    ['a[[:space:]]x\nb[[:blank:]]x', ['a x', 'a\nx', 'a\vx', 'b\tx', 'b\nx'], ['a x', 'a\nx', 'b\tx']],
    ['a[[:upper:]]\nb[[:lower:]]\nc[[:xdigit:]]', ['aA', 'aa', 'bB', 'bb', 'cF', 'cG'], ['aA', 'bb', 'cF']],
    ['a[[:punct:]]\nb[[:cntrl:]]\nc[[:alnum:]]', ['a_', 'aa', 'b\x7F', 'b ', 'cé', 'c0'], ['a_', 'b\x7F', 'c0']],
    ['a[[:print:]]\nb[[:graph:]]', ['a ', 'a\t', 'b!', 'b '], ['a ', 'b!']],
    ['a[^[:alpha:]x-z9]', ['a1', 'aq', 'ax', 'a9'], ['a1']],
    ['a[[:digit:]-f]', ['a1', 'a-', 'ae', 'af'], ['a1', 'a-', 'af']],
    ['a[z-b]', ['az', 'ab', 'ac'], ['az']],
    ['[[:x]\n\\[[:nope]\n[:alpha:]', ['x', ':', '[n', 'l', 'q'], ['x', ':', '[n', 'l']],
    ['x[\ny\\', ['x[', 'y\\', 'y'], []],
    ['end  \nkept\\ ', ['end', 'end  ', 'kept', 'kept '], ['end', 'kept ']],
    ['*.pem', ['two\nlines.pem', ' space.pem'], ['two\nlines.pem', ' space.pem']],
  ])('%j', (text, paths, expected) => {
    expect(hidden(text, paths)).toEqual(expected)
  })

  test('tell case apart unless the file system does not', () => {
    expect(hidden('.env', ['.ENV'])).toEqual([])
    expect(hidden('.env', ['.ENV'], true)).toEqual(['.ENV'])
  })

  test('take every letter for a capital where the file system does', () => {
    expect(hidden('a[[:upper:]]', ['ax', 'AX', 'a1'], true)).toEqual(['ax', 'AX'])
  })

  test('name the pattern that decided', () => {
    expect(rulesOf('*.key\n*.pem')?.hides('a.pem', false)).toBe('*.pem')
  })

  test('are none in a file of comments', () => {
    expect(rulesOf('# nothing\n\n  \n')).toBeUndefined()
  })

  // A matcher that tries all ways to spread a name over the stars would not come to an end.
  test.each([
    ['*a*a*a*a*a*a*a*a*b', 'a'.repeat(250)],
    ['x/**/a/**/a/**/b/c', `x/${'a/'.repeat(1500)}c`],
    ['**/a/**/a/**/a/**/a/**/a/**/b/c', `${'a/'.repeat(500)}c`],
    ['**/**/**/*a/**/**/**/b/c', `${'a/'.repeat(500)}c`],
  ])('are compared in the end: %s', (pattern, path) => {
    expect(hidden(`${pattern}\nthe end`, [path, 'the end'])).toEqual(['the end'])
  })

  test.each([
    [`ok\n${'x'.repeat(1025)}`, 'the file, line 2: the pattern is longer than 1024 characters'],
    ['x\n'.repeat(501), 'the file has more than 500 patterns'],
  ])('are refused where they could take long: %.20j', (text, message) => {
    expect(() => rulesOf(text)).toThrow(message)
  })

  test.each(['a[[:letter:]]', '!a[[::]]', 'a[x[:Alpha:]]'])('are refused where nobody knows the class: %s', (line) => {
    expect(() => rulesOf(`# a comment\n\n${line}`)).toThrow('the file, line 3: unknown character class [:')
  })
})
