import { describe, expect, test } from 'vitest'
import { anyText } from '@toolhaven/testing/any-text'
import type * as z from 'zod'
import type { RouteDef } from '@toolhaven/contract/route'
import { routes } from '@toolhaven/contract/routes'
import { type FakeDaemon, startFakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { settle } from '@toolhaven/fakes/manual-clock'
import { fc } from '@toolhaven/testing/properties'
import { rotationFrom } from '@toolhaven/testing/rotation'
import { ask, done, send } from '@toolhaven/testing/scenario'
import { checkSentence } from '@toolhaven/testing/scenario/check-answer'

const { full } = rotationFrom(process.env)
const numRuns = full ? 400 : 15
const table: [string, RouteDef][] = Object.entries(routes)
const withBody = table.filter(([, route]) => route.body !== undefined)
const withParams = table.filter(([, route]) => route.params !== undefined)

/** Everything a refused request must leave as it was. */
function stateOf(fake: FakeDaemon): string {
  const { config, registry } = {
    config: fake.daemon.settings.config.get(),
    registry: fake.daemon.registry.config.get(),
  }
  return JSON.stringify({
    workloads: [...fake.workloadStore.records],
    groups: [...fake.groupStore.records],
    journal: fake.journal.entries,
    ...{ config, registry, instances: [...fake.runtime.instances.keys()] },
    endpoints: [...fake.gateway.endpoints],
    clients: [...fake.clientFiles.entries].map(([client, entries]) => [client, [...entries]]),
  })
}

async function populated(): Promise<FakeDaemon> {
  const fake = await startFakeDaemon()
  await done(fake, 'POST /api/v1beta/secrets', { provider_type: 'encrypted' })
  await done(fake, 'POST /api/v1beta/secrets/default/keys', { key: 'token', value: 'a-secret-value' })
  await done(fake, 'POST /api/v1beta/groups', { name: 'research' })
  await done(fake, 'POST /api/v1beta/workloads', { name: 'web', image: 'everything', proxy_port: 15_000 })
  await done(fake, 'POST /api/v1beta/clients', { name: 'Cursor' })
  await settle()
  return fake
}

/** Names that exist, so that only the fault under test can be the reason of a refusal. */
const KNOWN: Record<string, string> = { name: 'web', group: 'default', key: 'token', serverName: 'everything' }

function knownPath(route: RouteDef, replaced: Record<string, string> = {}): string {
  const own =
    route.tag === 'registry'
      ? { name: 'default' }
      : route.tag === 'groups'
        ? { name: 'research' }
        : route.tag === 'clients'
          ? { name: 'Cursor' }
          : {}
  const values: Record<string, string> = { ...KNOWN, ...own, ...replaced }
  return route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? 'x')
}

/** The request is refused with a sentence, the daemon lives, and nothing changed. */
async function refused(fake: FakeDaemon, before: string, route: RouteDef, response: Response): Promise<void> {
  const body = await response.text()
  const what = `${route.method} ${route.path} → ${response.status} ${body.slice(0, 200)}`
  expect(response.status, what).toBeGreaterThanOrEqual(400)
  expect(response.status, what).toBeLessThan(500)
  checkSentence(response, body)
  expect((await send(fake, 'GET /api/v1beta/version')).status).toBe(200)
  expect(stateOf(fake), what).toBe(before)
}

/** Nothing that a refused request left behind may begin later. */
async function unchanged(fake: FakeDaemon, before: string): Promise<void> {
  await settle()
  expect(stateOf(fake)).toBe(before)
}

const shapeOf = (schema: z.ZodType | undefined): string[] => {
  const shape: unknown = schema !== undefined && 'shape' in schema ? schema.shape : {}
  return Object.keys(shape ?? {})
}

/** Never valid for any field of any body. */
const wrongValue = fc.oneof(
  fc.constant({ $not: 'a field' }),
  fc.constant([[['nested']]]),
  fc.constant([{ unexpected: 1 }]),
  fc.constant([null]),
  fc.integer({ max: -1 }),
  fc.double({ max: -0.5, noNaN: true, noDefaultInfinity: true }),
)

for (const [id, route] of withBody) {
  const fields = shapeOf(route.body)
  const example: Record<string, unknown> = { ...Object(route.bodyExample) }
  const path = knownPath(route)

  describe(`${id} refuses`, () => {
    const property = async <T>(
      arbitrary: fc.Arbitrary<T>,
      bodyOf: (value: T) => string,
      headersOf?: (value: T) => Record<string, string>,
    ) => {
      using fake = await populated()
      const before = stateOf(fake)
      await fc.assert(
        fc.asyncProperty(arbitrary, async (value) => {
          const options = { body: bodyOf(value), headers: headersOf?.(value) }
          await refused(fake, before, route, await ask(fake, `${route.method} ${path}`, options))
        }),
        { numRuns },
      )
      await unchanged(fake, before)
    }

    test('a body that is not an object', () =>
      property(
        fc.oneof(
          fc.string(),
          fc.double({ noNaN: true, noDefaultInfinity: true }),
          fc.boolean(),
          fc.constant(null),
          fc.array(fc.jsonValue()),
        ),
        (value) => JSON.stringify(value),
      ))

    test('a field of a wrong type', () =>
      property(fc.tuple(fc.constantFrom(...fields), wrongValue), ([field, value]) =>
        JSON.stringify({ ...example, [field]: value }),
      ))

    test('a field it does not know', () =>
      property(
        fc
          .tuple(
            fc.oneof(
              fc.constantFrom('constructor', 'toString', 'hasOwnProperty', 'prototype', '$ref', ''),
              fc.string(),
            ),
            // What asks for nothing is ignored.
            fc.jsonValue().filter((value) => !['null', 'false', '""', '[]', '{}'].includes(JSON.stringify(value))),
          )
          .filter(([field]) => !fields.includes(field) && field !== '__proto__'),
        ([field, value]) => JSON.stringify({ ...example, [field]: value }),
      ))

    test('a NUL in any field, and a key with a NUL or half of a surrogate pair, with the place named', async () => {
      using fake = await populated()
      const before = stateOf(fake)
      const bodies: [string, object][] = [
        ...fields.flatMap((field): [string, object][] => [
          [field, { ...example, [field]: 'x\0y' }],
          [`${field}.A.0`, { ...example, [field]: { A: ['x\0y'] } }],
        ]),
        ['a?b', { ...example, 'a\0b': 1 }],
        ['\ufffd', { ...example, '\ud83d': 1 }],
      ]
      for (const [place, body] of bodies) {
        const answer = await ask(fake, `${route.method} ${path}`, { body: JSON.stringify(body) })
        const text = await answer.clone().text()
        expect(text).toContain('must not contain')
        expect(text.slice(0, place.length + 2)).toBe(`${place}: `)
        expect(answer.status).toBe(400)
        await refused(fake, before, route, answer)
      }
      await unchanged(fake, before)
    })

    test('text that is not JSON', () =>
      property(
        anyText().filter((text) => !isJson(text)),
        (text) => text,
      ))

    test('duplicate keys, __proto__ and deep nesting', () =>
      property(
        fc.oneof(
          fc.constantFrom(...fields).map((field) => `{"${field}":1,"${field}":1}`),
          fc.constantFrom(
            '{"__proto__":{}}',
            '{"a":{"__proto__":null}}',
            '{"__proto__":1,"__proto__":2}',
            '{"\\u005f_proto__":{}}',
          ),
          fc
            .integer({ min: 33, max: 5_000 })
            .map((depth) => `{"${fields[0]}":${'['.repeat(depth)}${']'.repeat(depth)}}`),
          fc.integer({ min: 33, max: 2_000 }).map((depth) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`),
        ),
        (text) => text,
      ))

    test('another content type', () =>
      property(
        fc.constantFrom(
          'text/plain',
          'text/json',
          'application/xml',
          'multipart/form-data; boundary=x',
          'application/json, text/plain',
          'application/x-www-form-urlencoded',
        ),
        () => JSON.stringify(example),
        (type) => ({ 'content-type': type }),
      ))

    test('a body of 10 MB', async () => {
      using fake = await populated()
      const before = stateOf(fake)
      const body = JSON.stringify({ ...example, [fields[0] ?? 'x']: 'x'.repeat(10_000_000) })
      await refused(fake, before, route, await ask(fake, `${route.method} ${path}`, { body }))
    })
  })
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const tricks = fc.oneof(
  fc.constantFrom(
    '..',
    '../..',
    '../../etc/passwd',
    '..\\x',
    '/etc/passwd',
    '-rf',
    '--help',
    '-',
    '.',
    '.git',
    'a\u0000b',
    'a\nb',
    'a\r\nX: y',
    ' ',
    'a b',
    '%',
    '%2e%2e',
    '%252e',
    'a%2fb',
    'ａ',
    'é',
    '💥',
    '{x}',
    ':x',
    '*',
    '?',
    '#',
    '\u202e',
    'x'.repeat(300),
  ),
  anyText({ minLength: 1, maxLength: 40 }).map((text) => `../${text}`),
  anyText({ minLength: 1, maxLength: 40 }).map((text) => `-${text}`),
)

const encoded = (text: string) => encodeURIComponent(text.toWellFormed()).replaceAll('.', '%2E')

/** URLs have no `..`: `/workloads/../stats` is a request for `/stats`, which anybody with this access may send. */
function namesAnotherRoute(target: string): boolean {
  const { pathname } = new URL(target, 'http://localhost')
  return pathname !== target && table.some(([, { path }]) => path === pathname)
}

describe('every route with a name refuses names that are tricks', () => {
  for (const [id, route] of withParams) {
    test(id, async () => {
      using fake = await populated()
      const before = stateOf(fake)
      const body = route.body && JSON.stringify(route.bodyExample)
      await fc.assert(
        fc.asyncProperty(tricks, fc.constantFrom(...shapeOf(route.params)), async (trick, parameter) => {
          const target = knownPath(route, { [parameter]: encoded(trick) })
          fc.pre(!namesAnotherRoute(target))
          const answer = await ask(fake, `${route.method} ${target}`, { body, overSocket: route.socketOnly })
          await refused(fake, before, route, answer)
        }),
        { numRuns },
      )
      await unchanged(fake, before)
    })
  }
})

describe('every route refuses', () => {
  test('a query it does not know', async () => {
    using fake = await populated()
    const before = stateOf(fake)
    const queries = [
      'x=1',
      '__proto__=1',
      'constructor[prototype]=1',
      'all=maybe',
      'with-workloads=2',
      '%00=1',
      'group=%2e%2e%2f',
      'name=other',
      '%zz=1',
      `${'a'.repeat(5000)}=1`,
    ]
    for (const [, route] of table) {
      for (const query of queries) {
        const target = `${route.method} ${knownPath(route)}?${query}`
        await refused(
          fake,
          before,
          route,
          await ask(fake, target, {
            body: route.body && JSON.stringify(route.bodyExample),
            overSocket: route.socketOnly,
          }),
        ).catch((error: unknown) => {
          throw new Error(`${target}: ${String(error)}`, { cause: error })
        })
      }
    }
    await unchanged(fake, before)
  })

  test('a malformed percent sign or an encoded slash in its path', async () => {
    using fake = await populated()
    const before = stateOf(fake)
    for (const [, route] of withParams) {
      for (const trick of ['%', '%2', '%zz', '%c0%ae', '%ff', '%e2%28%a1', 'web%2f..%2fweb', 'web%00', '%2f']) {
        const parameter = shapeOf(route.params)[0] ?? ''
        const target = `${route.method} ${knownPath(route, { [parameter]: trick })}`
        await refused(
          fake,
          before,
          route,
          await ask(fake, target, {
            body: route.body && JSON.stringify(route.bodyExample),
            overSocket: route.socketOnly,
          }),
        )
      }
    }
  })
})

test('a body of more values than any request has use for is refused before they are compared', async () => {
  using fake = await populated()
  const body = `{"name":"x","image":"everything","cmd_arguments":[${Array(20_000).fill('0').join()}]}`
  const response = await ask(fake, 'POST /api/v1beta/workloads', { body })
  expect(response.status).toBe(400)
  expect(await response.text()).toContain('it holds more than 20000 values')
})

test('of many fields that are not known, a few are named', async () => {
  using fake = await populated()
  const unknown = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`field${at}`, 1]))
  const body = JSON.stringify({ name: 'x', image: 'everything', ...unknown })
  const response = await ask(fake, 'POST /api/v1beta/workloads', { body })
  expect(response.status).toBe(400)
  const text = await response.text()
  expect(text).toContain('unknown field field0, field1')
  expect(text).toContain('and 4995 more')
  expect(text.length).toBeLessThan(500)
})
