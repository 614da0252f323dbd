import { expect, test } from 'vitest'
import { bytesOf, contentOf, dataAddress, prettyJson, prettyValue } from './contents.ts'

test('only pictures and sounds in Base64 become addresses that the browser loads', () => {
  expect(dataAddress('image', 'aGk=', 'image/svg+xml')).toBe('data:image/svg+xml;base64,aGk=')
  for (const [data, mimeType] of [
    ['aGk=', 'text/html'],
    ['aGk=', 'image/png,<script>'],
    ['aGk=', 'image/png;charset=x'],
    ['"><script>', 'image/png'],
    ['aGk=', 'audio/wav'],
  ] as const)
    expect(dataAddress('image', data, mimeType), mimeType).toBeUndefined()
})

test('what is not a known content is kept as it came', () => {
  expect(contentOf({ type: 'text', text: 'a' })).toEqual({ type: 'text', text: 'a' })
  expect(contentOf({ type: 'text', text: 5 })).toEqual({ type: 'unknown', value: { type: 'text', text: 5 } })
  expect(contentOf(null)).toEqual({ type: 'unknown', value: null })
})

test('JSON gets lines, other text stays', () => {
  expect(prettyJson('{"a":1}')).toBe('{\n  "a": 1\n}')
  expect(prettyJson('[not json')).toBe('[not json')
  expect(prettyJson('5')).toBe('5')
  expect(prettyJson(String.raw`{"a":["[[[[\"[[["]}`)).toBe(String.raw`{
  "a": [
    "[[[[\"[[["
  ]
}`)
})

test('JSON that lines would blow up stays as it came', () => {
  const deep = '['.repeat(3_000) + ']'.repeat(3_000)
  expect(prettyJson(deep)).toBe(deep)
  expect(prettyValue({ a: JSON.parse(deep) })).toBe(`{"a":${deep}}`)
})

test('bytes that are not Base64 are no file', () => {
  expect([...(bytesOf('AQI=') ?? [])]).toEqual([1, 2])
  expect(bytesOf('%%')).toBeUndefined()
})
