import { describe, expect, test } from 'vitest'
import type { RouteDef } from '@toolhaven/contract/route'
import { routes } from '@toolhaven/contract/routes'
import { type FakeDaemon, startFakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { settle } from '@toolhaven/fakes/manual-clock'
import { ask, done, send } from '@toolhaven/testing/scenario'

const PLAIN = 'canary-plain-4711'
const QUOTED = 'canary "quoted" \\ & more/4712'
const LINES = 'canary-first-line\ncanary-second-line'
const HEADER = 'Bearer canary-header-4713'
const PASSWORD = 'canary-password-4714'

/** Every spelling in which one of them could leave. */
const NEEDLES = [
  ...[PLAIN, QUOTED, JSON.stringify(QUOTED).slice(1, -1), encodeURIComponent(QUOTED)],
  ...['canary-first-line', 'canary-second-line', 'canary-header-4713', PASSWORD],
]

const table: RouteDef[] = Object.values(routes)
const getRoutes = table.filter(
  ({ method, success, socketOnly }) => method === 'GET' && !socketOnly && !isStream(success),
)

function isStream(success: RouteDef['success']): boolean {
  return Object.values(success).some(({ contentType }) => contentType === 'text/event-stream')
}

async function withSecrets(): Promise<FakeDaemon> {
  const fake = await startFakeDaemon()
  await done(fake, 'POST /api/v1beta/secrets', { provider_type: 'encrypted', password: PASSWORD })
  for (const [key, value] of [
    ['plain', PLAIN],
    ['quoted', QUOTED],
    ['lines', LINES],
  ]) {
    await done(fake, 'POST /api/v1beta/secrets/default/keys', { key, value })
  }
  return fake
}

const SECRETS = [
  { name: 'plain', target: 'PLAIN' },
  { name: 'quoted', target: 'QUOTED' },
  { name: 'lines', target: 'LINES' },
]

const local = (fake: FakeDaemon, name: string, fields: object = {}) =>
  done(fake, 'POST /api/v1beta/workloads', { name, image: 'npx://web@1.0.0', secrets: SECRETS, ...fields })

/** All that anybody can read of the daemon without the unix socket. */
async function everythingReadable(fake: FakeDaemon, streams: readonly string[]): Promise<string> {
  const names = [...fake.workloadStore.records.keys(), 'ghost']
  const texts: string[] = [...streams]
  for (const route of getRoutes) {
    for (const name of route.tag === 'workloads' ? names : ['default']) {
      const path = route.path.replace('{serverName}', 'everything').replaceAll(/\{\w+\}/g, name)
      const response = await ask(fake, `GET ${path}${path.endsWith('/workloads') ? '?all=true' : ''}`)
      texts.push(await response.text())
    }
  }
  texts.push(JSON.stringify(fake.journal.entries), JSON.stringify([...fake.workloadStore.records]))
  texts.push(JSON.stringify([...fake.clientFiles.entries].map(([client, entries]) => [client, [...entries]])))
  return texts.join('\n')
}

/** Keeps what a stream says. */
async function record(fake: FakeDaemon, request: string, into: string[]): Promise<void> {
  const response = await ask(fake, request)
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  void (async () => {
    for (let part = await reader.read(); !part.done; part = await reader.read()) into.push(part.value)
  })()
  await settle()
}

function expectNone(text: string): void {
  for (const needle of NEEDLES) expect(text, `${needle} leaked`).not.toContain(needle)
}

const WORDS = `my variables: ${PLAIN} ${QUOTED} ${JSON.stringify(QUOTED)} ${encodeURIComponent(QUOTED)} canary-first-line | canary-second-line`

describe('the value of a secret', () => {
  test('is in no answer, event, log, journal or record while its workload runs', async () => {
    using fake = await withSecrets()
    const streams: string[] = []
    await record(fake, 'GET /api/v1beta/events', streams)
    await local(fake, 'web')
    await record(fake, 'GET /api/v1beta/workloads/web/logs/follow', streams)
    await done(fake, 'POST /api/v1beta/clients', { name: 'Cursor' })
    for (const line of WORDS.split('\n')) fake.gateway.events.onOutput('web', 'stderr', line)
    await settle()
    const seen = await everythingReadable(fake, streams)
    expect(seen).toContain('my variables: [secret]')
    expectNone(seen)
    expect(fake.runtime.instances.get('thv-web')?.spec.env).toMatchObject({ PLAIN, QUOTED, LINES })
  })

  test('is not in the reason of a failed start', async () => {
    using fake = await withSecrets()
    const streams: string[] = []
    await record(fake, 'GET /api/v1beta/events', streams)
    fake.gateway.failHandshake = `the server said: ${WORDS}`
    await local(fake, 'web')
    for (let step = 0; step < 25; step += 1) await fake.clock.advance(100)
    const seen = await everythingReadable(fake, streams)
    expect(seen).toContain('the server said: my variables: [secret]')
    expectNone(seen)
  })

  test('is not in the last words of a server that crashed', async () => {
    using fake = await withSecrets()
    const streams: string[] = []
    await record(fake, 'GET /api/v1beta/events', streams)
    await local(fake, 'web')
    // As an older daemon without masking might have left it.
    fake.logs.append('web', 'stderr', WORDS)
    fake.runtime.crash('web')
    await settle()
    const seen = await everythingReadable(fake, streams)
    expect(seen).toContain('its last output')
    expectNone(seen)
  })

  test('of a header goes to the secret store and to the server only', async () => {
    using fake = await withSecrets()
    const streams: string[] = []
    await record(fake, 'GET /api/v1beta/events', streams)
    await done(fake, 'POST /api/v1beta/workloads', {
      name: 'far',
      url: 'https://example.com/mcp',
      headers: { Authorization: HEADER, 'X-Team': 'red' },
    })
    expect(fake.gateway.backends.get('far')).toMatchObject({ headers: { Authorization: HEADER, 'X-Team': 'red' } })
    fake.gateway.events.onBackendLost('far', `401 for ${HEADER}`)
    await settle()
    expectNone(await everythingReadable(fake, streams))
    await done(fake, 'POST /api/v1beta/workloads/far/edit', { labels: { a: 'b' } })
    await fake.clock.advance(60_000)
    expect(fake.gateway.backends.get('far')).toMatchObject({ headers: { Authorization: HEADER } })
    expectNone(await everythingReadable(fake, streams))
  })

  test('that was changed stays hidden in the server that still has the old one', async () => {
    using fake = await withSecrets()
    await local(fake, 'web')
    await done(fake, 'PUT /api/v1beta/secrets/default/keys/plain', { value: 'another-value' })
    fake.gateway.events.onOutput('web', 'stdout', WORDS)
    expectNone(await everythingReadable(fake, []))
  })

  test('stays hidden after stop, restart, edit and daemon restart', async () => {
    using fake = await withSecrets()
    const streams: string[] = []
    await record(fake, 'GET /api/v1beta/events', streams)
    await local(fake, 'web')
    fake.gateway.events.onOutput('web', 'stdout', WORDS)
    for (const request of ['POST /api/v1beta/workloads/web/restart', 'POST /api/v1beta/workloads/web/stop']) {
      await done(fake, request)
      expectNone(await everythingReadable(fake, streams))
    }
    await done(fake, 'POST /api/v1beta/workloads/web/edit', { tools: ['echo'] })
    expectNone(await everythingReadable(fake, streams))
  })

  test('is not repeated by a request that is refused', async () => {
    using fake = await withSecrets()
    await local(fake, 'web')
    const answers = [
      await send(fake, 'POST /api/v1beta/secrets/default/keys', { body: { key: 'plain', value: PLAIN } }),
      await send(fake, 'POST /api/v1beta/secrets/default/keys', { body: { key: '', value: PLAIN } }),
      await send(fake, 'POST /api/v1beta/secrets/default/keys', { body: { key: 'k', value: [PLAIN] } }),
      await send(fake, 'POST /api/v1beta/secrets/default/keys', { body: `{"key":"k","value":"${PLAIN}"` }),
      await send(fake, 'POST /api/v1beta/secrets', { body: { provider_type: PASSWORD } }),
      await send(fake, 'POST /api/v1beta/workloads', { body: { name: 'x', image: 'X', env_vars: { A: PLAIN } } }),
      await send(fake, 'POST /api/v1beta/workloads', {
        body: { url: 'https://example.com', headers: { Authorization: `${HEADER}\n` } },
      }),
      await send(fake, 'POST /api/v1beta/workloads', { body: { url: `https://user:canary-header-4713@example.com/` } }),
    ]
    for (const { status, text } of answers) {
      expect(status).toBeGreaterThanOrEqual(400)
      expectNone(text)
    }
  })

  test('is read over the unix socket', async () => {
    using fake = await withSecrets()
    const { text } = await send(fake, 'GET /api/v1beta/secrets/default/keys/quoted/value', { overSocket: true })
    expect(JSON.parse(text)).toEqual({ key: 'quoted', value: QUOTED })
  })

  test('of a header has a key of its own in the store', async () => {
    using fake = await withSecrets()
    await done(fake, 'POST /api/v1beta/workloads', {
      name: 'far',
      url: 'https://example.com/mcp',
      headers: { Authorization: HEADER },
    })
    const keys = async () => JSON.parse((await send(fake, 'GET /api/v1beta/secrets/default/keys')).text)
    expect(await keys()).toMatchObject({ keys: [{ key: 'far-header-authorization' }, {}, {}, {}] })
  })
})
