import { describe, expect, test } from 'vitest'
import { createApiClient } from '@toolhaven/contract/client'
import { workloadPlan } from '@toolhaven/contract/plans'
import { type FakeDaemon, startFakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { settle } from '@toolhaven/fakes/manual-clock'
import { done, scenario, send } from '@toolhaven/testing/scenario'

const DRY = '?dry_run=true'
const web = { name: 'web', image: 'npx://web@1.0.0', permission_profile: { name: 'none' } }

const planIn = ({ text }: Awaited<ReturnType<typeof send>>) => workloadPlan.parse(JSON.parse(text))

/** Everything that a request could leave behind. */
function traces(fake: FakeDaemon) {
  return {
    workloads: [...fake.workloadStore.records.values()],
    journal: fake.journal.entries.length,
    instances: fake.runtime.instances?.size,
  }
}

async function planned(fake: FakeDaemon, request: string, body: unknown) {
  const before = structuredClone(traces(fake))
  const answered = await send(fake, request, { body })
  await settle()
  expect(traces(fake)).toEqual(before)
  expect(answered.status).toBe(200)
  return planIn(answered)
}

describe('the plan of a create', () => {
  test('is the configuration that the registry and the request make, and nothing is made', async () => {
    using fake = await startFakeDaemon()
    const plan = await planned(fake, `POST /api/v1beta/workloads${DRY}`, { image: 'everything', tools: ['echo'] })
    expect(plan).toMatchObject({
      name: 'everything',
      configuration: { image: 'npx://everything@1.0.0', env_vars: { LEVEL: 'info' }, tools_filter: ['echo'] },
      problems: [],
      restarts: false,
    })
    expect(plan.differences).toContainEqual({ field: 'env_vars.LEVEL', after: 'info' })
    await done(fake, 'POST /api/v1beta/workloads', { image: 'everything', tools: ['echo'] })
    const { configuration: { port: _, ...configuration } = {} } = plan
    expect(JSON.parse((await done(fake, 'GET /api/v1beta/workloads/everything/export')).text)).toMatchObject(
      configuration,
    )
  })

  test('names every problem at once, each with its field and the status of its refusal', async () => {
    using fake = await startFakeDaemon()
    await done(fake, 'POST /api/v1beta/secrets', { provider_type: 'encrypted' })
    await done(fake, 'POST /api/v1beta/workloads', { ...web, proxy_port: 18_000 })
    const { problems } = await planned(fake, `POST /api/v1beta/workloads${DRY}`, {
      name: 'web',
      image: 'needs-key',
      group: 'ghosts',
      proxy_port: 18_000,
      tools: ['dig'],
      secrets: [{ name: 'gone', target: 'API_KEY' }],
      volumes: ['/no/such/folder:/data'],
      headers: { a: 'b' },
    })
    expect(problems.map(({ field, status }) => [field, status])).toEqual([
      ['name', 409],
      ['proxy_port', 409],
      ['headers', 400],
      ['group', 404],
      ['tools', 400],
      ['env_vars', 400],
      ['secrets', 404],
      ['volumes', 400],
    ])
    expect(problems.find(({ field }) => field === 'env_vars')?.message).toMatch(/^needs-key needs REGION/)
  })

  test('does not hold its name: a create at the same time succeeds', async () => {
    using fake = await startFakeDaemon()
    const [plan, created] = await Promise.all([
      send(fake, `POST /api/v1beta/workloads${DRY}`, { body: web }),
      send(fake, 'POST /api/v1beta/workloads', { body: web }),
    ])
    expect([plan.status, created.status]).toEqual([200, 201])
  })

  test('keeps no secret that it brings and shows it by name only', async () => {
    using fake = await startFakeDaemon()
    const remote = { name: 'far', url: 'https://mcp.example.com/mcp', headers: { Authorization: 'Bearer hunter22' } }
    const refused = await planned(fake, `POST /api/v1beta/workloads${DRY}`, remote)
    expect(refused.problems).toMatchObject([{ status: 404, message: expect.stringMatching(/^no secrets provider/) }])
    expect(JSON.stringify(refused)).not.toContain('hunter22')
    await done(fake, 'POST /api/v1beta/secrets', { provider_type: 'encrypted' })
    const plan = await planned(fake, `POST /api/v1beta/workloads${DRY}`, remote)
    expect(plan).toMatchObject({ problems: [], configuration: { remote_auth_config: { headers_from_secrets: {} } } })
    expect(JSON.stringify(plan)).not.toContain('hunter22')
    expect((await done(fake, 'GET /api/v1beta/secrets/default/keys')).text).toBe('{"keys":[]}')
  })

  test('is what the typed client asks for', async () => {
    using fake = await startFakeDaemon()
    const fetch = async (request: Request) => fake.app.fetch(request)
    const api = createApiClient({ baseUrl: 'http://localhost', fetch })
    expect(await api.plan('createWorkload', { body: web })).toMatchObject({ name: 'web', problems: [] })
    expect(fake.workloadStore.records.size).toBe(0)
  })

  scenario('of a body that the contract refuses is refused as well', {
    request: `POST /api/v1beta/workloads${DRY}`,
    body: { image: 7 },
    answers: { status: 400, text: /^image: / },
  })
})

describe('the plan of an edit', () => {
  test('is the fields that change, with old and new', async () => {
    using fake = await startFakeDaemon()
    await done(fake, 'POST /api/v1beta/workloads', { ...web, env_vars: { A: '1', B: '2' } })
    const update = { env_vars: { A: '3', C: '4' }, cmd_arguments: ['--fast'] }
    const plan = await planned(fake, `POST /api/v1beta/workloads/web/edit${DRY}`, update)
    expect(plan).toMatchObject({ name: 'web', problems: [], restarts: true })
    expect(plan.differences).toEqual([
      { field: 'cmd_args', after: ['--fast'] },
      { field: 'env_vars.A', before: '1', after: '3' },
      { field: 'env_vars.B', before: '2' },
      { field: 'env_vars.C', after: '4' },
    ])
    await done(fake, 'POST /api/v1beta/workloads/web/stop')
    expect(await planned(fake, `POST /api/v1beta/workloads/web/edit${DRY}`, {})).toMatchObject({
      differences: [],
      restarts: false,
    })
  })

  test('that cannot be resolved still says what is in the way', async () => {
    using fake = await startFakeDaemon()
    await done(fake, 'POST /api/v1beta/workloads', web)
    const plan = await planned(fake, `POST /api/v1beta/workloads/web/edit${DRY}`, { name: 'other', image: '///' })
    expect(plan.configuration).toBeUndefined()
    expect(plan.problems.map(({ field }) => field)).toEqual(['name', undefined])
  })

  scenario('of an unknown workload', {
    request: `POST /api/v1beta/workloads/ghost/edit${DRY}`,
    body: {},
    answers: { status: 404, text: /^workload ghost not found/ },
  })
})

describe('the plan of an import', () => {
  const config = { schema_version: 'v0.1.0', name: 'web', image: 'npx://web@1.0.0', transport: 'stdio' }

  test('asks for what has to be confirmed, and imports nothing', async () => {
    using fake = await startFakeDaemon()
    const permission_profile = { privileged: true, network: { outbound: { allow_host: ['127.0.0.1:5432'] } } }
    const opened = { ...config, permission_profile }
    const plan = await planned(fake, `POST /api/v1beta/workloads/import${DRY}`, { ...opened, target_host: '10.0.0.1' })
    const fields = plan.problems.map(({ field }) => field)
    expect(fields).toEqual(expect.arrayContaining(['target_host', 'accept_network', 'accept_mounts']))
  })

  test('of a good one is the configuration itself', async () => {
    using fake = await startFakeDaemon()
    const plan = await planned(fake, `POST /api/v1beta/workloads/import${DRY}`, config)
    expect(plan).toMatchObject({ name: 'web', problems: [], configuration: config })
  })
})
