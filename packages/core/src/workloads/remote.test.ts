import { describe, expect, test } from 'vitest'
import { type FakeDaemon, startFakeDaemon } from '@toolhaven/testing/fakes/fake-daemon'
import { settle } from '@toolhaven/testing/fakes/manual-clock'
import { createWorkload } from './create.ts'
import { editWorkload } from './edit.ts'
import { changeLifecycle } from './lifecycle.ts'

const FAR = { name: 'far', url: 'https://example.com/mcp' }

describe('a remote workload', () => {
  test('runs while the engine is down', async () => {
    using fake = await startFakeDaemon()
    fake.runtime.goDown()
    await createWorkload(fake.daemon.workloads, FAR)
    await settle()
    expect(fake.daemon.workloads.book.status('far')).toEqual({ status: 'running', context: '' })
  })

  test('that cannot be reached says why, not that the engine is down', async () => {
    using fake = await startFakeDaemon()
    fake.runtime.goDown()
    fake.gateway.failHandshake = 'the server answered 502'
    await createWorkload(fake.daemon.workloads, FAR)
    await settle()
    expect(fake.daemon.workloads.book.status('far')).toEqual({ status: 'error', context: 'the server answered 502' })
  })

  test('that is lost is an error with the reason and is connected again', async () => {
    using fake = await startFakeDaemon()
    await createWorkload(fake.daemon.workloads, FAR)
    await settle()
    fake.gateway.events.onBackendLost('far', 'reset by peer')
    await settle()
    expect(fake.daemon.workloads.book.status('far')).toMatchObject({
      status: 'error',
      context: expect.stringContaining('reset by peer'),
    })
    await fake.clock.advance(1_000)
    expect(fake.daemon.workloads.book.status('far').status).toBe('running')
  })

  test('is stopped and deleted while the engine is down', async () => {
    using fake = await startFakeDaemon()
    await createWorkload(fake.daemon.workloads, FAR)
    await settle()
    fake.runtime.goDown()
    await settle()
    await changeLifecycle(fake.daemon.workloads, 'far', 'stop')
    await settle()
    expect(fake.daemon.workloads.book.status('far').status).toBe('stopped')
    await changeLifecycle(fake.daemon.workloads, 'far', 'delete')
    await settle()
    expect(fake.workloadStore.records.size).toBe(0)
  })

  test('leaves the runtime alone', async () => {
    using fake = await startFakeDaemon()
    await createWorkload(fake.daemon.workloads, FAR)
    await settle()
    await changeLifecycle(fake.daemon.workloads, 'far', 'restart')
    await settle()
    expect(fake.runtime.calls.filter((call) => /^(prepare|create|start|stop|remove)/.test(call))).toEqual([])
  })

  test('sends its keys to the server they were given for and not to another that an edit names', async () => {
    using fake = await startFakeDaemon()
    await fake.daemon.secrets.setUp('encrypted', undefined)
    await createWorkload(fake.daemon.workloads, {
      ...FAR,
      headers: { Authorization: 'Bearer canary', 'X-Team': 'blue' },
    })
    await editWorkload(fake.daemon.workloads, 'far', { url: 'https://example.com/other' })
    await settle()
    expect(sentHeaders(fake)).toEqual({ Authorization: 'Bearer canary', 'X-Team': 'blue' })
    await editWorkload(fake.daemon.workloads, 'far', { url: 'https://evil.example/mcp' })
    await settle()
    expect(sentHeaders(fake)).toEqual({})
  })
})

function sentHeaders(fake: FakeDaemon): unknown {
  const backend = fake.gateway.backends.get('far')
  return backend?.kind === 'http' ? backend.headers : undefined
}
