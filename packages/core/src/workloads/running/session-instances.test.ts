import type { CreateRequest } from '@toolhaven/contract/workload-request'
import { describe, expect, test } from 'vitest'
import { type FakeDaemon, startFakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { FakeRuntime } from '@toolhaven/fakes/fake-runtime'
import { settle } from '@toolhaven/fakes/manual-clock'
import { LABELS } from '../../ports/runtime.ts'
import { createWorkload } from '../operations/create.ts'
import { editWorkload } from '../operations/edit.ts'
import { importWorkload } from '../operations/import.ts'
import { getIsolation } from '../operations/isolation.ts'
import { changeLifecycle } from '../operations/lifecycle.ts'
import { exportWorkload, getWorkload } from '../operations/read.ts'

const never = new AbortController().signal
const WEB: CreateRequest = {
  name: 'web',
  image: 'npx://web@1.0.0',
  permission_profile: { network: { outbound: { allow_host: ['a.example'] } } },
  env_vars: { KEY: 'value' },
  session_mode: 'isolated',
}

const names = ({ runtime }: { runtime: FakeRuntime }) => [...runtime.instances.keys()].toSorted()
const status = (fake: FakeDaemon) => fake.daemon.workloads.book.status('web').status

/** The workload runs, and the data plane has its first server and a way to more. */
async function running(fake: FakeDaemon, asked: object = {}) {
  await createWorkload(fake.daemon.workloads, { ...WEB, ...asked })
  await settle()
  return backendOf(fake)
}

function backendOf(fake: FakeDaemon) {
  expect(status(fake)).toBe('running')
  const backend = fake.gateway.backends.get('web')
  if (backend?.kind !== 'isolated') throw new Error('the sessions share a server')
  return backend
}

describe('a workload with a server for each session', () => {
  test('runs with the first one, and makes the others like it', async () => {
    using fake = await startFakeDaemon()
    const backend = await running(fake, { limits: { max_sessions: 3, session_idle_seconds: 60 } })
    expect(fake.gateway.endpoints.get('web')?.isolated).toEqual({ maxSessions: 3, idleMs: 60_000 })
    expect(names(fake)).toEqual(['thv-web'])
    const { tag, server, end } = await backend.startAnother(never)
    await server.start?.()
    expect(names(fake)).toEqual(['thv-web', `thv-web-${tag}`])
    const [first, second] = ['thv-web', `thv-web-${tag}`].map((name) => fake.runtime.instances.get(name)?.spec)
    expect(second).toEqual({ ...first, name: `thv-web-${tag}`, labels: { ...first?.labels, [LABELS.session]: tag } })
    expect(second).toMatchObject({ env: { KEY: 'value' }, network: { folder: '/egress/web' } })
    await Promise.all([end(), end()])
    expect(names(fake)).toEqual(['thv-web'])
  })

  test('makes no other one when a mount was replaced meanwhile', async () => {
    using fake = await startFakeDaemon()
    const backend = await running(fake, { volumes: ['/data/a:/a'] })
    fake.host.resolvePath = async (path) => ({ path, kind: 'directory', identity: 'another' })
    await expect(backend.startAnother(never)).rejects.toThrow('has been replaced since the workload started')
    fake.host.resolvePath = async () => ({ path: '/', kind: 'directory', identity: '1:/' })
    await expect(backend.startAnother(never)).rejects.toThrow('now leads through a link to "/"')
    expect(names(fake)).toEqual(['thv-web'])
  })

  test('has a limit and an idle time when nobody says which', async () => {
    using fake = await startFakeDaemon()
    await running(fake)
    expect(fake.gateway.endpoints.get('web')?.isolated).toEqual({ maxSessions: 10, idleMs: 1_800_000 })
  })

  test('runs on when the first one ends with its session, or crashes in it', async () => {
    using fake = await startFakeDaemon()
    const backend = await running(fake)
    const other = await backend.startAnother(never)
    const end = backend.claimFirst()
    fake.runtime.crash('web')
    await settle()
    expect(status(fake)).toBe('running')
    await end()
    expect(names(fake)).toEqual([`thv-web-${other.tag}`])
    await fake.clock.advance(120_000)
    expect(status(fake)).toBe('running')
    expect(names(fake)).toEqual([`thv-web-${other.tag}`])
    expect(fake.gateway.backends.get('web')).toBe(backend)
  })

  test('starts again when the first one ends before a session has it', async () => {
    using fake = await startFakeDaemon()
    const backend = await running(fake)
    fake.runtime.crash('web')
    await settle()
    await fake.clock.advance(1_000)
    expect(backendOf(fake)).not.toBe(backend)
    expect(names(fake)).toEqual(['thv-web'])
  })

  test.each(['stop', 'restart', 'delete'] as const)('leaves no server of a session after %s', async (action) => {
    using fake = await startFakeDaemon()
    const backend = await running(fake)
    backend.claimFirst()
    await backend.startAnother(never)
    await backend.startAnother(never)
    const before = fake.runtime.instances.get('thv-web')?.handle.id
    await changeLifecycle(fake.daemon.workloads, 'web', action)
    await settle()
    expect(names(fake)).toEqual(action === 'restart' ? ['thv-web'] : [])
    expect(fake.runtime.instances.get('thv-web')?.handle.id).not.toBe(before)
  })

  test('that is changed to a shared one gives up those of sessions', async () => {
    using fake = await startFakeDaemon()
    const backend = await running(fake)
    await backend.startAnother(never)
    await editWorkload(fake.daemon.workloads, 'web', { session_mode: 'shared' })
    await settle()
    expect(names(fake)).toEqual(['thv-web'])
    expect(fake.gateway.backends.get('web')?.kind).toBe('stdio')
    expect(fake.gateway.endpoints.get('web')).not.toHaveProperty('isolated')
  })

  test('starts again after a daemon that was killed, and what sessions left is removed', async () => {
    const runtime = new FakeRuntime()
    const before = await startFakeDaemon({ runtime })
    const backend = await running(before)
    backend.claimFirst()
    await backend.startAnother(never)
    const id = runtime.instances.get('thv-web')?.handle.id
    before[Symbol.dispose]()
    using after = await startFakeDaemon({ runtime, workloadStore: before.workloadStore })
    await settle()
    backendOf(after)
    expect(names(after)).toEqual(['thv-web'])
    expect(runtime.instances.get('thv-web')?.handle.id).not.toBe(id)
  })

  test('survives its export', async () => {
    using fake = await startFakeDaemon()
    await running(fake, { limits: { max_sessions: 3 } })
    const config = exportWorkload(fake.daemon.workloads, 'web')
    const kept = { session_mode: 'isolated', limits: { max_sessions: 3 } }
    expect(config).toMatchObject(kept)
    expect(getWorkload(fake.daemon.workloads, 'web')).toMatchObject(kept)
    await changeLifecycle(fake.daemon.workloads, 'web', 'delete')
    await settle()
    await importWorkload(fake.daemon.workloads, config)
    await settle()
    backendOf(fake)
  })

  test('shows the confinement of one that runs', async () => {
    using fake = await startFakeDaemon()
    const backend = await running(fake)
    const ends = [backend.claimFirst()]
    expect(await getIsolation(fake.daemon.isolation, 'web', never)).toHaveProperty('network')
    await ends[0]?.()
    await expect(getIsolation(fake.daemon.isolation, 'web', never)).rejects.toThrow(/no client now/)
  })
})

describe('a server of a session', () => {
  test('that could not be removed goes with the next look around', async () => {
    using fake = await startFakeDaemon()
    const backend = await running(fake)
    const end = backend.claimFirst()
    const other = await backend.startAnother(never)
    fake.runtime.isDown = true
    await Promise.all([end(), other.end()])
    expect(names(fake)).toHaveLength(2)
    fake.runtime.isDown = false
    await fake.clock.advance(60_000)
    expect(names(fake)).toEqual([])
    expect(status(fake)).toBe('running')
  })

  test('is not an orphan while it is being made or in use', async () => {
    using fake = await startFakeDaemon()
    const backend = await running(fake)
    backend.claimFirst()
    const { tag } = await backend.startAnother(never)
    await fake.clock.advance(120_000)
    expect(names(fake)).toEqual(['thv-web', `thv-web-${tag}`])
  })

  test('that ended on its own is removed', async () => {
    using fake = await startFakeDaemon()
    const backend = await running(fake)
    backend.claimFirst()
    const { tag } = await backend.startAnother(never)
    fake.runtime.crash(`web-${tag}`)
    await settle()
    expect(names(fake)).toEqual(['thv-web'])
    fake.runtime.crash('web')
    await settle()
    expect(names(fake)).toEqual([])
    expect(status(fake)).toBe('running')
  })

  test('that cannot be attached to leaves nothing behind', async () => {
    using fake = await startFakeDaemon()
    const backend = await running(fake)
    const { create } = fake.runtime
    fake.runtime.create = async (spec) => {
      const handle = await create.call(fake.runtime, spec)
      // As if somebody had removed it in between.
      return { ...handle, id: 'gone' }
    }
    await expect(backend.startAnother(never)).rejects.toThrow(/not found/)
    fake.runtime.create = create
    await fake.clock.advance(60_000)
    expect(names(fake)).toEqual(['thv-web'])
  })

  test('that is given up while it is made leaves nothing behind', async () => {
    using fake = await startFakeDaemon()
    const backend = await running(fake)
    const gate = Promise.withResolvers<void>()
    const { create } = fake.runtime
    fake.runtime.create = async (spec) => {
      await gate.promise
      return create.call(fake.runtime, spec)
    }
    const starting = backend.startAnother(never)
    await settle()
    const stopped = fake.daemon.sessions.endAll('web')
    gate.resolve()
    await starting.catch(() => undefined)
    await stopped
    expect(names(fake)).toEqual(['thv-web'])
  })

  test('is waited for when the daemon ends', async () => {
    using fake = await startFakeDaemon()
    const backend = await running(fake)
    const gate = Promise.withResolvers<void>()
    fake.runtime.whileStopping = () => gate.promise
    const { end } = await backend.startAnother(never)
    void end()
    let isIdle = false
    const idle = fake.daemon.sessions.idle().then(() => (isIdle = true))
    await settle()
    expect(isIdle).toBe(false)
    gate.resolve()
    await idle
    expect(names(fake)).toEqual(['thv-web'])
  })
})
