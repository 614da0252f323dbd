import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { unavailable } from '@toolhaven/core/errors'
import type { Keyring } from '../secrets/keyring.ts'
import { createLoginStore, loginsDir } from './login-store.ts'

const quiet = () => {}
const logger = { debug: quiet, info: quiet, warn: quiet, error: quiet }

async function makeStateDir(): Promise<string> {
  const stateDir = await mkdtemp(join(tmpdir(), 'thv-logins-'))
  onTestFinished(() => rm(stateDir, { recursive: true, force: true }))
  return stateDir
}

function memoryKeyring(): Keyring & { kept: Map<string, string> } {
  const kept = new Map<string, string>()
  return {
    kept,
    get: async (account) => kept.get(account),
    set: async (account, password) => void kept.set(account, password),
    delete: async (account) => void kept.delete(account),
  }
}

test('a login is found again by the next daemon, without a password and without a keyring', async () => {
  const stateDir = await makeStateDir()
  const env = { THV_SECRETS_PASSWORD: 'of the secret store, not of this' }
  await createLoginStore({ stateDir, env, logger }).set('Far', 'canary')
  const next = createLoginStore({ stateDir, env: {}, logger })
  expect(await next.get('far')).toBe('canary')
  for (const file of await readdir(loginsDir(stateDir))) {
    const path = join(loginsDir(stateDir), file)
    expect(await readFile(path, 'utf8')).not.toContain('canary')
    expect((await stat(path)).mode & 0o777).toBe(0o600)
  }
  await next.delete('FAR')
  expect(await next.get('far')).toBeUndefined()
})

test('the key is in the keyring where there is one', async () => {
  const stateDir = await makeStateDir()
  const keyring = memoryKeyring()
  await createLoginStore({ stateDir, env: {}, logger, keyring }).set('far', 'canary')
  expect(keyring.kept.size).toBe(1)
  expect(await readdir(loginsDir(stateDir))).toEqual(['secrets.enc'])
  expect(await createLoginStore({ stateDir, env: {}, logger, keyring }).get('far')).toBe('canary')
})

test('nothing is made before the first login', async () => {
  const stateDir = await makeStateDir()
  const store = createLoginStore({ stateDir, env: {}, logger })
  expect(await store.get('far')).toBeUndefined()
  await store.delete('far')
  expect(await readdir(stateDir)).toEqual([])
})

test('a keyring that is locked now may be open the next time', async () => {
  const stateDir = await makeStateDir()
  const keyring = memoryKeyring()
  await createLoginStore({ stateDir, env: {}, logger, keyring }).set('far', 'canary')
  let isLocked = true
  const locked = {
    ...keyring,
    get: async (account: string) => {
      if (isLocked) throw unavailable('the keyring is locked')
      return keyring.get(account)
    },
  }
  const store = createLoginStore({ stateDir, env: {}, logger, keyring: locked })
  await expect(store.get('far')).rejects.toThrow('password')
  isLocked = false
  expect(await store.get('far')).toBe('canary')
})
