import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openOnePassword, type OnePasswordClient } from './one-password.ts'

/** An account as the SDK shows it. */
function account(changes: Partial<OnePasswordClient> = {}): OnePasswordClient {
  const titles: Record<string, string> = { i1: 'GitHub', i2: 'Slack' }
  return {
    secrets: {
      async resolve(reference) {
        if (reference === 'op://v1/i1/f1') return 'hidden'
        throw new Error('error resolving secret reference: no item matched the secret reference query')
      },
    },
    vaults: { list: async () => [{ id: 'v1', title: 'Work' }] },
    items: {
      list: async () => Object.entries(titles).map(([id, title]) => ({ id, title })),
      get: async (_vault, item) => ({
        fields: [{ id: 'f1', title: 'token' }, ...(item === 'i2' ? [{ id: 'f2', title: 'user' }] : [])],
      }),
    },
    ...changes,
  }
}

const open = (client: OnePasswordClient) => openOnePassword({ token: 'ops_x', connect: async () => client })

describe('1Password', () => {
  it('lists every field by ids, described by titles', async () => {
    expect(await (await open(account())).list()).toEqual([
      { key: 'op://v1/i1/f1', description: 'Work :: GitHub :: token' },
      { key: 'op://v1/i2/f1', description: 'Work :: Slack :: token' },
      { key: 'op://v1/i2/f2', description: 'Work :: Slack :: user' },
    ])
  })

  it('reads references, finds nothing for unknown and other keys, and refuses to write', async () => {
    const provider = await open(account())
    expect(await provider.get('op://v1/i1/f1')).toBe('hidden')
    expect(await provider.get('op://v1/i9/f1')).toBeUndefined()
    expect(await provider.get('plain')).toBeUndefined()
    expect(await provider.get('op://v1')).toBeUndefined()
    await expect(provider.set('a', 'b')).rejects.toMatchObject({ code: 'unsupported' })
    await expect(provider.delete('a')).rejects.toMatchObject({ code: 'unsupported' })
    expect(provider.capabilities).toEqual({
      can_read: true,
      can_write: false,
      can_delete: false,
      can_list: true,
      can_cleanup: false,
    })
  })

  it('does not take a failure for an absent secret', async () => {
    const failing = (message: string) =>
      account({
        secrets: {
          async resolve() {
            throw new Error(message)
          },
        },
      })
    const get = async (message: string) => (await open(failing(message))).get('op://a/b/c')
    await expect(get('error sending request')).rejects.toMatchObject({
      code: 'unavailable',
      message: /cannot be reached/,
    })
    await expect(get('rate limit exceeded')).rejects.toMatchObject({ code: 'unavailable', message: /rate limit/ })
    await expect(get('canary-value')).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.not.stringContaining('canary'),
    })
  })

  it('gives up on a service that does not answer', async () => {
    const connect = () => new Promise<never>(() => {})
    await expect(openOnePassword({ token: 'ops_x', connect, timeoutMs: 20 })).rejects.toMatchObject({
      code: 'unavailable',
      message: /did not answer/,
    })
  })
})

describe('the SDK of 1Password', () => {
  it.each([undefined, ''])('is not even loaded with the token %j', async (token) => {
    await expect(openOnePassword({ token })).rejects.toMatchObject({
      code: 'invalid',
      message: /set OP_SERVICE_ACCOUNT_TOKEN/,
    })
  })

  it.each(['canary', 'ops_canary', `ops_${Buffer.from('{"a":1}').toString('base64url')}`])(
    'refuses the token %j, which no error repeats',
    async (token) => {
      const failure = await openOnePassword({ token }).catch((error: unknown) => error)
      expect(failure).toMatchObject({
        code: 'invalid',
        message: /OP_SERVICE_ACCOUNT_TOKEN is not a service account token/,
      })
      expect(String(failure)).not.toContain('canary')
    },
  )

  it('says that the service cannot be reached when it cannot', async () => {
    let connections = 0
    const server = createServer((socket: Socket) => {
      connections += 1
      socket.destroy()
    }).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : undefined
    await expect(openOnePassword({ token: tokenFor(`127.0.0.1:${port}`) })).rejects.toMatchObject({
      code: 'unavailable',
      message: /cannot be reached/,
    })
    expect(connections).toBeGreaterThan(0)
  })
})

/** The form of a service account token, for an account that does not exist. */
function tokenFor(signInAddress: string): string {
  const hex = 'ab'.repeat(32)
  const content = {
    signInAddress,
    userAuth: { method: 'SRPg-4096', alg: 'PBES2g-HS256', iterations: 650_000, salt: 'abcdefghijklmnopqrstuv' },
    email: 'nobody@example.invalid',
    srpX: hex,
    muk: { alg: 'A256GCM', ext: true, k: 'A'.repeat(43), key_ops: ['encrypt', 'decrypt'], kty: 'oct', kid: 'mp' },
    secretKey: 'A3-ABCDEF-ABCDEF-ABCDE-ABCDE-ABCDE-ABCDE',
    throttleSecret: { seed: hex, uuid: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ' },
    deviceUuid: 'abcdefghijklmnopqrstuvwxyz',
  }
  return `ops_${Buffer.from(JSON.stringify(content)).toString('base64url')}`
}
