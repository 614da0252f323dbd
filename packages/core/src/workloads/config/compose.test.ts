import { describe, expect, test } from 'vitest'
import type { ImageServer } from '@toolhaven/contract/registry-document'
import { composeRunConfig } from './compose.ts'
import type { Target } from '../operations/target.ts'

const image: Target = { kind: 'image', image: 'web:1', suggestedName: 'web' }
const remote: Target = { kind: 'remote', url: 'https://example.com/mcp', publicOnly: false, suggestedName: 'example' }
const entry: ImageServer = {
  ...{
    name: 'tool',
    description: 'd',
    image: 'tool:1',
    tier: 'Official',
    status: 'active',
    transport: 'sse',
    target_port: 9000,
    tools: [],
  },
  args: ['--serve'],
  env_vars: [
    { name: 'LEVEL', description: 'd', required: false, default: 'info' },
    { name: 'KEY', description: 'd', required: true },
  ],
  permissions: { network: { outbound: { allow_host: ['example.com'] } } },
}
const listed: Target = { kind: 'image', image: 'tool:1', entry, suggestedName: 'tool' }
const config = (asked: Parameters<typeof composeRunConfig>[2], target: Target = image) =>
  composeRunConfig('web', 12_000, asked, target).config

describe('the configuration in force', () => {
  test('is small when little is asked', () => {
    expect(composeRunConfig('web', 12_000, {}, image)).toEqual({
      profileOrigin: 'default',
      config: {
        ...{
          schema_version: 'v0.1.0',
          name: 'web',
          transport: 'stdio',
          image: 'web:1',
          host: '127.0.0.1',
          port: 12_000,
        },
        ...{ proxy_mode: 'streamable-http', group: 'default', container_name: 'thv-web' },
        permission_profile: { name: 'network', network: { outbound: { insecure_allow_all: true } } },
        network_mode: 'isolated',
      },
    })
  })

  test('takes from the registry entry what the request leaves out', () => {
    const { config: composed, profileOrigin } = composeRunConfig('web', 12_000, {}, listed)
    expect(profileOrigin).toBe('registry')
    expect(composed).toMatchObject({
      ...{
        base_name: 'tool',
        transport: 'sse',
        proxy_mode: 'sse',
        target_port: 9000,
        cmd_args: ['--serve'],
        env_vars: { LEVEL: 'info' },
      },
      permission_profile: entry.permissions,
    })
  })

  test('keeps what the request says over the registry entry', () => {
    const asked = {
      transport: 'streamable-http',
      target_port: 9001,
      cmd_arguments: ['x'],
      env_vars: { LEVEL: 'debug', KEY: 'k' },
      permission_profile: { name: 'network' },
    } as const
    expect(config({ ...asked, cmd_arguments: [...asked.cmd_arguments] }, listed)).toMatchObject({
      ...{
        transport: 'streamable-http',
        proxy_mode: 'streamable-http',
        target_port: 9001,
        cmd_args: ['x'],
        env_vars: { LEVEL: 'debug', KEY: 'k' },
      },
      permission_profile: { name: 'network' },
    })
  })

  test('of a stdio server has no target port', () => {
    expect(config({ target_port: 80 })).not.toHaveProperty('target_port')
  })

  test('of a remote server has neither container nor profile', () => {
    const composed = config({ headers: { 'X-A': 'b' }, permission_profile: { name: 'none' } }, remote)
    expect(composed).toMatchObject({
      remote_url: 'https://example.com/mcp',
      transport: 'streamable-http',
      remote_auth_config: { headers: { 'X-A': 'b' } },
    })
    for (const field of ['image', 'container_name', 'permission_profile', 'target_port'])
      expect(composed).not.toHaveProperty(field)
  })

  test('names secrets by key and variable', () => {
    expect(config({ secrets: [{ name: 'my key', target: 'KEY' }] })).toMatchObject({ secrets: ['my key,target=KEY'] })
  })

  test('picks built-in profiles by name alone, and only then', () => {
    expect(config({ permission_profile: { name: 'none' } }).permission_profile).toEqual({
      name: 'none',
      network: { outbound: {} },
    })
    const own = { name: 'none', network: { outbound: { insecure_allow_all: true } } }
    expect(config({ permission_profile: own }).permission_profile).toEqual(own)
    expect(() => config({ permission_profile: { name: 'mine' } })).toThrow(/no built-in profile "mine"/)
  })

  test('keeps labels, those of `thv apply` included', () => {
    const labels = { a: 'b', toolhavens: 'c', 'toolhaven.apply': 'd' }
    expect(config({ labels }).container_labels).toEqual(labels)
  })

  test('keeps the wish for network isolation, which a remote server has no use for', () => {
    expect(config({ network_isolation: true }).isolate_network).toBe(true)
    expect(config({ network_isolation: false })).not.toHaveProperty('isolate_network')
    expect(config({ network_isolation: true }, remote)).not.toHaveProperty('isolate_network')
  })

  test.each([
    [{ transport: 'inspector' }, image, /inspector/],
    [{ transport: 'sse' }, image, /target_port is missing/],
    [{ transport: 'stdio' }, remote, /sse or streamable-http for a remote server/],
    [{ headers: { 'X-A': 'b' } }, image, /headers are only for remote servers/],
    [{ labels: { toolhaven: 'true' } }, image, /labels.toolhaven is set by Toolhaven/],
    [{ labels: { a: 'b', 'toolhaven-session': 'x' } }, image, /labels.toolhaven-session is set by Toolhaven/],
  ] as const)('refuses %j', (asked, target, message) => {
    expect(() => config(asked, target)).toThrow(message)
  })
})
