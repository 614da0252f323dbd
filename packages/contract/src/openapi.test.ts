import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { successOf, buildOpenApi } from './openapi.ts'
import type { RouteDef } from './route.ts'
import { routes } from './routes.ts'

const media = z.record(z.string(), z.object({ schema: z.unknown(), example: z.unknown().optional() }))
const operation = z.looseObject({
  operationId: z.string(),
  'x-toolhaven-extension': z.boolean().optional(),
  parameters: z
    .array(
      z.object({
        name: z.string(),
        in: z.enum(['path', 'query']),
        required: z.boolean(),
        description: z.string(),
        schema: z.unknown(),
      }),
    )
    .optional(),
  requestBody: z.object({ required: z.literal(true), content: media }).optional(),
  responses: z.record(z.string(), z.looseObject({ description: z.string().min(1), content: media.optional() })),
})
const document = z.looseObject({
  openapi: z.string(),
  paths: z.record(z.string(), z.record(z.string(), operation)),
  components: z.object({ schemas: z.record(z.string(), z.unknown()) }),
})
const built = document.parse(buildOpenApi('1.2.3'))
const table: [string, RouteDef][] = Object.entries(routes)
const operationOf = (route: RouteDef) => built.paths[route.path]?.[route.method.toLowerCase()]

describe('the OpenAPI document', () => {
  for (const [id, route] of table) {
    test(`describes ${id} with every code it can answer`, () => {
      const described = operationOf(route)
      expect(described?.operationId).toBe(id)
      expect(Object.keys(described?.responses ?? {}).toSorted()).toEqual(
        [
          ...new Set(['400', '403', '500', ...Object.keys(successOf(route)), ...Object.keys(route.errors ?? {})]),
        ].toSorted(),
      )
      expect(described?.['x-toolhaven-extension']).toBe(route.extension)
      const parameters = [...Object.keys(route.params?.shape ?? {}), ...Object.keys(route.query?.shape ?? {})]
      expect((described?.parameters ?? []).map(({ name }) => name)).toEqual(parameters)
      for (const status of ['400', '403', '500'])
        expect(described?.responses[status]?.content).toHaveProperty('text/plain')
    })

    test(`has examples of ${id} that hold`, () => {
      const body = route.body ?? z.undefined()
      expect(body.safeParse(route.bodyExample).error).toBeUndefined()
      expect(operationOf(route)?.requestBody?.content['application/json']?.example).toEqual(route.bodyExample)
      for (const [status, { schema, example, contentType }] of Object.entries(route.success)) {
        if (!schema || id === 'getOpenApi' || contentType === 'text/event-stream') continue
        expect(example, `${status} needs an example`).toBeDefined()
        expect(schema.safeParse(example).error).toBeUndefined()
      }
    })
  }

  test('refers to schemas that exist, and has no empty one', () => {
    const text = JSON.stringify(built)
    const references = new Set(
      [...text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => String(name)),
    )
    expect(references.size).toBeGreaterThan(20)
    for (const name of references) expect(built.components.schemas, name).toHaveProperty([name])
    expect(text).not.toContain('#/$defs/')
    for (const [name, schema] of Object.entries(built.components.schemas))
      expect(Object.keys(Object(schema)).length, name).toBeGreaterThan(0)
  })

  test('refuses unknown fields in every body', () => {
    for (const [id, route] of table) {
      if (!route.body) continue
      const extra = { ...Object(route.bodyExample), surely_unknown: 1 }
      expect(route.body.safeParse(extra).success, id).toBe(false)
    }
  })

  test('has an example of each error that is a text and not its description', () => {
    for (const [id, route] of table) {
      for (const [status, { description, content }] of Object.entries(operationOf(route)?.responses ?? {})) {
        if (Number(status) < 400) continue
        const example = String(content?.['text/plain']?.example)
        expect(example, `${id} ${status}`).toMatch(/^\S.{15,}\n$/)
        expect(example.trim(), `${id} ${status}`).not.toBe(description)
      }
    }
  })

  test('says in the schema which fields go together', () => {
    const { schemas } = built.components
    expect(schemas['v1.bulkOperationRequest']).toMatchObject({
      oneOf: [{ required: ['names'] }, { required: ['group'] }],
      properties: { names: { minItems: 1 } },
    })
    expect(schemas['v1.createRequest']).toMatchObject({
      anyOf: [{ required: ['image'] }, { required: ['url'] }, { required: ['folder'] }, { required: ['server_json'] }],
    })
    expect(schemas['v1.updateRegistryRequest']).toMatchObject({ not: { required: ['url', 'local_path'] } })
  })

  test('has patterns that need no properties of characters, which other languages do not know', () => {
    const patterns = [...JSON.stringify(built).matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)].map(([, text]) =>
      String(JSON.parse(text ?? '""')),
    )
    expect(patterns.length).toBeGreaterThan(5)
    expect(patterns.filter((pattern) => /\\p\{|\(\?</i.test(pattern))).toEqual([])
  })

  test('says booleans of queries and their default', () => {
    const parameters = built.paths['/api/v1beta/workloads']?.['get']?.parameters
    expect(parameters).toMatchObject([
      { name: 'all', in: 'query', required: false, schema: { type: 'boolean', default: false } },
      { name: 'group', in: 'query', required: false, schema: { type: 'string' } },
    ])
  })

  test('says which parts of a query are needed', () => {
    const needed = built.paths['/api/v1beta/logs/follow']?.['get']?.parameters
    expect(needed?.map(({ name, required }) => [name, required])).toEqual([
      ['workloads', true],
      ['tail', false],
      ['since', false],
    ])
  })

  test('is the same each time', () => {
    expect(buildOpenApi('1')).toEqual(buildOpenApi('1'))
  })
})
