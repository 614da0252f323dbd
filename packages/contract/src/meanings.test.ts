import { expect, test } from 'vitest'
import * as z from 'zod'
import { mcpServer } from './crd/mcp-server.ts'
import { buildOpenApi } from './openapi.ts'
import { registryDocument } from './registry-document.ts'

/** Pages, viewers and editors show these texts. Where one is missing, a reader has only the name to guess from. */
test.each([
  ['the API', buildOpenApi('1.2.3')],
  ['the registry schema', z.toJSONSchema(registryDocument, { io: 'input' })],
  ['the operator CRD', z.toJSONSchema(mcpServer, { io: 'input' })],
])('every field, parameter and type of %s says what it means', (_, document) => {
  expect(fieldsWithoutMeaning(document)).toEqual([])
})

test('a field without a meaning is found', () => {
  const silent = z.strictObject({ told: z.string().meta({ description: 'Told' }), untold: z.array(z.string()) })
  expect(fieldsWithoutMeaning(z.toJSONSchema(silent))).toEqual(['.untold'])
})

function fieldsWithoutMeaning(document: object): string[] {
  const types = typesOf(document)
  const found: string[] = Object.entries(types)
    .filter(([, type]) => !('description' in Object(type)))
    .map(([name]) => name)
  const hasMeaning = (value: unknown): boolean => {
    const { description, $ref } = Object(value)
    return Boolean(description) || ($ref !== undefined && hasMeaning(types[String($ref).split('/').at(-1) ?? '']))
  }
  const visit = (value: unknown, path: string) => {
    if (value === null || typeof value !== 'object') return
    const { properties, parameters } = Object(value)
    for (const [name, property] of Object.entries(Object(properties)))
      if (!hasMeaning(property)) found.push(`${path}.${name}`)
    if (Array.isArray(parameters))
      for (const parameter of parameters) if (!hasMeaning(parameter)) found.push(`${path} ${parameter.name}`)
    for (const [key, inner] of Object.entries(value))
      if (!['example', 'not'].includes(key)) visit(inner, key === 'properties' ? path : `${path}/${key}`)
  }
  visit(document, '')
  return found
}

function typesOf(document: object): Record<string, unknown> {
  const { $defs, components } = Object(document)
  return { ...$defs, ...components?.schemas }
}
