import { describe, expect, test } from 'vitest'
import { fullReference, parseImageReference } from './image-reference.ts'

const DIGEST = `sha256:${'a1'.repeat(32)}`

describe('an image reference', () => {
  test.each([
    ['node', 'docker.io/library/node:latest'],
    ['node:24-slim', 'docker.io/library/node:24-slim'],
    ['mcp/fetch', 'docker.io/mcp/fetch:latest'],
    ['index.docker.io/mcp/fetch:1', 'docker.io/mcp/fetch:1'],
    ['ghcr.io/owner/image:1.0', 'ghcr.io/owner/image:1.0'],
    ['localhost/x', 'localhost/x:latest'],
    ['127.0.0.1:5000/a/b_c:T', '127.0.0.1:5000/a/b_c:T'],
    [`ghcr.io/o/i:1@${DIGEST}`, `ghcr.io/o/i@${DIGEST}`],
  ])('%s means %s', (text, full) => {
    expect(fullReference(parseImageReference(text))).toBe(full)
  })

  test.each([
    '',
    'UPPER',
    'a:b:c',
    'a b',
    '-a',
    '../x',
    'a//b',
    'a@sha256:12',
    `a@${DIGEST}@${DIGEST}`,
    'a:',
    'a:-x',
    'ghcr.io/',
    'x y/z',
    'a\nb',
    'http://a/b',
  ])('%j is refused', (text) => {
    expect(() => parseImageReference(text)).toThrow(/is not an image reference/)
  })
})
