import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { anyText } from '@toolhaven/testing/any-text'
import { fc } from '@toolhaven/testing/properties'
import * as z from 'zod'
import { startDaemon } from '../../../e2e/src/daemon-process.ts'
import { makeHome } from '../../../e2e/src/home.ts'
import { type Answer, rawCall } from '../../../e2e/src/raw-call.ts'
import { socketOf } from '../../../e2e/src/socket-of.ts'
import { fromSchema, type Schemas } from '../from-schema.ts'
import type { Json, Target } from '../target.ts'

const below = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url))

/** No package index can be reached here, and asking again does not help. */
const IMPATIENT = {
  npm_config_fetch_retries: '0',
  npm_config_fetch_timeout: '2000',
  UV_HTTP_TIMEOUT: '2',
  PIP_RETRIES: '0',
}

const operation = z.looseObject({
  operationId: z.string(),
  parameters: z.array(z.looseObject({ name: z.string(), in: z.string(), schema: z.unknown() })).default([]),
  requestBody: z.looseObject({ content: z.record(z.string(), z.looseObject({ schema: z.unknown() })) }).optional(),
  responses: z.record(z.string(), z.unknown()),
})
const document = z.looseObject({
  paths: z.record(z.string(), z.record(z.string(), operation)),
  components: z.looseObject({ schemas: z.record(z.string(), z.unknown()) }),
})

interface Operation {
  id: string
  method: string
  path: string
  described: z.infer<typeof operation>
}

const call = z.object({ id: z.string(), path: z.string(), body: z.string().optional() })

/**
 * A daemon whose network leads nowhere, reached through its socket: whatever it has to fetch, nothing leaves this
 * machine.
 */
export const api: Target = {
  name: 'api',
  about: 'The API of a real daemon, driven from its own OpenAPI document (needs network namespaces)',
  async open() {
    await promisify(execFile)('unshare', ['--net', '--mount', 'true']).catch((cause: unknown) => {
      throw new Error('The target api needs network namespaces. Run it as root, or leave it out with --only.', {
        cause,
      })
    })
    await using cleanUp = new AsyncDisposableStack()
    const home = cleanUp.use(await makeHome({ env: { THV_RUNTIME: 'process', ...IMPATIENT } }))
    const program = [below('e2e/src/attacks/closed-network.ts'), home.dir, below('apps/cli/bin/thv.mjs')]
    const daemon = cleanUp.use(await startDaemon(home, [], program))
    const socketPath = await socketOf(home)
    const send = (method: string, path: string, body?: string) =>
      rawCall({ socketPath }, path, {
        method,
        headers: { host: 'localhost', ...(body !== undefined && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { body }),
      })
    const { paths, components } = document.parse(JSON.parse((await send('GET', '/api/openapi.json')).body))
    const operations = operationsOf(paths)
    const kept = cleanUp.move()
    return {
      inputs: fc.constantFrom(...operations.values()).chain((each) => madeCall(each, components.schemas)),
      async check(input) {
        const { id, path, body } = call.parse(input)
        const asked = operations.get(id)
        // An operation of another version: its inputs stay in the corpus until somebody removes them.
        if (asked === undefined) return 'unknown'
        const answer = await send(asked.method, path, body).catch((cause: unknown) => {
          throw new Error(`the daemon did not answer; it said: ${daemon.output().slice(-2000)}`, { cause })
        })
        return outcomeOf(asked, answer)
      },
      [Symbol.asyncDispose]: () => kept.disposeAsync(),
    }
  },
}

function operationsOf(paths: z.infer<typeof document>['paths']): Map<string, Operation> {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]): Operation => {
      return { id: described.operationId, method: method.toUpperCase(), path, described }
    }),
  )
  return new Map(all.map((each) => [each.id, each]))
}

const malformed = fc.oneof(
  anyText({ maxLength: 40 }),
  fc.constantFrom('', '{', '{"a":1,"a":2}', '[]', 'null', '['.repeat(5000)),
)

function madeCall({ id, path, described }: Operation, schemas: Schemas): fc.Arbitrary<Json> {
  const { parameters, requestBody } = described
  const values = Object.fromEntries(parameters.map(({ name, schema }) => [name, fromSchema(schema, schemas)]))
  const target = fc.tuple(fc.record(values, { noNullPrototype: true }), fc.boolean()).map(([made, hasQuery]) => {
    const query = new URLSearchParams()
    let filled = path
    for (const parameter of parameters) {
      const value = asText(made[parameter.name] ?? null)
      if (parameter.in === 'path') filled = filled.replace(`{${parameter.name}}`, encodeURIComponent(value))
      else if (hasQuery) query.set(parameter.name, value)
    }
    return query.size === 0 ? filled : `${filled}?${query}`
  })
  const schema = requestBody?.content['application/json']?.schema
  if (requestBody === undefined) return target.map((made) => ({ id, path: made }))
  const body = fc.oneof(
    { weight: 15, arbitrary: fromSchema(schema, schemas).map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: malformed },
  )
  return fc.tuple(target, body).map(([made, sent]) => ({ id, path: made, body: sent.toWellFormed() }))
}

const asText = (value: Json) => (typeof value === 'string' ? value : JSON.stringify(value)).toWellFormed()

/** The only answers that may say that the caller did nothing wrong: here no package index can be reached, and nobody can add a registry. */
const NOT_THE_CALLER = new Set(['getBuildRecipe 502', 'addRegistry 501'])

/** The document lists every answer, and no answer blames the daemon. */
function outcomeOf({ id, described }: Operation, { status, body }: Answer): string {
  const said = `${id} answers ${status}: ${body.slice(0, 500)}`
  const isOurFault = status >= 500 && !NOT_THE_CALLER.has(`${id} ${status}`)
  if (isOurFault || !(String(status) in described.responses)) throw new Error(said)
  if (status >= 400 && body.trim() === '') throw new Error(`${said} (without a word)`)
  return `${id} ${status}`
}
