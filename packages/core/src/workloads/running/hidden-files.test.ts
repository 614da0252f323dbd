import { FakeRuntime } from '@toolhaven/fakes/fake-runtime'
import { type FakeDaemon, startFakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { settle } from '@toolhaven/fakes/manual-clock'
import { describe, expect, test } from 'vitest'
import { invalid } from '../../errors.ts'
import type { Hidden } from '../../ports/hiding.ts'
import { createWorkload } from '../operations/create.ts'
import { changeLifecycle } from '../operations/lifecycle.ts'

const ASKED = { name: 'web', image: 'npx://web@1.0.0', volumes: ['/data/b:/p/deep', '/data/a:/p'] }
const ENV: Hidden = {
  kind: 'file',
  cover: { hostPath: '/covers/thv-hidden-file', containerPath: '/p/.env', readOnly: true },
  reason: '".env" in /data/a/.thvignore',
}

async function create(fake: FakeDaemon, asked: object = {}) {
  await createWorkload(fake.daemon.workloads, { ...ASKED, ...asked })
  await settle()
}

const statusOf = (fake: FakeDaemon) => fake.daemon.workloads.book.status('web')
const instanceOf = ({ runtime }: { runtime: FakeRuntime }) => runtime.instances.get('thv-web')
const appeared = (fake: FakeDaemon) => fake.hiding.events.onAppeared('web', '/data/a/.env')

test('covers lie over the mounts, and outer mounts come first', async () => {
  using fake = await startFakeDaemon()
  fake.hiding.hidden = [ENV]
  await create(fake)
  const mounts = instanceOf(fake)?.spec.mounts.map(({ containerPath }) => containerPath)
  expect(mounts).toEqual(['/p', '/p/deep', '/p/.env'])
  expect(await fake.logs.tail('web', 9)).toEqual([])
})

test.each([
  [{}, true],
  [{ ignore_config: { loadGlobal: false } }, false],
  [{ ignore_config: { loadGlobal: true } }, true],
])('with %j the global ignore file counts: %j', async (asked, loadGlobal) => {
  using fake = await startFakeDaemon()
  await create(fake, asked)
  expect(fake.hiding.wishes.get('web')).toMatchObject({ loadGlobal })
})

test('the log lists what is hidden when that is asked for', async () => {
  using fake = await startFakeDaemon()
  const ignore_config = { printOverlays: true }
  await create(fake, { ignore_config })
  expect(await fake.logs.tail('web', 9)).toEqual(['Nothing is hidden from the server.'])
  fake.hiding.hidden = [ENV]
  await changeLifecycle(fake.daemon.workloads, 'web', 'restart')
  await settle()
  const said = 'Hidden from the server: /p/.env (file; ".env" in /data/a/.thvignore)'
  expect(await fake.logs.tail('web', 1)).toEqual([said])
})

describe('what Git would run is mounted over itself', () => {
  const mountsOf = (fake: FakeDaemon) =>
    instanceOf(fake)?.spec.mounts.map(
      ({ containerPath, readOnly, identity }) =>
        `${containerPath}${readOnly ? ' ro' : ''}${identity === undefined ? ' cover' : ''}`,
    )

  test('read-only, and the folders above it so that they cannot be renamed', async () => {
    using fake = await startFakeDaemon()
    fake.hiding.hidden = [
      { ...ENV, cover: { ...ENV.cover, containerPath: '/p/config/keys/.env' } },
      { ...ENV, cover: { ...ENV.cover, containerPath: '/read/config/.env' } },
    ]
    await create(fake, { volumes: ['/data/checkout:/p', '/data/b/checkout:/read:ro'] })
    expect(mountsOf(fake)).toEqual(
      [
        '/p',
        '/read ro',
        '/p/vendor',
        '/p/config',
        '/p/.git ro',
        '/p/vendor/lib',
        '/p/config/keys',
        '/read/config/.env ro cover',
        '/p/vendor/lib/.git ro',
        '/p/config/keys/.env ro cover',
      ].toSorted((one, other) => one.split('/').length - other.split('/').length),
    )
    expect(await fake.logs.tail('web', 1)).toEqual([
      expect.stringContaining('the server cannot change /p/.git and 1 more, because Git'),
    ])
  })

  test.each([
    ['with a privileged profile', { permission_profile: { privileged: true } }, ['/p']],
    [
      'where the user names it as a volume of its own',
      { volumes: ['/data/checkout:/p', '/data/checkout/.git:/p/.git'] },
      ['/p', '/p/.git', '/p/vendor', '/p/vendor/lib', '/p/vendor/lib/.git ro'],
    ],
  ])('but not %s', async (_, asked, mounts) => {
    using fake = await startFakeDaemon()
    await create(fake, { volumes: ['/data/checkout:/p'], ...asked })
    expect(mountsOf(fake)).toEqual(mounts)
  })

  test('up to so many mounts as can be made in time', async () => {
    using fake = await startFakeDaemon()
    const coverAt = (at: number) => ({ ...ENV, cover: { ...ENV.cover, containerPath: `/p/folder-${at}/.env` } })
    fake.hiding.hidden = Array.from({ length: 501 }, (_, at) => coverAt(at))
    await create(fake, { volumes: ['/data/a:/p'] })
    expect(statusOf(fake)).toMatchObject({
      status: 'error',
      context: expect.stringMatching(/needs 1002 mounts, and the limit is 1000/),
    })
    fake.hiding.hidden.pop()
    await changeLifecycle(fake.daemon.workloads, 'web', 'restart')
    await settle()
    expect(statusOf(fake).status).toBe('running')
  })

  test('a server whose folder becomes a repository is ended, and starts again when somebody asks for it', async () => {
    using fake = await startFakeDaemon()
    await create(fake)
    fake.hiding.events.onRepository('web', '/data/a/.git')
    await settle()
    expect(instanceOf(fake)).toBeUndefined()
    await fake.clock.advance(600_000)
    await settle()
    expect(statusOf(fake)).toMatchObject({
      status: 'error',
      context: expect.stringContaining('/data/a/.git became a Git repository'),
    })
    await changeLifecycle(fake.daemon.workloads, 'web', 'restart')
    await settle()
    expect(statusOf(fake).status).toBe('running')
  })
})

test('a start whose rules cannot be kept is an error that waits for a change', async () => {
  using fake = await startFakeDaemon()
  fake.hiding.fault = invalid('what to hide in /data/a cannot be found out')
  await create(fake)
  expect(statusOf(fake)).toMatchObject({ status: 'error', context: 'what to hide in /data/a cannot be found out' })
  expect(instanceOf(fake)).toBeUndefined()
  fake.hiding.fault = undefined
  await changeLifecycle(fake.daemon.workloads, 'web', 'restart')
  await settle()
  expect(statusOf(fake).status).toBe('running')
})

test('a server that may see what is hidden is ended at once and comes back with a cover, and the log says why', async () => {
  using fake = await startFakeDaemon()
  await create(fake)
  const before = instanceOf(fake)?.handle.id
  fake.hiding.hidden = [ENV]
  appeared(fake)
  await settle()
  expect(instanceOf(fake)).toBeUndefined()
  expect(fake.hiding.wishes.has('web')).toBe(false)
  expect(statusOf(fake).context).toContain('/data/a/.env appeared or changed')
  expect(await fake.logs.tail('web', 1)).toEqual([expect.stringContaining('/data/a/.env appeared or changed')])
  await fake.clock.advance(1_000)
  await settle()
  expect(statusOf(fake).status).toBe('running')
  expect(instanceOf(fake)?.handle.id).not.toBe(before)
  expect(instanceOf(fake)?.spec.mounts.at(-1)).toEqual(ENV.cover)
})

test('a start is given up when something appears meanwhile, and not repeated without a pause', async () => {
  using fake = await startFakeDaemon()
  const connect = fake.gateway.connect.bind(fake.gateway)
  const isConnecting = Promise.withResolvers<void>()
  fake.gateway.connect = async (_name, backend, signal) => {
    if (backend.kind === 'auto') await backend.first.start?.()
    isConnecting.resolve()
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))
  }
  await create(fake)
  await isConnecting.promise
  fake.gateway.connect = connect
  appeared(fake)
  await settle()
  const starts = () => fake.runtime.calls.filter((call) => call === 'create thv-web').length
  expect(starts()).toBe(1)
  await fake.clock.advance(5_000)
  await settle()
  expect(starts()).toBe(2)
  expect(statusOf(fake).status).toBe('running')
})

test('what appears for a workload that is stopped or gone is nothing', async () => {
  using fake = await startFakeDaemon()
  await create(fake)
  await changeLifecycle(fake.daemon.workloads, 'web', 'stop')
  await settle()
  expect(fake.hiding.wishes.has('web')).toBe(false)
  appeared(fake)
  fake.hiding.events.onAppeared('ghost', '/data/a/.env')
  await settle()
  expect(statusOf(fake).status).toBe('stopped')
})

test.each([
  ['is taken over when nothing is hidden from it', [], true],
  ['is started again when something is: nobody watched meanwhile', [ENV], false],
])('an instance that outlived its daemon %s', async (_what, hidden, isSame) => {
  const runtime = new FakeRuntime()
  const first = await startFakeDaemon({ runtime })
  first.hiding.hidden = [...hidden]
  await create(first)
  const before = instanceOf({ runtime })?.handle.id
  first[Symbol.dispose]()
  using second = await startFakeDaemon({ runtime, workloadStore: first.workloadStore, groupStore: first.groupStore })
  second.hiding.hidden = [...hidden]
  await settle()
  expect(statusOf(second).status).toBe('running')
  expect(instanceOf({ runtime })?.handle.id === before).toBe(isSame)
  expect(second.hiding.wishes.has('web')).toBe(true)
})

test('an instance that outlived its daemon is ended when its rules cannot be kept any more', async () => {
  const runtime = new FakeRuntime()
  const first = await startFakeDaemon({ runtime })
  await create(first)
  first[Symbol.dispose]()
  using second = await startFakeDaemon({ runtime, workloadStore: first.workloadStore, groupStore: first.groupStore })
  second.hiding.fault = invalid('the rules are too many')
  await settle()
  expect(instanceOf({ runtime })).toBeUndefined()
  expect(statusOf(second)).toMatchObject({ status: 'error', context: 'the rules are too many' })
})
