import { expect, test } from 'vitest'
import type { OutboundRules } from '../../ports/egress.ts'
import { InstallNetworks } from './install-networks.ts'

const source = { kind: 'package', scheme: 'npx', name: 'left', version: '1.0.0' } as const

function make() {
  const opened = new Map<string, OutboundRules>()
  const lines: string[] = []
  const egress = {
    open: async (key: string, rules: OutboundRules) => {
      opened.set(key, rules)
      return { folder: '/o', proxy: 'p', direct: 'd', names: 'n', ports: [] }
    },
    close: async (key: string) => void opened.delete(key),
    [Symbol.asyncDispose]: async () => {},
  }
  const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
  const logs = {
    append: (name: string, _stream: string, line: string) => void lines.push(`${name}: ${line}`),
  }
  const installs = new InstallNetworks({ egress: () => egress, logger: silent, logs, instanceId: 'me' })
  return { installs, opened, lines, key: () => [...opened.keys()][0] ?? '' }
}

test('a network leads to the indexes and the allowed hosts, of a fetch to every public host too, and is closed after use', async () => {
  const { installs, opened, key } = make()
  const access = installs.access({ source, hosts: ['cdn.example'], workload: 'web' })
  {
    await using _network = await access.open('install', ['registry.example:443'])
    expect(InstallNetworks.isInstall(key())).toBe(true)
    expect(opened.get(key())).toEqual({
      allowHost: ['registry.example:443', 'cdn.example'],
      allowPort: [],
      allowAll: false,
      configured: ['registry.example:443'],
    })
  }
  {
    await using _network = await access.open('fetch', ['proxy.corp.example:3128'])
    expect(opened.get(key())).toMatchObject({ allowAll: true, configured: ['proxy.corp.example:3128'] })
  }
  expect(opened.size).toBe(0)
  expect(InstallNetworks.isInstall('web')).toBe(false)
})

test('refused hosts are told in the form that allows them, each once, and the log names them', async () => {
  const { installs, lines, key } = make()
  await using network = await installs.access({ source, workload: 'web' }).open('install', [])
  const seen = (host: string, port: number, outcome: 'unlisted' | 'refused' | 'reached') =>
    installs.seen(key(), { host, port, outcome })
  seen('cdn.example', 443, 'unlisted')
  seen('cdn.example', 443, 'unlisted')
  seen('cdn.example', 8443, 'unlisted')
  seen('10.0.0.1', 80, 'unlisted')
  seen('inner.example', 443, 'refused')
  seen('fine.example', 443, 'reached')
  const places = ['cdn.example', 'cdn.example:8443', '10.0.0.1:80', 'inner.example:443']
  expect(network.refused()).toEqual(places)
  expect(lines).toEqual(places.map((place) => `web: install: blocked: ${place}`))
})

test('a script that tries every host fills neither memory nor log', async () => {
  const { installs, lines, key } = make()
  await using network = await installs.access({ source, workload: 'web' }).open('install', [])
  for (let count = 0; count < 500; count += 1)
    installs.seen(key(), { host: `${count}.example`, port: 443, outcome: 'unlisted' })
  expect(network.refused()).toHaveLength(100)
  expect(lines).toHaveLength(100)
})
