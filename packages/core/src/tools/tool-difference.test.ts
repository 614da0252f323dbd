import { expect, test } from 'vitest'
import type { LockedDefinition } from '../ports/stores.ts'
import { toolDifference as differenceOf } from './tool-difference.ts'

const toolDifference = (accepted: LockedDefinition[], definitions: LockedDefinition[]) =>
  differenceOf({ parts: { tool: { accepted, seen: { at: '', revision: '', definitions } } } })

const tool = (definition: { name: string } & Record<string, unknown>, hash = JSON.stringify(definition)) => ({
  name: definition.name,
  hash,
  definition: JSON.stringify(definition),
})

test('only what is another is told, by kind and by field', () => {
  const read = { name: 'read', description: 'reads a file', inputSchema: { type: 'object', required: ['path'] } }
  const changes = toolDifference(
    [tool(read), tool({ name: 'stays' }), tool({ name: 'gone', description: 'bye' })],
    [
      tool({
        ...read,
        description: 'reads a secret file',
        inputSchema: { type: 'object', required: ['path', 'key'], properties: { key: { type: 'string' } } },
      }),
      tool({ name: 'stays' }),
      tool({ name: 'fresh', description: 'hi', annotations: { readOnlyHint: true } }),
    ],
  )
  expect(changes.map(({ name, kind }) => [name, kind])).toEqual([
    ['fresh', 'added'],
    ['gone', 'removed'],
    ['read', 'changed'],
  ])
  expect(changes[0]?.fields).toEqual([
    { field: 'description', parts: [{ kind: 'added', text: 'hi' }] },
    { field: 'annotations.readOnlyHint', parts: [{ kind: 'added', text: 'true' }] },
  ])
  expect(changes[2]?.fields).toEqual([
    {
      field: 'description',
      parts: [
        { kind: 'same', text: 'reads a ' },
        { kind: 'added', text: 'secret ' },
        { kind: 'same', text: 'file' },
      ],
    },
    { field: 'inputSchema.properties.key.type', parts: [{ kind: 'added', text: 'string' }] },
    {
      field: 'inputSchema.required',
      parts: [
        { kind: 'same', text: 'path' },
        { kind: 'added', text: ', key' },
      ],
    },
  ])
})

test('nothing in it is hidden: names, keys and values are written out', () => {
  const [change] = toolDifference(
    [],
    [tool({ name: 'a\u200Bb', description: '\u001B[2Jx\u{E0041}', inputSchema: { 'k\u202E.': 'v' } })],
  )
  expect(change).toMatchObject({
    name: 'a\\u{200b}b',
    fields: [
      { field: 'description', parts: [{ text: '\\u{1b}[2Jx\\u{e0041}' }] },
      { field: 'inputSchema["k\\u{202e}."]', parts: [{ text: 'v' }] },
    ],
  })
})

test('a name that stands twice is compared as both', () => {
  const twice = {
    name: 'a',
    hash: 'two',
    definition: '[{"description":"x","name":"a"},{"description":"y","name":"a"}]',
  }
  expect(toolDifference([tool({ name: 'a', description: 'x' })], [twice])[0]).toMatchObject({ kind: 'changed' })
})

test('instructions and resource templates are told with their part', () => {
  const locked = (name: string, definition: object) => ({
    name,
    hash: JSON.stringify(definition),
    definition: JSON.stringify(definition),
  })
  const said = (instructions: string) => [locked('instructions', { instructions })]
  const template = [locked('memo://{id}', { name: 'memo', uriTemplate: 'memo://{id}' })]
  const seen = (definitions: LockedDefinition[]) => ({ at: '', revision: '', definitions })
  const changes = differenceOf({
    parts: {
      instructions: { accepted: said('be kind'), seen: seen(said('be cruel')) },
      resource_template: { accepted: [], seen: seen(template) },
    },
  })
  expect(changes).toMatchObject([
    {
      ...{ part: 'resource_template', name: 'memo://{id}', kind: 'added' },
      fields: [{ field: 'name', parts: [{ kind: 'added', text: 'memo' }] }],
    },
    {
      ...{ part: 'instructions', name: 'instructions', kind: 'changed' },
      fields: [{ field: 'instructions', parts: [{ text: 'be ' }, { text: 'kind' }, { text: 'cruel' }] }],
    },
  ])
})
