import { describe, expect, test } from 'vitest'
import { startFakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { settle } from '@toolhaven/fakes/manual-clock'
import { watchStatuses } from '@toolhaven/testing/scenario/watch-statuses'
import { createWorkload } from '../operations/create.ts'
import { changeLifecycle } from '../operations/lifecycle.ts'
import { editWorkload } from '../operations/edit.ts'
import { PACKAGE, context, running, status } from '../../../test/support/running-workload.ts'

describe('a workload', () => {
  test('runs after create', async () => {
    using fake = await startFakeDaemon()
    await running(fake)
    expect(fake.runtime.instances.get('thv-web')?.spec.network).toBe('none')
    expect(fake.gateway.backends.has('web')).toBe(true)
  })

  test.each([
    [{ permission_profile: { name: 'none' }, network_isolation: true }, 'none', undefined],
    [{ permission_profile: { name: 'network' }, network_mode: 'host' as const }, 'host', undefined],
    [
      { permission_profile: { name: 'network' } },
      { folder: '/egress/web' },
      { allowHost: [], allowPort: [], allowAll: true },
    ],
    [
      { permission_profile: { network: { outbound: { allow_host: ['a.example'] } } } },
      { folder: '/egress/web' },
      { allowHost: ['a.example'], allowPort: [], allowAll: false },
    ],
    [
      { permission_profile: { name: 'none' }, network_isolation_mode: 'observe' as const },
      { folder: '/egress/web' },
      { allowHost: [], allowPort: [], allowAll: true },
    ],
    [
      {
        permission_profile: { network: { outbound: { allow_host: ['10.0.0.1:22'], allow_port: [22] } } },
        network_isolation_mode: 'observe' as const,
      },
      { folder: '/egress/web' },
      { allowHost: ['10.0.0.1:22'], allowPort: [22], allowAll: true },
    ],
  ])('with %j has the network it may have, and its way out is closed when it stops', async (asked, network, rules) => {
    using fake = await startFakeDaemon()
    await createWorkload(fake.daemon.workloads, { ...PACKAGE, ...asked })
    await settle()
    expect(fake.runtime.instances.get('thv-web')?.spec).toMatchObject({ network })
    expect(fake.egress.rules.get('web')).toEqual(rules)
    await changeLifecycle(fake.daemon.workloads, 'web', 'stop')
    await settle()
    expect(fake.egress.rules.has('web')).toBe(false)
  })

  test('says what it was refused, in its status and in its log, until it is started again', async () => {
    using fake = await startFakeDaemon()
    await running(fake)
    const blocked = 'blocked: api.example.com:443 is not in allow_host'
    fake.egress.events.onBlocked('web', blocked)
    expect(context(fake)).toContain(blocked)
    expect(context(fake)).toContain('"thv learn web"')
    expect(await fake.logs.tail('web', 1)).toEqual([expect.stringContaining(blocked)])
    await changeLifecycle(fake.daemon.workloads, 'web', 'restart')
    await settle()
    expect(context(fake)).toBe('')
    fake.egress.events.onBlocked('ghost', blocked)
  })

  test('is left alone by a look around that began before it was started', async () => {
    using fake = await startFakeDaemon()
    await running(fake)
    const list = fake.runtime.list.bind(fake.runtime)
    fake.runtime.list = async (labels) => {
      const listed = await list(labels)
      await changeLifecycle(fake.daemon.workloads, 'web', 'restart')
      await settle()
      return listed
    }
    await fake.clock.advance(60_000)
    await settle()
    expect(status(fake)).toBe('running')
    expect(fake.runtime.calls.filter((call) => call === 'start thv-web')).toHaveLength(2)
    expect(fake.runtime.calls).not.toContain('find')
  })

  test('says how far a pull is while it starts', async () => {
    using fake = await startFakeDaemon()
    const gate = Promise.withResolvers<void>()
    fake.runtime.whilePreparing = () => gate.promise
    await createWorkload(fake.daemon.workloads, PACKAGE)
    await settle()
    expect(status(fake)).toBe('starting')
    expect(context(fake)).toContain('43 %')
    gate.resolve()
    await settle()
    expect(status(fake)).toBe('running')
  })

  test('that cannot be fetched is in error with the reason, and is tried again', async () => {
    using fake = await startFakeDaemon()
    fake.runtime.missing.add('npx://web@1.0.0')
    await createWorkload(fake.daemon.workloads, PACKAGE)
    await settle()
    expect(status(fake)).toBe('error')
    expect(context(fake)).toContain('not found')
    fake.runtime.missing.clear()
    await fake.clock.advance(1_000)
    expect(status(fake)).toBe('running')
  })

  test('is stopped and removed from the runtime, and keeps its configuration', async () => {
    using fake = await startFakeDaemon()
    await running(fake)
    await changeLifecycle(fake.daemon.workloads, 'web', 'stop')
    await settle()
    expect(status(fake)).toBe('stopped')
    expect(fake.runtime.instances.size).toBe(0)
    expect(fake.gateway.endpoints.size).toBe(0)
    expect(fake.workloadStore.records.get('web')?.wanted).toBe('stopped')
  })

  test('that is stopped while it starts is stopping until the start has been given up', async () => {
    using fake = await startFakeDaemon()
    const gate = Promise.withResolvers<void>()
    const open = fake.gateway.open.bind(fake.gateway)
    fake.gateway.open = (spec) => gate.promise.then(() => open(spec))
    const { violations } = watchStatuses(fake)
    await createWorkload(fake.daemon.workloads, PACKAGE)
    await changeLifecycle(fake.daemon.workloads, 'web', 'stop')
    expect(status(fake)).toBe('stopping')
    gate.resolve()
    await settle()
    expect(status(fake)).toBe('stopped')
    expect(fake.gateway.endpoints.size).toBe(0)
    expect(violations).toEqual([])
  })

  test('is really restarted, at the same port', async () => {
    using fake = await startFakeDaemon()
    await running(fake)
    const before = fake.runtime.instances.get('thv-web')?.handle.id
    const port = fake.gateway.endpoints.get('web')?.port
    await changeLifecycle(fake.daemon.workloads, 'web', 'restart')
    await settle()
    expect(status(fake)).toBe('running')
    expect(fake.runtime.instances.get('thv-web')?.handle.id).not.toBe(before)
    expect(fake.gateway.endpoints.get('web')?.port).toBe(port)
  })

  test('leaves nothing behind when deleted', async () => {
    using fake = await startFakeDaemon()
    await running(fake)
    await changeLifecycle(fake.daemon.workloads, 'web', 'delete')
    await settle()
    expect(fake.daemon.workloads.book.find('web')).toBeUndefined()
    expect(fake.runtime.instances.size).toBe(0)
    expect(fake.gateway.endpoints.size).toBe(0)
    expect(fake.workloadStore.records.size).toBe(0)
  })

  test('is deleted at once even while it is being fetched', async () => {
    using fake = await startFakeDaemon()
    fake.runtime.whilePreparing = (signal) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    await createWorkload(fake.daemon.workloads, PACKAGE)
    await settle()
    await changeLifecycle(fake.daemon.workloads, 'web', 'delete')
    await settle()
    expect(fake.daemon.workloads.book.find('web')).toBeUndefined()
  })

  test('that crashes is started again with growing pauses and ends in error with its last words', async () => {
    using fake = await startFakeDaemon()
    await running(fake)
    const crash = () => {
      fake.logs.append('web', 'stderr', 'cannot open the database')
      fake.runtime.crash('web', 3)
    }
    for (let round = 1; round <= 4; round += 1) {
      crash()
      await settle()
      expect(status(fake)).toBe('starting')
      expect(context(fake)).toContain('exited with code 3')
      await fake.clock.advance(60_000)
      expect(status(fake)).toBe('running')
    }
    crash()
    await settle()
    expect(status(fake)).toBe('error')
    expect(context(fake)).toBe('the server exited with code 3; its last output: cannot open the database')
    const told = (await fake.logs.tail('web', 99)).filter((line) => line.startsWith('[toolhaven] '))
    expect(told).toHaveLength(5)
    expect(told.at(-1)).toContain('the server exited with code 3; it starts again in')
    await fake.clock.advance(60_000)
    expect(status(fake)).toBe('running')
  })

  test('that is restarted while it starts replaces its own instance, which nobody else removed', async () => {
    using fake = await startFakeDaemon()
    const { runtime } = fake
    const hang = (signal: AbortSignal) =>
      new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))
    runtime.whileStarting = hang
    await createWorkload(fake.daemon.workloads, PACKAGE)
    await settle()
    expect(runtime.calls).toContain('start thv-web')
    runtime.whileStarting = async () => {}
    let seen: string | undefined
    runtime.whileCreating = async () => {
      await settle()
      seen = context(fake)
    }
    await changeLifecycle(fake.daemon.workloads, 'web', 'restart')
    await expect.poll(() => status(fake)).toBe('running')
    expect(seen).toBeDefined()
    expect(seen).not.toContain('removed from outside')
  })

  test('that no longer answers is unhealthy and is replaced', async () => {
    using fake = await startFakeDaemon()
    await running(fake)
    const before = fake.runtime.instances.get('thv-web')?.handle.id
    const gate = Promise.withResolvers<void>()
    fake.runtime.whileStopping = () => gate.promise
    fake.gateway.failPings = true
    for (let ping = 0; ping < 3; ping += 1) await fake.clock.advance(30_000)
    expect(fake.runtime.calls).toContain('stop thv-web')
    // A frozen server takes as long to end as it may.
    expect(status(fake)).toBe('unhealthy')
    fake.gateway.failPings = false
    gate.resolve()
    await settle()
    await fake.clock.advance(60_000)
    expect(status(fake)).toBe('running')
    expect(fake.runtime.instances.get('thv-web')?.handle.id).not.toBe(before)
  })

  test('whose port is taken is in error naming the port, keeps it, and runs once it is free', async () => {
    using fake = await startFakeDaemon()
    await running(fake)
    await changeLifecycle(fake.daemon.workloads, 'web', 'stop')
    await settle()
    const port = fake.workloadStore.records.get('web')?.port ?? 0
    fake.gateway.takenPorts.add(port)
    await changeLifecycle(fake.daemon.workloads, 'web', 'restart')
    await settle()
    expect(status(fake)).toBe('error')
    expect(context(fake)).toContain(String(port))
    fake.gateway.takenPorts.clear()
    await fake.clock.advance(1_000)
    expect(status(fake)).toBe('running')
    expect(fake.gateway.endpoints.get('web')?.port).toBe(port)
  })

  test('is edited: what is left out stays, null clears, and a new instance runs', async () => {
    using fake = await startFakeDaemon()
    await createWorkload(fake.daemon.workloads, { ...PACKAGE, env_vars: { A: '1' }, cmd_arguments: ['--x'] })
    await settle()
    await editWorkload(fake.daemon.workloads, 'web', { cmd_arguments: null, tools: ['echo'] })
    await settle()
    const spec = fake.runtime.instances.get('thv-web')?.spec
    expect(spec?.env['A']).toBe('1')
    expect(spec?.args).toEqual([])
    expect(fake.gateway.endpoints.get('web')?.toolsFilter).toEqual(['echo'])
  })
})
