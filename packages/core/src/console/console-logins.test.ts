import { expect, test } from 'vitest'
import { ManualClock } from '@toolhaven/fakes/manual-clock'
import { MemoryRecordStore } from '@toolhaven/fakes/memory-stores'
import type { StoredConsoleLogin } from '../ports/stores.ts'
import { type Admission, ConsoleLogins } from './console-logins.ts'

const TOKEN = 'let-me-in-please'

/** A disk on which some files cannot be removed. */
class StubbornStore extends MemoryRecordStore<StoredConsoleLogin> {
  readonly stuck = new Set<string>()

  constructor() {
    super(({ name }) => name)
  }

  override async remove(name: string): Promise<void> {
    if (this.stuck.has(name)) throw new Error('read-only file system')
    await super.remove(name)
  }
}

const open = () => {
  const store = new StubbornStore()
  const clock = new ManualClock()
  return { store, clock, logins: new ConsoleLogins({ store, clock, token: TOKEN }) }
}

const isOpen = (logins: ConsoleLogins, { cookie, pageToken }: Admission) => logins.isAdmitted(cookie, pageToken)

test('every login is ended, also where one of them cannot be removed from the disk', async () => {
  const { store, logins } = open()
  const browsers = [await logins.enterWithToken(TOKEN), await logins.enterWithToken(TOKEN)]
  const [first = ''] = store.records.keys()
  store.stuck.add(first)
  await expect(logins.revokeAll()).rejects.toThrow(/^1 of 2 logins .* read-only file system/)
  expect(await Promise.all(browsers.map((browser) => isOpen(logins, browser)))).toEqual([false, false])
  expect([...store.records.keys()]).toEqual([first])
  store.stuck.clear()
  await logins.revokeAll()
  expect(store.records.size).toBe(0)
})

test('a login that cannot be removed from the disk can be removed later', async () => {
  const { store, logins } = open()
  const browser = await logins.enterWithToken(TOKEN)
  const [id = ''] = store.records.keys()
  store.stuck.add(id)
  await expect(logins.revoke(id)).rejects.toThrow('read-only file system')
  expect(await isOpen(logins, browser)).toBe(false)
  store.stuck.clear()
  await logins.revoke(id)
  expect(store.records.size).toBe(0)
  await expect(logins.revoke(id)).rejects.toThrow('no login with this ID')
})

test('expired logins that cannot be removed keep no daemon from starting', async () => {
  const { store, clock, logins } = open()
  const old = [await logins.enterWithToken(TOKEN), await logins.enterWithToken(TOKEN)]
  await clock.advance(30 * 24 * 60 * 60 * 1000)
  const browser = await logins.enterWithToken(TOKEN)
  const [first = ''] = store.records.keys()
  store.stuck.add(first)
  const next = new ConsoleLogins({ store, clock, token: TOKEN })
  await next.load()
  expect(await Promise.all([...old, browser].map((each) => isOpen(next, each)))).toEqual([false, false, true])
  expect(store.records.size).toBe(2)
})

test('a browser that logs in while all are logged out stays out', async () => {
  const { store, logins } = open()
  const saving = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  const save = store.save.bind(store)
  store.save = async (login) => {
    await save(login)
    saving.resolve()
    await goOn.promise
  }
  const entering = logins.enterWithToken(TOKEN)
  await saving.promise
  await logins.revokeAll()
  goOn.resolve()
  await expect(entering).rejects.toThrow('logged out')
  expect(logins.list()).toEqual([])
  expect(store.records.size).toBe(0)
})
