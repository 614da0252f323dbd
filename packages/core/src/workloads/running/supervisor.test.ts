import { describe, expect, test } from 'vitest'
import { FakeRuntime } from '@toolhaven/fakes/fake-runtime'
import { type FakeDaemon, startFakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { settle } from '@toolhaven/fakes/manual-clock'
import { watchStatuses } from '@toolhaven/testing/scenario/watch-statuses'
import { createWorkload } from '../operations/create.ts'
import { changeLifecycle } from '../operations/lifecycle.ts'
import { editWorkload } from '../operations/edit.ts'

const PACKAGE = { name: 'web', image: 'npx://web@1.0.0', permission_profile: { name: 'none' } }

async function running(fake: FakeDaemon, name = 'web') {
  await createWorkload(fake.daemon.workloads, { ...PACKAGE, name })
  await settle()
  expect(status(fake, name)).toBe('running')
}

const status = (fake: FakeDaemon, name = 'web') => fake.daemon.workloads.book.status(name).status
const context = (fake: FakeDaemon, name = 'web') => fake.daemon.workloads.book.status(name).context

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

  test('says what it was refused, in its status and in its log, until it is started anew', async () => {
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

  test('of a runtime that throws what it never should is in error with the reason, and can be deleted', async () => {
    using fake = await startFakeDaemon()
    fake.runtime.start = () => {
      throw new TypeError('not a ThvError')
    }
    fake.runtime.probe = () => Promise.reject(new Error('no health either'))
    await createWorkload(fake.daemon.workloads, PACKAGE)
    await settle()
    expect(status(fake)).toBe('error')
    expect(context(fake)).toContain('not a ThvError')
    await changeLifecycle(fake.daemon.workloads, 'web', 'delete')
    await settle()
    expect(fake.daemon.workloads.book.find('web')).toBeUndefined()
    expect(fake.runtime.instances.size).toBe(0)
  })

  test('is deleted although its start never ends, and a late end changes nothing', async () => {
    using fake = await startFakeDaemon()
    const gate = Promise.withResolvers<void>()
    fake.runtime.whilePreparing = () => gate.promise
    await createWorkload(fake.daemon.workloads, PACKAGE)
    await settle()
    await changeLifecycle(fake.daemon.workloads, 'web', 'delete')
    await settle()
    expect(status(fake)).toBe('removing')
    await fake.clock.advance(10_000)
    expect(fake.daemon.workloads.book.find('web')).toBeUndefined()
    gate.resolve()
    await settle()
    expect(fake.daemon.workloads.book.find('web')).toBeUndefined()
    expect(fake.runtime.instances.size).toBe(0)
  })

  test('whose start never ends does not keep others from starting, nor the daemon from ending', async () => {
    using fake = await startFakeDaemon()
    const never = Promise.withResolvers<void>()
    fake.runtime.whilePreparing = () => never.promise
    const names = Array.from({ length: 8 }, (_, at) => `stuck-${at}`)
    for (const name of names) await createWorkload(fake.daemon.workloads, { ...PACKAGE, name })
    await settle()
    for (const name of names) await changeLifecycle(fake.daemon.workloads, name, 'stop')
    await fake.clock.advance(10_000)
    expect(names.map((name) => status(fake, name))).toEqual(names.map(() => 'stopped'))
    fake.runtime.whilePreparing = async () => {}
    await running(fake, 'other')
    fake.runtime.whilePreparing = () => never.promise
    await createWorkload(fake.daemon.workloads, { ...PACKAGE, name: 'last' })
    await settle()
    fake[Symbol.dispose]()
    await settle()
    const idle = fake.daemon.supervisor.idle().then(() => 'idle')
    await fake.clock.advance(10_000)
    expect(await Promise.race([idle, settle().then(() => 'still busy')])).toBe('idle')
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

describe('a start that goes on after it was given up', () => {
  test('leaves nothing running when it ends at last', async () => {
    using fake = await startFakeDaemon()
    const stuck = Promise.withResolvers<void>()
    const create = fake.runtime.create.bind(fake.runtime)
    fake.runtime.create = async (spec) => {
      await stuck.promise
      return create(spec)
    }
    await createWorkload(fake.daemon.workloads, PACKAGE)
    await settle()
    await changeLifecycle(fake.daemon.workloads, 'web', 'stop')
    await settle()
    await fake.clock.advance(10_000)
    expect(status(fake)).toBe('stopped')
    stuck.resolve()
    await settle()
    expect(status(fake)).toBe('stopped')
    expect(fake.runtime.instances.get('thv-web')?.state.state).not.toBe('running')
  })
})

describe('when the engine goes away', () => {
  test('workloads are unknown, and run again when it is back', async () => {
    using fake = await startFakeDaemon()
    await running(fake)
    fake.runtime.goDown()
    await settle()
    expect(status(fake)).toBe('unknown')
    expect(context(fake)).toContain('does not answer')
    fake.runtime.isDown = false
    await fake.clock.advance(2_000)
    await fake.clock.advance(60_000)
    expect(status(fake)).toBe('running')
  })

  test('its instances are looked at as soon as its events come again', async () => {
    using fake = await startFakeDaemon()
    await running(fake)
    fake.runtime.goDown()
    await settle()
    fake.runtime.isDown = false
    // Less than the time between two looks at all instances.
    await fake.clock.advance(2_000)
    expect(status(fake)).toBe('running')
  })

  test('a delete waits for it and is then carried out', async () => {
    using fake = await startFakeDaemon()
    await running(fake)
    fake.runtime.goDown()
    await settle()
    await changeLifecycle(fake.daemon.workloads, 'web', 'delete')
    await settle()
    expect(status(fake)).toBe('removing')
    fake.runtime.isDown = false
    await fake.clock.advance(2_000)
    await fake.clock.advance(60_000)
    expect(fake.daemon.workloads.book.find('web')).toBeUndefined()
    expect(fake.runtime.instances.size).toBe(0)
  })
})

describe('a new daemon over the state of an old one', () => {
  test('connects to instances that still run without disturbing them', async () => {
    const runtime = new FakeRuntime()
    const first = await startFakeDaemon({ runtime })
    await running(first)
    const before = runtime.instances.get('thv-web')?.handle.id
    first[Symbol.dispose]()
    using second = await startFakeDaemon({ runtime, workloadStore: first.workloadStore, groupStore: first.groupStore })
    await settle()
    expect(status(second)).toBe('running')
    expect(runtime.instances.get('thv-web')?.handle.id).toBe(before)
  })

  test('ends the process of a former session, and tells of no crash', async () => {
    const runtime = new FakeRuntime()
    const first = await startFakeDaemon({ runtime })
    await createWorkload(first.daemon.workloads, { ...PACKAGE, session_mode: 'isolated' })
    await settle()
    const before = runtime.instances.get('thv-web')?.handle.id
    first[Symbol.dispose]()
    // It takes a moment, in which the runtime tells that the process ended.
    runtime.whileStopping = async () => runtime.crash('web', 0)
    using second = await startFakeDaemon({ runtime, workloadStore: first.workloadStore, groupStore: first.groupStore })
    await settle()
    await settle()
    expect(status(second)).toBe('running')
    expect(runtime.instances.get('thv-web')?.handle.id).not.toBe(before)
    expect(second.daemon.workloads.book.get('web').observed.attempts).toBe(0)
    expect(await second.logs.tail('web', 9)).toEqual([])
  })

  test('finishes a delete that was cut off', async () => {
    const runtime = new FakeRuntime()
    const first = await startFakeDaemon({ runtime })
    await running(first)
    runtime.whileStopping = () => new Promise(() => {})
    await changeLifecycle(first.daemon.workloads, 'web', 'delete')
    await settle()
    first[Symbol.dispose]()
    runtime.whileStopping = async () => {}
    using second = await startFakeDaemon({ runtime, workloadStore: first.workloadStore })
    await settle()
    expect(second.daemon.workloads.book.find('web')).toBeUndefined()
    expect(runtime.instances.size).toBe(0)
  })

  test('removes instances of ours that nobody owns, and no others', async () => {
    const runtime = new FakeRuntime()
    const first = await startFakeDaemon({ runtime })
    await running(first)
    first[Symbol.dispose]()
    const mine = runtime.instances.get('thv-web')
    if (!mine) throw new Error('the instance is missing')
    runtime.instances.set('thv-other', {
      ...mine,
      handle: { ...mine.handle, id: 'other', name: 'thv-other' },
      spec: { ...mine.spec, name: 'thv-other', labels: { ...mine.spec.labels, 'toolhaven-instance': 'somebody-else' } },
    })
    using _second = await startFakeDaemon({ runtime })
    await settle()
    expect([...runtime.instances.keys()]).toEqual(['thv-other'])
  })
})

describe('many workloads', () => {
  test('two creates of one name at once: one wins', async () => {
    using fake = await startFakeDaemon()
    const results = await Promise.allSettled([
      createWorkload(fake.daemon.workloads, PACKAGE),
      createWorkload(fake.daemon.workloads, PACKAGE),
    ])
    expect(results.map(({ status: outcome }) => outcome).toSorted()).toEqual(['fulfilled', 'rejected'])
  })

  test('200 are created and deleted in parallel and nothing is left', async () => {
    using fake = await startFakeDaemon()
    const names = Array.from({ length: 200 }, (_, index) => `w${index}`)
    await Promise.all(names.map((name) => createWorkload(fake.daemon.workloads, { ...PACKAGE, name })))
    await settle()
    await Promise.all(names.map((name) => changeLifecycle(fake.daemon.workloads, name, 'delete')))
    for (let round = 0; round < 20; round += 1) await settle()
    expect(fake.daemon.workloads.book.all()).toEqual([])
    expect(fake.runtime.instances.size).toBe(0)
    expect(fake.workloadStore.records.size).toBe(0)
  })

  test('a full disk refuses the change and loses nothing', async () => {
    using fake = await startFakeDaemon()
    await running(fake)
    fake.workloadStore.failWith = new Error('no space left')
    await expect(createWorkload(fake.daemon.workloads, { ...PACKAGE, name: 'other' })).rejects.toThrow('no space')
    await expect(changeLifecycle(fake.daemon.workloads, 'web', 'delete')).rejects.toThrow('no space')
    expect(status(fake)).toBe('running')
    fake.workloadStore.failWith = undefined
    await createWorkload(fake.daemon.workloads, { ...PACKAGE, name: 'other' })
    await settle()
    expect(status(fake, 'other')).toBe('running')
  })
})
