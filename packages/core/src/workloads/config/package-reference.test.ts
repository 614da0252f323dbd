import { describe, expect, test } from 'vitest'
import { isThvError } from '../../errors.ts'
import { parsePackageReference } from './package-reference.ts'

describe('a package reference', () => {
  test.each([
    ['npx://left', { scheme: 'npx', name: 'left' }],
    [
      'npx://@modelcontextprotocol/server-everything',
      { scheme: 'npx', name: '@modelcontextprotocol/server-everything' },
    ],
    ['npx://@scope/pkg@1.2.3', { scheme: 'npx', name: '@scope/pkg', version: '1.2.3' }],
    ['npx://pkg@1.2.3-beta.1+build.7', { scheme: 'npx', name: 'pkg', version: '1.2.3-beta.1+build.7' }],
    ['npx://pkg@latest', { scheme: 'npx', name: 'pkg' }],
    ['uvx://mcp-server-time@2025.9.25', { scheme: 'uvx', name: 'mcp-server-time', version: '2025.9.25' }],
    ['uvx://Some_Thing.x@1!2.0rc1.post2.dev3', { scheme: 'uvx', name: 'Some_Thing.x', version: '1!2.0rc1.post2.dev3' }],
    [
      'go://github.com/owner/Repo/cmd/x@v0.1.0',
      { scheme: 'go', name: 'github.com/owner/Repo/cmd/x', version: 'v0.1.0' },
    ],
    [
      'go://example.com/a/v2@v2.0.0-20240102030405-abcdefabcdef',
      { scheme: 'go', name: 'example.com/a/v2', version: 'v2.0.0-20240102030405-abcdefabcdef' },
    ],
  ])('%s is read into scheme, name and version', (text, expected) => {
    expect(parsePackageReference(text)).toEqual(expected)
  })

  test.each(['ghcr.io/owner/image:1', 'https://example.com', 'npx:/pkg', 'npx', '', 'NPX://pkg', ' npx://pkg'])(
    '%j has no package scheme',
    (text) => {
      expect(parsePackageReference(text)).toBeUndefined()
    },
  )

  test.each([
    'npx://',
    'npx://@scope',
    'npx://@scope/',
    'npx://-g',
    'npx://--registry=x',
    'npx://@-s/x',
    'npx://.hidden',
    'npx://../up',
    'npx://a/b',
    'npx://Upper',
    'npx://a b',
    'npx://a;b',
    'npx://pkg@^1.0.0',
    'npx://pkg@1',
    'npx://pkg@next',
    'npx://pkg@',
    'npx://pkg@1.2.3@4.5.6',
    'npx://pkg@file:../x',
    'npx://pkg@01.2.3',
    `npx://${'a'.repeat(215)}`,
    'uvx://-r',
    'uvx://name[extra]',
    'uvx://name==1.0',
    'uvx://name@>=1',
    'uvx://name@1.0\n2',
    'uvx://a/b',
    'uvx://name ; sys_platform',
    'go://./local',
    'go:///abs',
    'go://github.com',
    'go://nodot/x',
    'go://github.com/../x',
    'go://github.com/a/-x',
    'go://github.com/a/.x',
    'go://github.com//x',
    'go://github.com/a@main',
    'go://github.com/a@1.2.3',
    'go://github.com/a\u0000',
  ])('%j is refused as invalid', (text) => {
    let thrown: unknown
    try {
      parsePackageReference(text)
    } catch (error) {
      thrown = error
    }
    expect(isThvError(thrown, 'invalid')).toBe(true)
  })

  test('the refusal names the fault without control characters', () => {
    expect(() => parsePackageReference('npx://a\u001b[31m')).toThrow(
      /"a\\u001b\[31m" is not the name of an npm package/,
    )
    expect(() => parsePackageReference('npx://pkg@^1')).toThrow(/"\^1" is not an exact version of pkg/)
  })
})
