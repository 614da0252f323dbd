import { expect, test } from 'vitest'
import { fc } from '@toolhaven/testing/properties'
import { isObject, parseJson } from '../messages/json-rpc.ts'
import { canonicalText } from './canonical-text.ts'
import { listAll } from './list-all.ts'
import { lockedListOf, type LockedList } from './locked-lists.ts'
import { definitionHash, seenDefinitions, seenInstructions } from './seen-definitions.ts'

function listOf(method: string): LockedList {
  const list = lockedListOf(method)
  if (list === undefined) throw new Error(`no list is locked under ${method}`)
  return list
}

const seenTools = (all: readonly unknown[]) => seenDefinitions(listOf('tools/list'), all)

/** The same value with its keys in reverse order. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, item]) => [key, turned(item)]),
  )
}

test('the order of keys does not change the text, and the text is the value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const plain: unknown = JSON.parse(JSON.stringify(value))
      expect(canonicalText(turned(plain))).toBe(canonicalText(plain))
      expect(JSON.parse(canonicalText(plain))).toEqual(plain)
    }),
  )
})

test('numbers beyond a double keep their digits', () => {
  const hash = (text: string) => definitionHash(parseJson(text)?.value)
  expect(hash('{"a":12345678901234567890}')).not.toBe(hash('{"a":12345678901234567891}'))
  expect(canonicalText(parseJson('{"b":1,"a":12345678901234567890}')?.value)).toBe('{"a":12345678901234567890,"b":1}')
})

test('every part of a definition counts', () => {
  const base = { name: 'a', description: 'd', inputSchema: { type: 'object', properties: { p: { type: 'string' } } } }
  const variants = [
    base,
    { ...base, title: 'A' },
    { ...base, description: 'd\u200B' },
    { ...base, inputSchema: { ...base.inputSchema, properties: { p: { type: 'string', default: 'x' } } } },
    { ...base, outputSchema: { type: 'object' } },
    { ...base, annotations: { readOnlyHint: true } },
    { ...base, icons: [{ src: 'https://example.com/i.png' }] },
    { ...base, _meta: { a: 1 } },
  ]
  expect(new Set(variants.map(definitionHash)).size).toBe(variants.length)
})

test('the order of tools says nothing, what has no name is left out', () => {
  const [a, b] = [{ name: 'a' }, { name: 'b' }]
  expect(seenTools([b, a, 5, { description: 'no name' }, { name: 7 }])).toEqual(seenTools([a, b]))
  expect(seenTools([a, b]).revision).not.toBe(seenTools([a]).revision)
})

test('a name that stands twice with two meanings is neither of them', () => {
  const [one, other] = [
    { name: 'a', description: '1' },
    { name: 'a', description: '2' },
  ]
  const [tool] = seenTools([one, other]).definitions
  expect([definitionHash(one), definitionHash(other)]).not.toContain(tool?.hash)
  expect(seenTools([one, one]).definitions[0]?.hash).toBe(definitionHash(one))
})

test('resource templates are told apart by what makes their URIs, not by their names', () => {
  const [one, other] = [
    { name: 'a', uriTemplate: 'memo://{id}' },
    { name: 'a', uriTemplate: 'note://{id}' },
  ]
  const { definitions } = seenDefinitions(listOf('resources/templates/list'), [one, other, { name: 'none' }])
  expect(definitions.map(({ name }) => name)).toEqual(['memo://{id}', 'note://{id}'])
})

test('instructions are one definition or none', () => {
  expect(seenInstructions(undefined).definitions).toEqual([])
  const [said] = seenInstructions('be kind').definitions
  expect(said).toMatchObject({ name: 'instructions', definition: '{"instructions":"be kind"}' })
  const long = seenInstructions('x'.repeat(9_000_000))
  expect(long.definitions[0]?.definition.length).toBeLessThan(100)
  expect(long.revision).not.toBe(seenInstructions('y'.repeat(9_000_000)).revision)
})

test('too many tools, or too long ones, are refused', () => {
  const many = Array.from({ length: 5001 }, (_, at) => ({ name: `t${at}` }))
  expect(() => seenTools(many)).toThrow('more than 5000')
  expect(() => seenTools([{ name: 'a', description: 'x'.repeat(9_000_000) }])).toThrow('too long')
})

test('half a list is none: an error on a later page, no list, no end', async () => {
  const page = (tools: unknown, nextCursor?: string) => ({ result: { tools, ...(nextCursor && { nextCursor }) } })
  const asked: unknown[] = []
  const two = async (params: object) => {
    asked.push(params)
    return 'cursor' in params ? page([{ name: 'b' }]) : page([{ name: 'a' }], 'next')
  }
  expect(await listAll('tools', two)).toEqual([{ name: 'a' }, { name: 'b' }])
  expect(asked).toEqual([{}, { cursor: 'next' }])
  const broken = async (params: object) =>
    'cursor' in params ? { error: { code: -32_000, message: 'oops' } } : page([{ name: 'a' }], 'next')
  await expect(listAll('tools', broken)).rejects.toThrow('did not list them (oops)')
  await expect(listAll('tools', async () => page('none'))).rejects.toThrow('did not list them')
  await expect(listAll('tools', async () => page([], 'again'))).rejects.toThrow('no end')
  expect(await listAll('tools', async () => ({ error: { code: -32_601, message: 'no' } }))).toEqual([])
})

test('instructions that are null are none', () => {
  expect(seenInstructions(null)).toEqual(seenInstructions(undefined))
  expect(seenInstructions('').definitions).toHaveLength(1)
})

test('a server that answers the list of templates with an error has none; one that is away has not answered', async () => {
  const listed = (code: number, isOptional: boolean) =>
    listAll('resourceTemplates', async () => ({ error: { code, message: 'no' } }), isOptional)
  for (const code of [-32_600, -32_602, -32_603]) expect(await listed(code, true)).toEqual([])
  await expect(listed(-32_603, false)).rejects.toThrow('did not list them')
  await expect(listed(-32_000, true)).rejects.toThrow('did not list them')
})
