import type { RemoteServer } from '@toolhaven/contract/registry-document'
import type { RunConfig } from '@toolhaven/contract/run-config'
import { startFakeDaemon } from '@toolhaven/testing/fakes/fake-daemon'
import { describe, expect, test } from 'vitest'
import { checkConfig } from './check-config.ts'

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
      message: 'issues needs the header Authorization ("Bearer " and a key): give it in headers',
    })
  })

  test('is taken in any spelling', async () => {
    expect(await check({ headers: { authorization: 'Bearer abc' } })).toMatchObject({ name: 'issues' })
  })
})
