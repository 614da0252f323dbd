import type { RemoteServer } from '@toolhaven/contract/registry-document'
import type { RunConfig } from '@toolhaven/contract/run-config'
import { startFakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { describe, expect, test } from 'vitest'
import { checkConfig } from './check-config.ts'
import { withoutOurs } from './own-headers.ts'

const ISSUES: RemoteServer = {
  ...{ name: 'issues', description: 'Issues far away', url: 'https://issues.example.com/mcp' },
  ...{ tier: 'Community', status: 'active', transport: 'streamable-http', tools: [] },
  headers: [
    { name: 'Authorization', description: '"Bearer " and a key', required: true, secret: true },
    { name: 'X-Region', description: 'Where', required: false },
  ],
}

async function check(remote_auth_config: RunConfig['remote_auth_config']): Promise<RunConfig> {
  using fake = await startFakeDaemon()
  const config: RunConfig = {
    ...{ schema_version: 'v0.1.0', name: 'issues', transport: 'streamable-http', remote_url: ISSUES.url },
    remote_auth_config,
  }
  return await checkConfig(fake.daemon.workloads, config, ISSUES)
}

describe('a header that the registry entry requires', () => {
  test('is asked for with what it holds', async () => {
    await expect(check({ headers: { 'X-Region': 'eu' } })).rejects.toMatchObject({
      code: 'invalid',
      message: 'issues needs the header Authorization ("Bearer " and a key): set it in headers',
    })
  })

  test('is taken in any spelling', async () => {
    expect(await check({ headers: { authorization: 'Bearer abc' } })).toMatchObject({ name: 'issues' })
  })
})

describe('a header that the protocol needs for itself', () => {
  const NAMES = [
    'Mcp-Session-Id',
    'accept',
    'Content-Type',
    'content_length',
    'Transfer-Encoding',
    'Connection',
    'Host',
  ]

  test.each([...NAMES, 'MCP-Protocol-Version', 'Last-Event-ID', 'Mcp_Name'])('is refused: %s', async (name) => {
    await expect(check({ headers: { Authorization: 'Bearer abc', [name]: 'x' } })).rejects.toMatchObject({
      code: 'invalid',
      message: `headers: Toolhaven sets ${name} itself, as the protocol requires; remove it`,
    })
  })

  test('is refused with a value from a secret', async () => {
    await expect(check({ headers_from_secrets: { Host: 'a-secret' } })).rejects.toMatchObject({ code: 'invalid' })
  })

  test('is left out of a configuration that was stored before', () => {
    expect(withoutOurs({ 'X-Team': 'a', 'Mcp-Session-Id': 's', Host: 'h' })).toEqual({ 'X-Team': 'a' })
  })
})
