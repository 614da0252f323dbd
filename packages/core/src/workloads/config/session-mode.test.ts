import type { CreateRequest } from '@toolhaven/contract/workload-request'
import { expect, test } from 'vitest'
import { type FakeDaemon, startFakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { FakeRuntime } from '@toolhaven/fakes/fake-runtime'
import { settle } from '@toolhaven/fakes/manual-clock'
import { LABELS } from '../../ports/runtime.ts'
import { createWorkload } from '../operations/create.ts'
import { editWorkload } from '../operations/edit.ts'
import { importWorkload } from '../operations/import.ts'
import { changeLifecycle } from '../operations/lifecycle.ts'
import { exportWorkload, getWorkload } from '../operations/read.ts'

const never = new AbortController().signal
const WEB: CreateRequest = { name: 'web', image: 'npx://web@1.0.0', env_vars: { KEY: 'value' } }

async function running(fake: FakeDaemon, asked: object = {}) {
  await createWorkload(fake.daemon.workloads, { ...WEB, ...asked })
  await settle()
  return autoBackend(fake)
}

function autoBackend(fake: FakeDaemon) {
  const backend = fake.gateway.backends.get('web')
  if (backend?.kind !== 'auto') throw new Error(`it is ${backend?.kind}`)
  return backend
}

const names = ({ runtime }: { runtime: FakeRuntime }) => [...runtime.instances.keys()].toSorted()

test('a stdio server is shared until it needs a server for each client, unless it is asked for otherwise', async () => {
  using fake = await startFakeDaemon()
  expect(await running(fake, { limits: { max_sessions: 3, session_idle_seconds: 60 } })).toMatchObject({
    needsOwn: false,
    own: { maxSessions: 3, idleMs: 60_000 },
  })
  await editWorkload(fake.daemon.workloads, 'web', { session_mode: 'shared', limits: null })
  await settle()
  expect(fake.gateway.backends.get('web')?.kind).toBe('stdio')
})

test('that a server asks is remembered over restarts, and forgotten with another image', async () => {
  const runtime = new FakeRuntime()
  const before = await startFakeDaemon({ runtime })
  const backend = await running(before)
  before.gateway.events.onOwnNeeded?.('web')
  await settle()
  const end = backend.claimFirst()
  await changeLifecycle(before.daemon.workloads, 'web', 'restart')
  await settle()
  await end()
  expect(autoBackend(before).needsOwn).toBe(true)
  autoBackend(before).claimFirst()
  const id = runtime.instances.get('thv-web')?.handle.id
  before[Symbol.dispose]()

  using after = await startFakeDaemon({ runtime, workloadStore: before.workloadStore })
  await settle()
  expect(autoBackend(after).needsOwn).toBe(true)
  // What one client's server knows is no other client's business.
  expect(runtime.instances.get('thv-web')?.handle.id).not.toBe(id)
  await editWorkload(after.daemon.workloads, 'web', { image: 'npx://web@2.0.0' })
  await settle()
  expect(autoBackend(after).needsOwn).toBe(false)
})

test('a shared server that outlived the daemon can have others beside it, made like it', async () => {
  const runtime = new FakeRuntime()
  const before = await startFakeDaemon({ runtime })
  await running(before)
  const first = runtime.instances.get('thv-web')
  before[Symbol.dispose]()
  using after = await startFakeDaemon({ runtime, workloadStore: before.workloadStore })
  await settle()
  expect(runtime.instances.get('thv-web')?.handle.id).toBe(first?.handle.id)
  const { tag, server, end } = await autoBackend(after).startAnother(never)
  await server.start?.()
  expect(names(after)).toEqual(['thv-web', `thv-web-${tag}`])
  const labels = { ...first?.spec.labels, [LABELS.session]: tag }
  expect(runtime.instances.get(`thv-web-${tag}`)?.spec).toEqual({ ...first?.spec, name: `thv-web-${tag}`, labels })
  await end()
  expect(names(after)).toEqual(['thv-web'])
})

test('what older versions stored becomes auto, except where somebody asked for shared', async () => {
  const runtime = new FakeRuntime()
  const before = await startFakeDaemon({ runtime })
  await running(before)
  await createWorkload(before.daemon.workloads, { ...WEB, name: 'asked', session_mode: 'shared' })
  await settle()
  const { workloadStore } = before
  for (const stored of await workloadStore.load()) {
    // As they wrote it: the configuration never said "shared".
    const { session_mode: _mode, ...config } = stored.config
    await workloadStore.save({ ...stored, config })
  }
  before[Symbol.dispose]()
  using after = await startFakeDaemon({ runtime, workloadStore })
  await settle()
  expect(after.gateway.backends.get('web')?.kind).toBe('auto')
  expect(after.gateway.backends.get('asked')?.kind).toBe('stdio')
  expect(getWorkload(after.daemon.workloads, 'asked')).toMatchObject({ session_mode: 'shared' })
})

test('an explicit shared survives its export', async () => {
  using fake = await startFakeDaemon()
  await createWorkload(fake.daemon.workloads, { ...WEB, session_mode: 'shared' })
  await settle()
  const config = exportWorkload(fake.daemon.workloads, 'web')
  expect(config).toMatchObject({ session_mode: 'shared' })
  await changeLifecycle(fake.daemon.workloads, 'web', 'delete')
  await settle()
  await importWorkload(fake.daemon.workloads, config)
  await settle()
  expect(fake.gateway.backends.get('web')?.kind).toBe('stdio')
})

test('how long sessions at an HTTP server may be unused can be set, also for a remote one', async () => {
  using fake = await startFakeDaemon()
  const limits = { session_idle_seconds: 60 }
  await createWorkload(fake.daemon.workloads, { name: 'web', url: 'https://mcp.example.com/mcp', limits })
  await settle()
  expect(fake.gateway.endpoints.get('web')).toMatchObject({ limits: { sessionIdleMs: 60_000 } })
})
