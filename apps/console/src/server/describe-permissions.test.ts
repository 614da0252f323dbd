import { expect, test } from 'vitest'
import { describePermissions } from './describe-permissions.ts'

test('a closed server may do nothing', () => {
  expect(describePermissions({ remote: false, permission_profile: { name: 'none' } })).toEqual([
    'May not reach the network.',
    'May not see your files.',
    'Gets no secret.',
  ])
})

test('hosts, ports, folders and secrets are named', () => {
  const outbound = { allow_host: ['api.example.com', '*.example.org'], allow_port: [443] }
  expect(
    describePermissions({
      remote: false,
      permission_profile: { read: ['/data/a:/a'], network: { outbound } },
      volumes: ['/home/user/notes:/notes', '/srv/docs:/docs:ro'],
      secrets: [{ name: 'token', target: 'API_TOKEN' }],
    }),
  ).toEqual([
    'May reach api.example.com and *.example.org on port 443, and nothing else.',
    'May read /data/a and /srv/docs.',
    'May read and change /home/user/notes.',
    'Gets the secret token as API_TOKEN.',
  ])
})

test('a secret that a remote server is sent is named with its header', () => {
  expect(describePermissions({ remote: true, headers_from_secrets: { Authorization: 'far-key' } })).toEqual([
    'It runs elsewhere: nothing of it runs on this machine.',
    'Is sent the secret far-key as the header Authorization.',
  ])
})

test('what opens more than the profile says comes first', () => {
  const [host] = describePermissions({ remote: false, network_mode: 'host', permission_profile: { name: 'none' } })
  expect(host).toMatch(/^Uses the network of this machine/)
  const [observed] = describePermissions({ remote: false, network_isolation_mode: 'observe' })
  expect(observed).toMatch(/every public host while/)
})
