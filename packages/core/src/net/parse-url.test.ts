import { expect, test } from 'vitest'
import { parseUrl } from './parse-url.ts'

test.each(['https://exa\nmple.com/', 'https://example.com/\t', ' https://example.com/', 'https://example.com/a b', ''])(
  '%j is not a URL',
  (text) => {
    expect(parseUrl(text)).toBeUndefined()
  },
)

test('other addresses are read', () => {
  expect(parseUrl('https://example.com/mcp?a=%20')?.hostname).toBe('example.com')
})
