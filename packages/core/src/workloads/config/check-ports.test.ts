import { describe, expect, test } from 'vitest'
import type { CreateRequest } from '@toolhaven/contract/workload-request'
import { startFakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { createWorkload } from '../operations/create.ts'
import { editWorkload } from '../operations/edit.ts'

const many = (count: number) => Array.from({ length: count }, (_, at) => 10_000 + at)
const profile = (hosts: readonly string[], ports: readonly number[] = []) => ({
  permission_profile: { network: { outbound: { allow_host: [...hosts], allow_port: [...ports] } } },
})
const HTTP = { name: 'web', image: 'everything', transport: 'streamable-http', target_port: 8000 } as const

describe('ports that a request lists', () => {
  test.for<[Pick<CreateRequest, 'permission_profile' | 'allow_hosts'>, string, string]>([
    [profile(['localhost:8000']), 'allow_host "localhost:8000" cannot reach this machine', 'target_port'],
    [profile(['a.example', '127.0.0.1:8000']), 'allow_host "127.0.0.1:8000"', 'target_port'],
    [profile(['[::1]:8000']), 'allow_host "[::1]:8000"', 'target_port'],
    [profile(['localhost:3128']), 'allow_host "localhost:3128"', '53 and 3128'],
    [{ allow_hosts: ['localhost:8000'] }, 'allow_host "localhost:8000"', 'target_port'],
    [profile(['a.example'], many(60)), 'allow_port 10048', '48 ports, and this one lists 60'],
    [profile(many(49).map((port) => `a.example:${port}`)), 'allow_host "a.example:10048"', 'lists 49'],
  ])('are refused if they would do nothing: %j', async ([change, entry, reason]) => {
    using fake = await startFakeDaemon()
    const { workloads } = fake.daemon
    const refusal = { code: 'invalid', message: expect.stringMatching(entry.replaceAll(/[[\].]/g, String.raw`\$&`)) }
    await expect(createWorkload(workloads, { ...HTTP, ...change })).rejects.toMatchObject(refusal)
    await createWorkload(workloads, HTTP)
    await expect(editWorkload(workloads, 'web', change)).rejects.toMatchObject(refusal)
    await expect(editWorkload(workloads, 'web', change)).rejects.toThrow(reason)
  })

  test('may be as many as there are listeners, and the number of the server’s own at other hosts', async () => {
    using fake = await startFakeDaemon()
    const { workloads } = fake.daemon
    await createWorkload(workloads, { ...HTTP, ...profile(['db.example:8000', 'ns.example:53'], many(48)) })
    await expect(editWorkload(workloads, 'web', profile(['localhost:8001']))).resolves.toMatchObject({ name: 'web' })
    await expect(editWorkload(workloads, 'web', { target_port: 8001 })).rejects.toThrow('"localhost:8001"')
  })

  test('stay as they are if they were stored before', async () => {
    using fake = await startFakeDaemon()
    const { workloads } = fake.daemon
    await createWorkload(workloads, HTTP)
    const stored = profile(['localhost:8000', 'a.example'], many(60))
    await workloads.book.change('web', (current) => ({
      ...current,
      asked: { ...current.asked, ...stored },
      config: { ...current.config, ...stored },
    }))
    await expect(editWorkload(workloads, 'web', { labels: { a: 'b' } })).resolves.toMatchObject({ name: 'web' })
  })
})
