import { describe, expect, test } from 'vitest'
import type { RunConfig } from '@toolhaven/contract/run-config'
import { startFakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { settle } from '@toolhaven/fakes/manual-clock'
import type { Host, HostPath } from '../../ports/host.ts'
import { checkedMounts, withResolvedMounts } from './check-mounts.ts'
import { createWorkload } from '../operations/create.ts'
import { changeLifecycle } from '../operations/lifecycle.ts'

/** A machine with these folders and links; `/run` is what nobody may mount. */
function machine(links: Readonly<Record<string, string>> = {}): {
  host: Pick<Host, 'resolvePath' | 'exposedBy' | 'holdsHome' | 'linkOnTheWay'>
} {
  const folder = (path: string): HostPath => ({ path, kind: 'directory', identity: `1:${path.length}` })
  return {
    host: {
      resolvePath: async (path) => (path.startsWith('/gone') ? undefined : folder(links[path] ?? path)),
      linkOnTheWay: async (above, names) => [`${above}/${names.join('/')}`].find((path) => links[path] !== undefined),
      holdsHome: async ({ path }) => path === '/home',
      exposedBy: async ({ path }) => (path === '/run' ? 'the socket of an engine' : undefined),
    },
  }
}

const config = (change: Partial<RunConfig>): RunConfig => ({
  schema_version: 'v0.1.0',
  name: 'web',
  transport: 'stdio',
  ...change,
})

describe('mounts at create', () => {
  test('are stored with links resolved', async () => {
    const resolved = await withResolvedMounts(
      machine({ '/link': '/p' }),
      config({ volumes: ['/link:/a'], permission_profile: { read: ['/link'] } }),
    )
    expect(resolved).toMatchObject({ volumes: ['/p:/a'], permission_profile: { read: ['/p:/link'] } })
  })

  test.each([
    ['read-only below writable', { volumes: ['/p:/proj', '/p/data:/data:ro'] }],
    ['writable below writable, the other way round', { volumes: ['/p/data:/data', '/p:/proj'] }],
    ['from a profile and a flag', { volumes: ['/p/a/b:/b:ro'], permission_profile: { write: ['/p'] } }],
    ['through a link', { volumes: ['/p:/proj', '/link:/data:ro'] }],
  ])('are refused where the server could replace one: %s', async (_, change) => {
    const attempt = withResolvedMounts(machine({ '/link': '/p/data' }), config(change))
    await expect(attempt).rejects.toMatchObject({ code: 'invalid', message: expect.stringContaining('lies below') })
  })

  test.each([
    ['below a read-only one', ['/p:/proj:ro', '/p/data:/data']],
    ['the same folder twice', ['/p:/proj', '/p:/other:ro']],
    ['beside one another with a common beginning', ['/p:/proj', '/pq:/other:ro']],
  ])('may be %s', async (_, volumes) => {
    await expect(withResolvedMounts(machine(), config({ volumes }))).resolves.toMatchObject({ volumes })
  })
})

describe('mounts at an edit', () => {
  const before = {
    asked: { name: 'web', volumes: ['~/link:/a', '/q:/q:ro'] },
    config: config({ volumes: ['/p:/a', '/q:/q:ro'] }),
  }
  test.each([
    ['as it was asked for', '~/link:/a', '/p:/a'],
    ['as it is stored', '/p:/a', '/p:/a'],
    ['asked for at another place', '~/link:/new', '/p:/new'],
    ['stored, at another place', '/p:/new', '/p:/new'],
  ])('that are kept must lead where they led before: %s', async (_, volume, resolved) => {
    const kept = config({ volumes: [volume] })
    const same = await withResolvedMounts(machine({ '~/link': '/p' }), kept, before)
    expect(same).toMatchObject({ volumes: [resolved] })
    const moved = withResolvedMounts(machine({ '~/link': '/secret', '/p': '/secret' }), kept, before)
    await expect(moved).rejects.toMatchObject({ code: 'invalid', message: expect.stringContaining('"/secret"') })
  })
  test.each(['/secret:/a', '~/other:/a'])('may be new: %s', async (volume) => {
    const links = { '~/link': '/secret', '~/other': '/secret' }
    await expect(withResolvedMounts(machine(links), config({ volumes: [volume] }), before)).resolves.toMatchObject({
      volumes: [expect.stringMatching(/^\/secret:/)],
    })
  })
})

describe('mounts at a start', () => {
  test('carry the identity that was seen', async () => {
    expect(await checkedMounts(machine(), config({ volumes: ['/p:/a:ro'] }))).toEqual([
      { hostPath: '/p', containerPath: '/a', readOnly: true, identity: '1:2' },
    ])
  })

  test.each([
    ['leads through a link', { volumes: ['/p/data:/data:ro'] }, 'invalid', /now leads through a link to "\/"/],
    ['is protected by now', { volumes: ['/run:/data:ro'] }, 'invalid', /would expose the socket of an engine/],
    ['lies below a writable one', { volumes: ['/p:/a', '/p/x:/b:ro'] }, 'invalid', /mount "\/p" read-only, or remove/],
    ['is gone', { volumes: ['/gone:/a'] }, 'not-found', /create it again/],
  ])('refuse what %s', async (_, change, code, message) => {
    const attempt = checkedMounts(machine({ '/p/data': '/' }), config(change))
    await expect(attempt).rejects.toMatchObject({ code, message: expect.stringMatching(message) })
  })

  test('refuse a place that a link in another mount leads away from', async () => {
    const volumes = ['/p:/proj', '/q:/proj//./deep/tools/']
    expect(await checkedMounts(machine(), config({ volumes }))).toHaveLength(2)
    const attempt = checkedMounts(machine({ '/p/deep/tools': '/.toolhaven' }), config({ volumes }))
    await expect(attempt).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('"/p/deep/tools" is a link'),
    })
  })

  test('with "privileged" may be what is refused otherwise, but never something else than was stored', async () => {
    const permission_profile = { privileged: true }
    const wide = config({ permission_profile, volumes: ['/run:/r', '/run/x:/x'] })
    expect(await checkedMounts(machine(), wide)).toHaveLength(2)
    const moved = config({ permission_profile, volumes: ['/p/data:/data'] })
    await expect(checkedMounts(machine({ '/p/data': '/' }), moved)).rejects.toMatchObject({ code: 'invalid' })
  })
})

test('a workload whose mount was replaced by a link goes to error, and runs once it is put back', async () => {
  using fake = await startFakeDaemon()
  const { resolvePath } = fake.host
  const body = { name: 'web', image: 'npx://web@1.0.0', volumes: ['/data/a:/a:ro'] }
  await createWorkload(fake.daemon.workloads, body)
  await settle()
  const status = () => fake.daemon.workloads.book.status('web')
  expect(status().status).toBe('running')
  fake.host.resolvePath = async () => ({ path: '/', kind: 'directory', identity: '1:2' })
  await changeLifecycle(fake.daemon.workloads, 'web', 'restart')
  await settle()
  expect(status()).toMatchObject({
    status: 'error',
    context: expect.stringContaining('now leads through a link to "/"'),
  })
  expect(fake.runtime.instances.size).toBe(0)
  fake.host.resolvePath = resolvePath
  await changeLifecycle(fake.daemon.workloads, 'web', 'restart')
  await settle()
  expect(status().status).toBe('running')
})

test('a stored workload with a mount below a writable one goes to error with what to do', async () => {
  using fake = await startFakeDaemon()
  const body = { name: 'web', image: 'npx://web@1.0.0', volumes: ['/data/p:/proj'] }
  await createWorkload(fake.daemon.workloads, body)
  await settle()
  const volumes = ['/data/p:/proj', '/data/p/in:/in:ro']
  await fake.daemon.workloads.book.change('web', (stored) => ({ ...stored, config: { ...stored.config, volumes } }))
  await changeLifecycle(fake.daemon.workloads, 'web', 'restart')
  await settle()
  const { status, context } = fake.daemon.workloads.book.status('web')
  expect(status).toBe('error')
  expect(context).toContain('mount "/data/p" read-only, or remove one of the two')
})
