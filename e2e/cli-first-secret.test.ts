import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openCliWorld } from './src/cli-world.ts'
import { atTerminal } from './src/terminal.ts'
import { thv } from './src/thv.ts'

const SET_UP = /^The encrypted secret store is set up\. The password is .+$/m
const QUESTION = 'No secret store is set up yet. Set up an encrypted one'

test('adopting a server with a key sets the store up on the way, and says where the password is', async () => {
  await using world = await openCliWorld()
  const folder = join(world.home.env['HOME'] ?? '', '.cursor')
  const servers = {
    kept: { command: 'npx', args: [world.fixture.replace('npx://', '')], env: { API_KEY: 'canary-1' } },
  }
  await mkdir(folder)
  await writeFile(join(folder, 'mcp.json'), JSON.stringify({ mcpServers: servers }))
  const refused = await atTerminal(
    world.home,
    ['adopt', 'kept'],
    [
      ['Move kept into isolation', 'y\r'],
      [QUESTION, 'n\r'],
    ],
  )
  expect(refused).toMatchObject({ code: 1, screen: expect.stringContaining('"thv secret setup" offers other stores') })
  expect(await thv(world.home, ['secret', 'list'])).toMatchObject({ code: 3 })

  const adopted = await thv(world.home, ['adopt', 'kept', '--yes'])
  expect(adopted).toMatchObject({ code: 0, stderr: expect.stringMatching(SET_UP) })
  expect(adopted.stdout).toContain('kept is adopted: Cursor now uses')
  expect((await thv(world.home, ['secret', 'get', 'kept-API_KEY'])).stdout).toBe('canary-1\n')
})

test('the first secret sets the store up; a terminal is asked', async () => {
  await using world = await openCliWorld()
  const asked = await atTerminal(
    world.home,
    ['secret', 'set', 'token'],
    [
      [QUESTION, 'y\r'],
      ['Value of token', 'canary-2\r'],
    ],
  )
  expect(asked).toMatchObject({ code: 0, screen: expect.stringContaining('secret token is stored') })
  expect(asked.screen).toContain('The encrypted secret store is set up. The password is')
  expect((await thv(world.home, ['secret', 'get', 'token'])).stdout).toBe('canary-2\n')
})

test('a piped value and the header of a remote server set the store up too', async () => {
  await using piped = await openCliWorld()
  const set = await thv(piped.home, ['secret', 'set', 'token'], { input: 'canary-3' })
  expect(set).toMatchObject({ code: 0, stdout: 'secret token is stored\n', stderr: expect.stringMatching(SET_UP) })
  await using remote = await openCliWorld()
  await thv(remote.home, ['run', remote.fixture, '--name', 'origin'])
  const { url } = await remote.daemon.api.call('getWorkload', { params: { name: 'origin' } })
  const header = ['--name', 'far', '--header', 'Authorization=Bearer canary-4']
  const run = await thv(remote.home, ['run', url, ...header])
  expect(run.stderr).toMatch(SET_UP)
  expect(run).toMatchObject({ code: 0 })
  // A secret that is named and missing is no reason to set anything up.
  await using bare = await openCliWorld()
  expect(await thv(bare.home, ['secret', 'list'])).toMatchObject({ code: 3 })
})
