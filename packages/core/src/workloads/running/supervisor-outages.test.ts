import { describe, expect, test } from 'vitest'
import { FakeRuntime } from '@toolhaven/fakes/fake-runtime'
import { startFakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { settle } from '@toolhaven/fakes/manual-clock'
import { createWorkload } from '../operations/create.ts'
import { changeLifecycle } from '../operations/lifecycle.ts'
import { PACKAGE, context, running, status } from '../../../test/support/running-workload.ts'

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
