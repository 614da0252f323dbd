import { join } from 'node:path'
import { existsSync } from 'node:fs'
import { type TestContext, afterAll, beforeAll, expect, test } from 'vitest'
import { type PrivateKeyring, startKeyring } from '@toolhaven/testing/testbed/keyring'
import { Unavailable } from '@toolhaven/testing/testbed/unavailable'
import { startDaemon } from './src/daemon-process.ts'
import { type Home, makeHome } from './src/home.ts'
import { atTerminal } from './src/terminal.ts'
import { type ThvResult, thv } from './src/thv.ts'

let keyring: PrivateKeyring | Unavailable
beforeAll(async () => {
  keyring = await startKeyring().catch((error: unknown) => {
    if (error instanceof Unavailable) return error
    throw error
  })
})
afterAll(async () => {
  if (!(keyring instanceof Unavailable)) await keyring[Symbol.asyncDispose]()
})

const openHome = (context: TestContext): Promise<Home> => {
  if (keyring instanceof Unavailable) return context.skip(keyring.message)
  return makeHome({ env: { THV_RUNTIME: 'process', ...keyring.env } })
}

const FORGOTTEN = { code: 0, stdout: 'the keyring no longer holds the password of the secret store\n' }

test('a random password is kept in the keyring, opens the store after a restart, and is given up by force', async (context) => {
  await using home = await openHome(context)
  const run = (...args: string[]): Promise<ThvResult> => thv(home, args)
  {
    await using _daemon = await startDaemon(home)
    const done = await run('secret', 'setup', '--provider', 'encrypted')
    expect(done).toMatchObject({ code: 0, stderr: expect.stringContaining('keyring') })
    expect(existsSync(join(home.env['XDG_DATA_HOME'] ?? '', 'toolhaven', 'secrets.key'))).toBe(false)
    expect(await thv(home, ['secret', 'set', 'token'], { input: 'a value' })).toMatchObject({ code: 0 })
  }
  {
    await using _daemon = await startDaemon(home)
    expect(await run('secret', 'get', 'token')).toMatchObject({ code: 0, stdout: expect.stringContaining('a value') })
    expect(await thv(home, ['secret', 'reset-keyring'], { input: 'a guess' })).toMatchObject({ code: 2, stdout: '' })
    expect(await run('secret', 'reset-keyring', '--force', '--yes')).toMatchObject(FORGOTTEN)
    expect(await run('secret', 'reset-keyring', '--force', '--yes')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining('nothing to remove'),
    })
  }
  await using _daemon = await startDaemon(home)
  const lost = await run('secret', 'get', 'token')
  expect(lost).toMatchObject({ stdout: '' })
  expect(lost.code).not.toBe(0)
})

test('a password of your own is asked for before the keyring forgets it, and opens the store again', async (context) => {
  await using home = await openHome(context)
  const setup = () => thv(home, ['secret', 'setup', '--provider', 'encrypted'], { input: 'a good password\n' })
  {
    await using _daemon = await startDaemon(home)
    expect(await setup()).toMatchObject({ code: 0 })
    expect(await thv(home, ['secret', 'set', 'token'], { input: 'a value' })).toMatchObject({ code: 0 })
  }
  const asked = await atTerminal(
    home,
    ['secret', 'reset-keyring'],
    [['Password of the secret store', 'a good password\r']],
  )
  expect(asked).toMatchObject({ code: 0, screen: expect.stringContaining('no longer holds the password') })
  await using _daemon = await startDaemon(home)
  expect((await thv(home, ['secret', 'get', 'token'])).code).not.toBe(0)
  expect(await setup()).toMatchObject({ code: 0 })
  expect(await thv(home, ['secret', 'get', 'token'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('a value'),
  })
})
