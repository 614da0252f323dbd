import { describe, expect, test } from 'vitest'
import { inspectionEvent } from '@toolhaven/contract/inspections'
import { type FakeDaemon, startFakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { settle } from '@toolhaven/fakes/manual-clock'
import { ask, done, scenario } from '@toolhaven/testing/scenario'

const PORTS = { ui_port: 6274, mcp_proxy_port: 6277 }
const run = (fake: FakeDaemon) => done(fake, 'POST /api/v1beta/workloads', { name: 'web', image: 'web:1' })
const inspectors = (fake: FakeDaemon) => [...fake.runtime.instances.keys()].filter((name) => !name.startsWith('thv-'))

test('the Inspector runs without network, folders or secrets for as long as it is followed', async () => {
  using fake = await startFakeDaemon()
  await run(fake)
  const response = await ask(fake, 'POST /api/v1beta/workloads/web/inspect', { body: PORTS })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  while (!text.includes('"ready"')) text += (await reader?.read())?.value ?? ''
  const events = [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => inspectionEvent.parse(JSON.parse(data)))
  const { port } = fake.daemon.workloads.book.get('web').stored
  expect(events.at(-1)).toEqual({
    state: 'ready',
    url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:6274\/\?MCP_INSPECTOR_API_TOKEN=[0-9a-f]{32}$/),
    server_url: `http://127.0.0.1:${port}/mcp`,
    version: '2.12.0',
  })
  const [name = ''] = inspectors(fake)
  expect(fake.runtime.instances.get(name)?.spec).toMatchObject({
    source: { scheme: 'npx', name: '@modelcontextprotocol/inspector', version: '2.12.0' },
    network: 'none',
    mounts: [],
    labels: { toolhaven: 'true', 'toolhaven-instance': 'test' },
    env: { CLIENT_PORT: '6274', MCP_SANDBOX_PORT: '6277' },
  })

  // The look for orphans, every minute, leaves it alone.
  await fake.clock.advance(61_000)
  await settle()
  expect(inspectors(fake)).toEqual([name])
  expect(fake.daemon.workloads.book.all().map(({ stored }) => stored.config.name)).toEqual(['web'])

  await reader?.cancel()
  await fake.daemon.inspections.idle()
  expect(inspectors(fake)).toEqual([])
})

test('what a killed daemon left of an Inspector is an orphan of the next', async () => {
  using fake = await startFakeDaemon()
  await settle()
  const labels = { toolhaven: 'true', 'toolhaven-instance': 'test' }
  const source = { kind: 'package', scheme: 'npx', name: 'x', version: '1.0.0' } as const
  const rest = { args: [], env: {}, mounts: [], network: 'none', stdio: true, limits: {} } as const
  await fake.runtime.create({ name: 'toolhaven-inspector-1', labels, prepared: { id: 'x' }, source, ...rest })
  await fake.clock.advance(61_000)
  await settle()
  expect(inspectors(fake)).toEqual([])
})

describe('an inspection', () => {
  const request = 'POST /api/v1beta/workloads/web/inspect'
  scenario('of an unknown workload is refused', {
    request,
    body: PORTS,
    answers: { status: 404, text: /web not found/ },
  })
  scenario('of a stopped one too', {
    given: async (fake) => {
      await run(fake)
      await done(fake, 'POST /api/v1beta/workloads/web/stop')
    },
    request,
    body: PORTS,
    answers: { status: 409, text: 'web is stopped; the Inspector needs a running server' },
  })
  scenario('at a port that is taken is refused, and leaves nothing', {
    given: run,
    request,
    body: { ...PORTS, mcp_proxy_port: 1 },
    answers: { status: 409, text: /Port 1 on 127\.0\.0\.1 is taken/ },
    afterwards: (fake) => expect(inspectors(fake)).toEqual([]),
  })
  for (const [body, text] of [
    [{ ui_port: 6274, mcp_proxy_port: 6274 }, /two different ports/],
    [{ ...PORTS, version: 'latest' }, /not an exact version/],
    [{ ui_port: 0, mcp_proxy_port: 6277 }, /^ui_port: /],
    [{ ui_port: 6274 }, /^mcp_proxy_port: /],
  ] as const) {
    scenario(`refuses ${JSON.stringify(body)}`, { given: run, request, body, answers: { status: 400, text } })
  }
})
