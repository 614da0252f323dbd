import { expect, onTestFinished, test } from 'vitest'
import { startFakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { settle } from '@toolhaven/fakes/manual-clock'
import { invalid } from '../../errors.ts'
import { createWorkload } from '../operations/create.ts'
import { changeLifecycle } from '../operations/lifecycle.ts'

test('a server that the runtime ended at its start, and says why, is in error and not tried again', async () => {
  using fake = await startFakeDaemon()
  const statuses: string[] = []
  fake.daemon.events.subscribe(({ status }) => statuses.push(status))
  let starts = 0
  fake.runtime.start = async (handle) => {
    starts += 1
    const instance = fake.runtime.instances.get(handle.name)
    if (instance) instance.state = { state: 'exited', exitCode: 137, finishedAt: '', oomKilled: false }
    throw invalid('the filter is not in force')
  }
  const connect = fake.gateway.connect.bind(fake.gateway)
  fake.gateway.connect = async (name, backend, signal) => {
    if (backend.kind === 'auto') await backend.first.start?.()
    return connect(name, backend, signal)
  }
  await createWorkload(fake.daemon.workloads, { name: 'hostile', image: 'npx://hostile@1.0.0' })
  for (let round = 0; round < 20; round += 1) {
    await settle()
    await fake.clock.advance(60_000)
  }
  expect(statuses.at(-1)).toBe('error')
  expect(fake.daemon.workloads.book.find('hostile')?.observed.failure?.message).toBe('the filter is not in force')
  expect(starts).toBe(1)
})

test('an audit file whose folder became a link keeps the server from starting', async () => {
  using fake = await startFakeDaemon()
  const { workloads } = fake.daemon
  const audit_config = { log_file: '/data/logs/calls.log' }
  await createWorkload(workloads, { name: 'audited', image: 'npx://server@1.0.0', audit_config })
  await settle()
  expect(workloads.book.find('audited')?.observed.connected).toBe(true)
  const resolvePath = workloads.host.resolvePath
  onTestFinished(() => void (workloads.host.resolvePath = resolvePath))
  workloads.host.resolvePath = async (path) => resolvePath(path === '/data/logs' ? '/data/toolhaven-state' : path)
  await changeLifecycle(workloads, 'audited', 'restart')
  await settle()
  const { observed } = workloads.book.get('audited')
  expect(observed.failure?.message).toContain('"/data/logs" leads to "/data/toolhaven-state"')
  expect(observed.connected).not.toBe(true)
})

test('a server that cannot be reached over its transport is in error, not running', async () => {
  using fake = await startFakeDaemon()
  const { workloads } = fake.daemon
  await createWorkload(workloads, { name: 'odd', image: 'npx://server@1.0.0' })
  await settle()
  await workloads.book.change('odd', (stored) => ({ ...stored, config: { ...stored.config, transport: 'inspector' } }))
  await changeLifecycle(workloads, 'odd', 'restart')
  await settle()
  await fake.clock.advance(2_500)
  await settle()
  const { observed } = workloads.book.get('odd')
  expect(observed.failure?.message).toBe('odd cannot be reached over HTTP, because its transport is inspector')
  expect(observed.connected).not.toBe(true)
})
