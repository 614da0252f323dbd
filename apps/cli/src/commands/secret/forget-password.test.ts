import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createSecretsProviders } from '@toolhaven/stores/secrets/providers'
import { forgetPassword } from './forget-password.ts'

const logger = { debug() {}, info() {}, warn() {}, error() {} }

async function storeIn(password: string | undefined) {
  const dataDir = await mkdtemp(join(tmpdir(), 'thv-keyring-'))
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
  const kept = new Map<string, string>()
  const keyring = {
    get: async (account: string) => kept.get(account),
    set: async (account: string, value: string) => void kept.set(account, value),
    delete: async (account: string) => void kept.delete(account),
  }
  const providers = () => createSecretsProviders({ dataDir, env: {}, logger, keyring, cost: 2 ** 10 })
  const { provider } = await providers().setUp('encrypted', password)
  await provider.set('token', 'value')
  return { kept, places: { keyring, dataDir }, reopen: (given?: string) => providers().setUp('encrypted', given) }
}

test('who knows the password may make the keyring forget it, and opens the store with it again', async () => {
  const { kept, places, reopen } = await storeIn('my own')
  expect(await forgetPassword(places, { password: async () => 'my own' })).toBe(true)
  expect(kept.size).toBe(0)
  await expect(reopen()).rejects.toMatchObject({ code: 'invalid' })
  const { provider } = await reopen('my own')
  expect(await provider.get('token')).toBe('value')
  expect(kept.size).toBe(1)
})

test('a wrong password, or no consent to lose the secrets, changes nothing', async () => {
  const { kept, places, reopen } = await storeIn(undefined)
  const before = new Map(kept)
  await expect(forgetPassword(places, { password: async () => 'guess' })).rejects.toMatchObject({ code: 'invalid' })
  await expect(forgetPassword(places, { mayLose: async () => false })).rejects.toMatchObject({ code: 'conflict' })
  expect(kept).toEqual(before)
  expect(await (await reopen()).provider.get('token')).toBe('value')
})

test('consent to lose them is enough, and the sealed file stays', async () => {
  const { kept, places } = await storeIn(undefined)
  const file = join(places.dataDir, 'secrets.enc')
  const sealed = await readFile(file, 'utf8')
  expect(await forgetPassword(places, { mayLose: async () => true })).toBe(true)
  expect(kept.size).toBe(0)
  expect(await readFile(file, 'utf8')).toBe(sealed)
  expect(await forgetPassword(places, { mayLose: async () => true })).toBe(false)
})

test('without a store there is nothing to forget', async () => {
  const { places } = await storeIn(undefined)
  await rm(join(places.dataDir, 'secrets.enc'))
  await expect(forgetPassword(places, { mayLose: async () => true })).rejects.toMatchObject({ code: 'not-found' })
})
