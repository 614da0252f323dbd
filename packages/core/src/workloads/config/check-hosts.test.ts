import type { PermissionProfile } from '@toolhaven/contract/permission-profile'
import { describe, expect, test } from 'vitest'
import { startFakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { settle } from '@toolhaven/fakes/manual-clock'
import { checkHosts } from './check-hosts.ts'
import { createWorkload } from '../operations/create.ts'
import { editWorkload } from '../operations/edit.ts'

const list = (...hosts: string[]): PermissionProfile => ({ network: { outbound: { allow_host: hosts } } })

describe('hosts that a request lists', () => {
  test.for([
    ...['api.example.com', '*.example.com', 'db.example.com:5432', '8.8.8.8', '8.8.8.8:53', '2606:4700::1111'],
    ...['localhost:5432', '127.0.0.1:5432', '192.168.1.5:22', '[fd00::1]:8080', 'nas.example:445'],
  ])('may be %s', (host) => {
    expect(() => checkHosts(list(host), undefined)).not.toThrow()
  })

  test.for([
    ['localhost', '"localhost:5432"'],
    ['db.localhost', '"db.localhost:PORT"'],
    ['127.0.0.1', '"127.0.0.1:PORT"'],
    ['192.168.1.5', '"192.168.1.5:5432"'],
    ['fd00::1', '"[fd00::1]:5432"'],
    ['::1', '"[::1]:PORT"'],
  ] as const)('cannot be %s, and the message shows the right form', ([host, form]) => {
    expect(() => checkHosts(list('a.example', host), undefined)).toThrow(form)
  })

  test('has the ports of the profile as an example', () => {
    const profile = { network: { outbound: { allow_host: ['10.0.0.1'], allow_port: [22] } } }
    expect(() => checkHosts(profile, undefined)).toThrow('for example "10.0.0.1:22"')
  })

  test.for([
    ...['169.254.169.254', '169.254.169.254:80', '[fd00:ec2::254]:80', 'metadata.google.internal', '0.0.0.0:80'],
    ...['metadata.google.internal:80', '100.100.100.200:80', '[::ffff:169.254.169.254]:80', '198.18.1.0:443'],
  ])('can never be %s', (host) => {
    expect(() => checkHosts(list(host), undefined)).toThrow('which no server may reach')
    expect(() => checkHosts(list(host), list(host))).not.toThrow()
  })

  test.for(['a.example:http', 'a.example:0', 'a.example:99999', '[a.example]:443', 'a:b:c'])('cannot be %s', (host) => {
    expect(() => checkHosts(list(host), undefined)).toThrow(`allow_host "${host}" is not a host; write NAME`)
  })

  test.for([
    ...[
      '*',
      '*.',
      '.',
      '*.*.com',
      'a*.com',
      'a..example',
      'a.example.',
      '-a.example',
      'a.example/path',
      'user@a.example',
    ],
    ...['\u0430pi.example.com', 'evil\u202e.example', '1.2.3', '2130706433', '0x7f000001', '127.0.0.1.:80', '*.1:80'],
  ])('cannot be %j, which no server can ask for', (host) => {
    expect(() => checkHosts(list(host), undefined)).toThrow('is not a name that a server can look up')
  })

  test('are checked when a workload is created and edited, but for those that were stored before', async () => {
    using fake = await startFakeDaemon()
    const { workloads } = fake.daemon
    const create = (profile: PermissionProfile) =>
      createWorkload(workloads, { name: 'web', image: 'everything', permission_profile: profile })
    await expect(create(list('10.0.0.1'))).rejects.toMatchObject({ code: 'invalid' })
    await create(list('a.example'))
    // As an older version stored it.
    await workloads.book.change('web', (stored) => ({
      ...stored,
      asked: { ...stored.asked, permission_profile: list('10.0.0.1') },
      config: { ...stored.config, permission_profile: list('10.0.0.1') },
    }))
    await editWorkload(workloads, 'web', { tools: ['echo'] })
    await editWorkload(workloads, 'web', { permission_profile: list('10.0.0.1', 'b.example') })
    await expect(editWorkload(workloads, 'web', { permission_profile: list('10.0.0.1', '10.0.0.2') })).rejects.toThrow(
      '"10.0.0.2:PORT"',
    )
    await settle()
  })
})
