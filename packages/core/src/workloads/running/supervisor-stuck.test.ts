import { describe, expect, test } from 'vitest'
import { startFakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { settle } from '@toolhaven/fakes/manual-clock'
import { createWorkload } from '../operations/create.ts'
import { changeLifecycle } from '../operations/lifecycle.ts'
import { PACKAGE, context, running, status } from '../../../test/support/running-workload.ts'

describe('a workload', () => {
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
