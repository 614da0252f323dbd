import { describe, expect, test } from 'vitest'
import { type FakeDaemon, startFakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { settle } from '@toolhaven/fakes/manual-clock'
import { createWorkload } from './create.ts'
import { editWorkload } from './edit.ts'
import { importWorkload } from './import.ts'
import { changeLifecycle } from './lifecycle.ts'
import { NeedsLogin } from '../running/needs-login.ts'
import { exportWorkload, getWorkload } from './read.ts'

const FAR = { name: 'far', url: 'https://example.com/mcp' }

describe('a remote workload', () => {
  test.for(['http://169.254.169.254/mcp', 'http://[fd00:ec2::254]/mcp', 'https://metadata.google.internal/mcp'])(
    'is not at %s',
    async (url) => {
      using fake = await startFakeDaemon()
      const { workloads } = fake.daemon
      await createWorkload(workloads, FAR)
      const refusal = /^url leads to .*, a link-local, metadata or reserved address/
      await expect(createWorkload(workloads, { name: 'near', url })).rejects.toThrow(refusal)
      await expect(editWorkload(workloads, 'far', { url })).rejects.toThrow(refusal)
      const { remote_url: _url, ...config } = exportWorkload(workloads, 'far')
      const copy = { ...config, name: 'copy', port: 12_345, remote_url: url }
      await expect(importWorkload(workloads, copy)).rejects.toThrow(refusal)
    },
  )

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

  test('whose secret cannot be sent as a header says so, without the secret', async () => {
    using fake = await startFakeDaemon()
    await fake.daemon.secrets.setUp('encrypted', undefined)
    await createWorkload(fake.daemon.workloads, { ...FAR, headers: { authorization: 'good' } })
    await settle()
    await fake.daemon.secrets.update('far-header-authorization', 'two\nlines')
    await changeLifecycle(fake.daemon.workloads, 'far', 'restart')
    await settle()
    const { status, context } = fake.daemon.workloads.book.status('far')
    expect(status).toBe('error')
    expect(context).toContain('secret far-header-authorization cannot be sent as the header authorization')
    expect(context).not.toContain('lines')
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

  test('that is lost is connected again no later for all the clients who notice', async () => {
    using fake = await startFakeDaemon()
    await createWorkload(fake.daemon.workloads, FAR)
    await settle()
    for (let client = 1; client <= 20; client++) fake.gateway.events.onBackendLost('far', 'reset by peer')
    await settle()
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

  test('that asks for a login says where, and runs once somebody logged in', async () => {
    using fake = await startFakeDaemon()
    fake.gateway.needsLogin = new NeedsLogin('far', 'https://id.example.com/authorize?state=1')
    await createWorkload(fake.daemon.workloads, FAR)
    await settle()
    const needed = { status: 'error', context: 'needs login: https://id.example.com/authorize?state=1' }
    expect(fake.daemon.workloads.book.status('far')).toEqual(needed)
    // Nothing is tried meanwhile: only a person can help.
    await fake.clock.advance(3_600_000)
    expect(fake.daemon.workloads.book.status('far')).toEqual(needed)
    fake.gateway.needsLogin = undefined
    fake.gateway.events.onLoggedIn('far')
    await settle()
    expect(fake.daemon.workloads.book.status('far')).toEqual({ status: 'running', context: '' })
  })

  test('whose login was taken back while it ran says so', async () => {
    using fake = await startFakeDaemon()
    await createWorkload(fake.daemon.workloads, FAR)
    await settle()
    fake.gateway.events.onLoginNeeded(
      'far',
      new NeedsLogin('far', 'https://id.example.com/', { lastFailure: 'access denied' }),
    )
    await settle()
    expect(fake.daemon.workloads.book.status('far')).toEqual({
      status: 'error',
      context: 'needs login: https://id.example.com/ (the last login failed: access denied)',
    })
  })

  test('that wants more rights than its login has says which, and stays connected for the rest', async () => {
    using fake = await startFakeDaemon()
    await createWorkload(fake.daemon.workloads, FAR)
    await settle()
    const needed = new NeedsLogin('far', 'https://id.example.com/', { more: ['files:write'] })
    fake.gateway.events.onLoginNeeded('far', needed)
    await settle()
    await fake.clock.advance(3_600_000)
    expect(fake.daemon.workloads.book.status('far')).toEqual({
      status: 'error',
      context: 'needs login: https://id.example.com/ (for more rights: files:write)',
    })
    expect(fake.gateway.backends.has('far')).toBe(true)
    fake.gateway.events.onLoggedIn('far')
    await settle()
    expect(fake.daemon.workloads.book.status('far')).toEqual({ status: 'running', context: '' })
  })

  test('that is removed takes its login along, one that is stopped does not', async () => {
    using fake = await startFakeDaemon()
    await createWorkload(fake.daemon.workloads, FAR)
    await settle()
    await changeLifecycle(fake.daemon.workloads, 'far', 'stop')
    await settle()
    expect(fake.gateway.forgotten).toEqual([])
    await changeLifecycle(fake.daemon.workloads, 'far', 'delete')
    await settle()
    expect(fake.gateway.forgotten).toEqual(['far'])
  })

  test('is logged in to as the request says, with the secret of the client from the store', async () => {
    using fake = await startFakeDaemon()
    await fake.daemon.secrets.setUp('encrypted', undefined)
    const oauth = { issuer: 'https://id.example.com', client_id: 'me', scopes: ['a'], callback_port: 8666 }
    await createWorkload(fake.daemon.workloads, { ...FAR, oauth_config: { ...oauth, client_secret: 'canary' } })
    await settle()
    const backend = fake.gateway.backends.get('far')
    expect(backend?.kind === 'http' && backend.login).toEqual({
      ...{
        issuer: 'https://id.example.com',
        clientId: 'me',
        clientSecret: 'canary',
        scopes: ['a'],
        callbackPort: 8666,
      },
    })
    expect(JSON.stringify([...fake.workloadStore.records.values()])).not.toContain('canary')
    expect(getWorkload(fake.daemon.workloads, 'far').oauth_config).toEqual({
      ...oauth,
      client_secret: 'far-oauth-client-secret',
    })
    const exported = exportWorkload(fake.daemon.workloads, 'far')
    const again = { ...exported, name: 'again', port: 12_345 }
    await expect(importWorkload(fake.daemon.workloads, again)).rejects.toThrow('far-oauth-client-secret; confirm')
    await importWorkload(fake.daemon.workloads, again, { accept_secrets: true })
    expect(exportWorkload(fake.daemon.workloads, 'again')).toEqual({ ...exported, name: 'again', port: 12_345 })
  })

  test.each([
    [{ use_pkce: false }, 'use_pkce'],
    [{ authorize_url: 'https://id.example.com/a', client_id: 'x' }, 'go together'],
    [{ issuer: 'javascript:alert(1)' }, 'issuer must be an https address'],
    [{ client_secret: 'x' }, 'needs client_id'],
  ])('cannot be given %j', async (oauth, said) => {
    using fake = await startFakeDaemon()
    await expect(createWorkload(fake.daemon.workloads, { ...FAR, oauth_config: oauth })).rejects.toThrow(said)
    await expect(
      createWorkload(fake.daemon.workloads, { image: 'npx://x@1.0.0', oauth_config: { issuer: 'https://id.example' } }),
    ).rejects.toThrow('only for remote servers')
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
