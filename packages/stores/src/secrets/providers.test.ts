import { mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { unavailable } from '@toolhaven/core/errors'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createOsKeyring, type Keyring } from './keyring.ts'
import { createSecretsProviders } from './providers.ts'

const logger = { debug() {}, info() {}, warn() {}, error() {} }

function memoryKeyring() {
  const kept = new Map<string, string>()
  const keyring: Keyring = {
    get: async (account) => kept.get(account),
    set: async (account, password) => void kept.set(account, password),
    delete: async (account) => void kept.delete(account),
  }
  return { kept, keyring }
}

const noKeyring: Keyring = {
  async get() {
    throw unavailable('there is no keyring')
  },
  async set() {
    throw unavailable('there is no keyring')
  },
  async delete() {
    throw unavailable('there is no keyring')
  },
}

async function setUp(keyring: Keyring = noKeyring) {
  const dataDir = await mkdtemp(join(tmpdir(), 'thv-providers-'))
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
  /** What a daemon has after a start. */
  const start = (env: Record<string, string> = {}) =>
    createSecretsProviders({ dataDir, env, logger, keyring, cost: 2 ** 10 })
  return { dataDir, start }
}

describe('setting up encrypted secrets', () => {
  it('makes a random key file where there is no keyring, says so, and finds it again', async () => {
    const { dataDir, start } = await setUp()
    const { provider, message } = await start().setUp('encrypted', undefined)
    expect(message).toMatch(/secrets\.key/)
    await provider.set('a', 'b')
    expect((await stat(join(dataDir, 'secrets.key'))).mode & 0o777).toBe(0o600)
    expect(await (await start().open('encrypted')).get('a')).toBe('b')
    expect((await start().setUp('encrypted', undefined)).message).toMatch(/secrets\.key/)
    await expect(start().setUp('encrypted', 'guess')).rejects.toMatchObject({
      code: 'invalid',
      message: /wrong password/,
    })
    expect(await (await start().open('encrypted')).get('a')).toBe('b')
  })

  it('keeps a random password in the keyring where there is one, and no key file', async () => {
    const { kept, keyring } = memoryKeyring()
    const { dataDir, start } = await setUp(keyring)
    const { provider, message } = await start().setUp('encrypted', '')
    expect(message).toMatch(/kept in the keyring/)
    await provider.set('a', 'b')
    expect(kept.size).toBe(1)
    expect(await readdir(dataDir)).toEqual(['secrets.enc'])
    expect(await (await start().open('encrypted')).get('a')).toBe('b')
  })

  it('prefers the variable to the keyring, writes it nowhere, and names it when it is wrong', async () => {
    const { kept, keyring } = memoryKeyring()
    const { dataDir, start } = await setUp(keyring)
    const { message } = await start({ THV_SECRETS_PASSWORD: 'canary-pw' }).setUp('encrypted', undefined)
    expect(message).toMatch(/THV_SECRETS_PASSWORD/)
    expect(kept.size).toBe(0)
    expect(await readFile(join(dataDir, 'secrets.enc'), 'utf8')).not.toContain('canary-pw')
    expect(await start({ THV_SECRETS_PASSWORD: 'canary-pw' }).open('encrypted')).toBeDefined()
    const failure = await start({ THV_SECRETS_PASSWORD: 'other-pw' })
      .open('encrypted')
      .catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'invalid', message: /THV_SECRETS_PASSWORD is not the password/ })
    expect(String(failure)).not.toContain('other-pw')
    await expect(start().open('encrypted')).rejects.toMatchObject({ message: /not known here/ })
  })

  it('remembers a given password in the keyring once it proved right, never a wrong one', async () => {
    const { kept, keyring } = memoryKeyring()
    const { start } = await setUp(keyring)
    await start({ THV_SECRETS_PASSWORD: 'pw' }).setUp('encrypted', undefined)
    await expect(start().setUp('encrypted', 'typo')).rejects.toMatchObject({ code: 'invalid' })
    expect(kept.size).toBe(0)
    expect((await start().setUp('encrypted', 'pw')).message).toMatch(/kept in the keyring/)
    expect(await start().open('encrypted')).toBeDefined()
  })

  it('keeps a given password in memory only where there is no keyring, and says what the next start needs', async () => {
    const { dataDir, start } = await setUp()
    const providers = start()
    const { message } = await providers.setUp('encrypted', 'canary-pw')
    expect(message).toMatch(/memory only: set THV_SECRETS_PASSWORD/)
    expect(await providers.open('encrypted')).toBeDefined()
    expect(await readdir(dataDir)).toEqual(['secrets.enc'])
    await expect(start().open('encrypted')).rejects.toMatchObject({ code: 'invalid', message: /not known here/ })
  })

  it('gives one and the same store however often it is set up, so that no change is lost', async () => {
    const { start } = await setUp()
    const providers = start()
    const all = await Promise.all([1, 2, 3].map(() => providers.setUp('encrypted', undefined)))
    await all[0]?.provider.set('a', '1')
    await all[1]?.provider.set('b', '2')
    expect(await (await start().open('encrypted')).list()).toEqual([{ key: 'a' }, { key: 'b' }])
  })

  it('gives the open store again when no password is said, with the same words, and still refuses a wrong one', async () => {
    const { start } = await setUp()
    const providers = start()
    const first = await providers.setUp('encrypted', 'chosen')
    await providers.setUp('none', undefined)
    expect(await providers.setUp('encrypted', undefined)).toEqual(first)
    await expect(providers.setUp('encrypted', 'wrong')).rejects.toMatchObject({
      code: 'invalid',
      message: /wrong password/,
    })
    expect((await providers.setUp('encrypted', 'chosen')).provider).toBe(first.provider)
  })

  it('leaves a damaged store untouched', async () => {
    const { dataDir, start } = await setUp()
    await start().setUp('encrypted', undefined)
    await writeFile(join(dataDir, 'secrets.enc'), '{"half')
    for (const password of [undefined, 'x']) {
      await expect(start().setUp('encrypted', password)).rejects.toMatchObject({ code: 'invalid', message: /damaged/ })
    }
    expect(await readFile(join(dataDir, 'secrets.enc'), 'utf8')).toBe('{"half')
  })

  it('says that the store is gone when its file is missing at a start', async () => {
    const { start } = await setUp()
    await expect(start().open('encrypted')).rejects.toMatchObject({ code: 'unavailable', message: /no file/ })
  })
})

describe('changing the password', () => {
  it('works without the old one where a random key is kept, and retires the key file', async () => {
    const { dataDir, start } = await setUp()
    const providers = start()
    const { provider } = await providers.setUp('encrypted', undefined)
    await provider.set('a', 'b')
    await providers.changePassword(undefined, 'chosen')
    expect(await readdir(dataDir)).toEqual(['secrets.enc'])
    await provider.set('c', 'd')
    expect(await (await start({ THV_SECRETS_PASSWORD: 'chosen' }).open('encrypted')).list()).toHaveLength(2)
  })

  it('puts the new one in the keyring, and refuses a wrong old one', async () => {
    const { keyring } = memoryKeyring()
    const { start } = await setUp(keyring)
    await start().setUp('encrypted', 'first')
    await expect(start().changePassword('wrong', 'x')).rejects.toMatchObject({ code: 'invalid' })
    await start().changePassword('first', 'second')
    expect(await start().open('encrypted')).toBeDefined()
    await expect(start().setUp('encrypted', 'first')).rejects.toMatchObject({ code: 'invalid' })
  })
})

describe('no secrets', () => {
  it('finds nothing and refuses everything else', async () => {
    const { start } = await setUp()
    const { provider } = await start().setUp('none', undefined)
    expect(Object.values(provider.capabilities)).toEqual([false, false, false, false, false])
    expect(await provider.get('a')).toBeUndefined()
    await expect(provider.set('a', 'b')).rejects.toMatchObject({ code: 'unsupported' })
    await expect(provider.delete('a')).rejects.toMatchObject({ code: 'unsupported' })
    await expect(provider.list()).rejects.toMatchObject({ code: 'unsupported' })
  })
})

describe('the keyring of the system', () => {
  it('is absent at once without a desktop session', async () => {
    const keyring = createOsKeyring({ env: { PATH: '/bin' }, platform: 'linux' })
    await expect(keyring.get('x')).rejects.toMatchObject({ code: 'unavailable', message: /no desktop session bus/ })
    await expect(keyring.set('x', 'pw')).rejects.toMatchObject({ code: 'unavailable' })
  })

  it('is absent, not waited for, when the session bus is dead or never answers', async ({ skip }) => {
    skip(process.platform !== 'linux', 'only Linux has a session bus')
    const dir = await mkdtemp(join(tmpdir(), 'thv-bus-'))
    onTestFinished(() => rm(dir, { recursive: true, force: true }))
    const dead = createOsKeyring({ env: { DBUS_SESSION_BUS_ADDRESS: `unix:path=${join(dir, 'none')}` } })
    await expect(dead.get('x')).rejects.toMatchObject({ code: 'unavailable', message: /cannot be used/ })
    const silent = createServer().listen(join(dir, 'bus'))
    onTestFinished(() => void silent.close())
    await once(silent, 'listening')
    const hanging = createOsKeyring({ env: { XDG_RUNTIME_DIR: dir }, timeoutMs: 1500 })
    await expect(hanging.set('x', 'canary-pw')).rejects.toMatchObject({
      code: 'unavailable',
      message: /did not answer/,
    })
  })
})
