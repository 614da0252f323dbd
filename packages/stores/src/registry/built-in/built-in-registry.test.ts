import { registryDocument } from '@toolhaven/contract/registry-document'
import { parsePackageReference } from '@toolhaven/core/workloads/package-reference'
import { describe, expect, test } from 'vitest'
import { builtInRegistry } from './built-in-registry.ts'

const servers = Object.entries(builtInRegistry.servers)
const remotes = Object.entries(builtInRegistry.remote_servers ?? {})
const everything = [...servers, ...remotes]

const needsNothing = ([, server]: (typeof servers)[number]) =>
  (server.env_vars ?? []).every((variable) => !variable.required)

describe('the built-in registry', () => {
  test('follows the registry format', () => {
    expect(registryDocument.safeParse(builtInRegistry).error).toBeUndefined()
  })

  test('offers at least 40 servers to run and 8 remote ones', () => {
    expect(servers.length).toBeGreaterThanOrEqual(40)
    expect(remotes.length).toBeGreaterThanOrEqual(8)
  })

  test('offers at least 20 servers that run from npm or PyPI with no key', () => {
    const keyless = servers
      .filter(needsNothing)
      .filter(([, server]) => parsePackageReference(server.image) !== undefined)
    expect(keyless.length).toBeGreaterThanOrEqual(20)
  })

  test('has the servers a newcomer tries first among those that need no key', () => {
    const keyless = servers.filter(needsNothing).map(([key]) => key)
    const wanted = [
      'everything',
      'fetch',
      'filesystem',
      'git',
      'memory',
      'playwright',
      'sequential-thinking',
      'sqlite',
      'time',
    ]
    expect(keyless).toEqual(expect.arrayContaining(wanted))
  })

  test('lists its servers in order', () => {
    expect(servers.map(([key]) => key)).toEqual(servers.map(([key]) => key).toSorted())
    expect(remotes.map(([key]) => key)).toEqual(remotes.map(([key]) => key).toSorted())
  })

  test('gives no name to both a server to run and a remote one', () => {
    const keys = everything.map(([key]) => key)
    expect(keys).toEqual([...new Set(keys)])
  })

  test('describes every server in words of its own', () => {
    const descriptions = everything.map(([, server]) => server.description)
    expect(descriptions.filter((text) => text.length < 10)).toEqual([])
    expect(descriptions).toEqual([...new Set(descriptions)])
  })

  test('claims no figures that nobody looked up', () => {
    expect(everything.filter(([, server]) => server.metadata !== undefined)).toEqual([])
  })
})

describe.each(servers)('the entry %s', (key, server) => {
  test('names a package with a fixed version', () => {
    expect(parsePackageReference(server.image)?.version).toEqual(expect.any(String))
  })

  test('can give its name to a workload', () => {
    expect(key).toMatch(/^[a-z0-9][a-z0-9-]*$/)
  })

  test('lists at least one tool, in order', () => {
    expect(server.tools.length).toBeGreaterThan(0)
    expect(server.tools).toEqual(server.tools.toSorted())
  })

  test('marks every secret it needs as one', () => {
    const unmarked = (server.env_vars ?? []).filter(
      (variable) => /(TOKEN|KEY|SECRET|PASS|PASSWORD|PWD|CONNECTION_STRING)$/i.test(variable.name) && !variable.secret,
    )
    expect(unmarked.map((variable) => variable.name)).toEqual([])
  })
})

describe.each(everything)('the entry %s', (_key, server) => {
  test('says what it may reach', () => {
    expect(server.permissions?.network?.outbound).toBeDefined()
  })

  test('has lower-case tags', () => {
    expect(server.tags).not.toEqual([])
    expect(server.tags).toEqual(server.tags?.map((tag) => tag.toLowerCase()))
  })
})

describe.each(remotes)('the remote entry %s', (_key, server) => {
  test('is reached over TLS, and may reach its own host only', () => {
    const { protocol, hostname } = new URL(server.url)
    expect(protocol).toBe('https:')
    expect(server.permissions?.network?.outbound?.allow_host).toEqual([hostname])
  })

  test('marks the header that carries a credential as secret', () => {
    const open = (server.headers ?? []).filter((header) => header.name === 'Authorization' && header.secret !== true)
    expect(open).toEqual([])
  })
})
