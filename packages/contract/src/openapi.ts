import * as z from 'zod'
import { codeSamples } from './code-samples.ts'
import type { ErrorDefs, ResponseDef, RouteDef } from './route.ts'
import { routes } from './routes.ts'

export type OpenApiDocument = Record<string, unknown>

/** Turns the route table into an OpenAPI 3.1 document. */
export function buildOpenApi(version: string): OpenApiDocument {
  const schemas: Record<string, unknown> = {}
  const paths: Record<string, Record<string, unknown>> = {}
  for (const [id, route] of Object.entries<RouteDef>(routes)) {
    const item = (paths[route.path] ??= {})
    item[route.method.toLowerCase()] = operation(id, route, schemas)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Toolhaven API',
      version,
      description: 'Runs MCP servers in isolation and gives every AI client one safe way to reach them.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: serversAt('http://localhost:8080'),
    tags: TAGS.map(([name, description]) => ({ name, description })),
    security: [],
    paths,
    components: { schemas: sortKeys(schemas) },
  }
}

/** The daemon replaces this with the address of the request for the document. */
export function serversAt(url: string) {
  return [{ url, description: 'The local daemon' }]
}

const TAGS = [
  ['clients', 'AI client programs whose configuration Toolhaven keeps'],
  ['discovery', 'What is installed on this machine'],
  ['groups', 'Sets of workloads that clients register with'],
  ['registry', 'Catalogues of MCP servers'],
  ['secrets', 'Keys and tokens handed to workloads'],
  ['system', 'The daemon itself'],
  ['version', 'Version of the daemon'],
  ['workloads', 'MCP servers that run here'],
] as const

/** Errors that every route can answer. */
const commonErrors = (route: RouteDef): ErrorDefs => ({
  400: { when: 'bad or invalid request; the text names what is wrong', example: badRequest(route) },
  403: {
    when: 'the caller is not allowed here: foreign Host or Origin, or another user of this machine',
    example: 'Requests from this Origin are not allowed.',
  },
  500: {
    when: 'internal server error; the details are in the log of the daemon',
    example: 'internal server error; the log of the daemon has the details',
  },
})

function badRequest({ body, query }: RouteDef): string {
  if (body) return 'the body is empty; send a JSON object'
  return query ? 'unknown field verbose' : 'unknown query parameter verbose'
}

function operation(id: string, route: RouteDef, schemas: Record<string, unknown>) {
  const parameters = [...parameterList('path', route.params, schemas), ...parameterList('query', route.query, schemas)]
  return {
    operationId: id,
    tags: [route.tag],
    summary: route.summary,
    ...(route.description && { description: route.description }),
    ...(route.extension && { 'x-toolhaven-extension': true }),
    ...(parameters.length > 0 && { parameters }),
    ...(route.body && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: schemaOf(route.body, schemas), example: route.bodyExample } },
      },
    }),
    responses: responses(route, schemas),
    'x-codeSamples': codeSamples(id, route),
  }
}

function responses(route: RouteDef, schemas: Record<string, unknown>) {
  const answers: Record<string, unknown> = {}
  for (const [status, response] of Object.entries(successOf(route))) answers[status] = success(response, schemas)
  for (const [status, { when, example }] of Object.entries({ ...commonErrors(route), ...route.errors })) {
    answers[status] = {
      description: when,
      content: { 'text/plain': { schema: { type: 'string' }, example: `${example}\n` } },
    }
  }
  return answers
}

/** Adds the plan: a 200 beside the usual answer, or instead of it. */
export function successOf({ success: usual, plan }: RouteDef): RouteDef['success'] {
  if (!plan?.schema) return usual
  const other = usual[200]
  if (!other?.schema) return { ...usual, 200: plan }
  const description = `${other.description}. ${plan.description}`
  return { ...usual, 200: { ...other, description, schema: z.union([other.schema, plan.schema]) } }
}

function success(response: ResponseDef, schemas: Record<string, unknown>) {
  if (!response.schema) return { description: response.description }
  const media = {
    schema: schemaOf(response.schema, schemas),
    ...(response.example !== undefined && { example: response.example }),
  }
  return { description: response.description, content: { [response.contentType ?? 'application/json']: media } }
}

function parameterList(place: 'path' | 'query', object: z.ZodObject | undefined, schemas: Record<string, unknown>) {
  if (!object) return []
  return Object.entries(object.shape).map(([name, schema]) => {
    const isBoolean = place === 'query' && (name === 'all' || name === 'with-workloads')
    return {
      name,
      in: place,
      required: schema._zod.optin !== 'optional',
      ...meaningOf(schema),
      schema: isBoolean
        ? { type: 'boolean', default: false }
        : schemaOf(z.looseObject({ schema }).shape.schema, schemas),
    }
  })
}

function meaningOf(schema: z.core.$ZodType) {
  const description = z.globalRegistry.get(schema)?.description
  return description === undefined ? {} : { description }
}

/** Moves each named schema to the components once, and leaves a reference in its place. */
function schemaOf(schema: z.core.$ZodType, schemas: Record<string, unknown>): unknown {
  const {
    $schema: _,
    $defs,
    ...rest
  } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', target: 'draft-2020-12' })
  for (const [id, definition] of Object.entries($defs ?? {})) schemas[id] ??= withComponentRefs(withoutId(definition))
  const id = z.globalRegistry.get(schema)?.id
  if (typeof id !== 'string') return withComponentRefs(rest)
  schemas[id] ??= withComponentRefs(withoutId(rest))
  return { $ref: `#/components/schemas/${id}` }
}

function withoutId(definition: object): object {
  return Object.fromEntries(Object.entries(definition).filter(([key]) => key !== 'id'))
}

function withComponentRefs(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withComponentRefs)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) =>
      key === '$ref' && typeof inner === 'string'
        ? [key, inner.replace('#/$defs/', '#/components/schemas/')]
        : [key, withComponentRefs(inner)],
    ),
  )
}

function sortKeys(object: Record<string, unknown>) {
  return Object.fromEntries(Object.entries(object).toSorted(([a], [b]) => a.localeCompare(b)))
}
