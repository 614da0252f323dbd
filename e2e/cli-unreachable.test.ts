import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '@toolhaven/testing/free-port'
import { type CliWorld, openCliWorld } from './src/cli-world.ts'
import { startDaemon } from './src/daemon-process.ts'
import { makeHome } from './src/home.ts'
import { startThv } from './src/running-thv.ts'
import { thv as runThv } from './src/thv.ts'

let world: CliWorld

beforeAll(async () => {
  world = await openCliWorld()
})
afterAll(() => world[Symbol.asyncDispose]())
afterEach(() => world.removeAll())

const thv = (...args: string[]) => runThv(world.home, args)

/** Answers every request in the same way. */
async function startSite(status: number, type: string, body: string) {
  const server = createServer(
    (_request, response) => void response.writeHead(status, { 'content-type': type }).end(body),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${Object(server.address()).port}/here`,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  }
}

describe('a proxy', () => {
  test('says that nobody listens at its target, and works once somebody does', async () => {
    await thv('run', 'time')
    const { port, url } = await world.daemon.api.call('getWorkload', { params: { name: 'time' } })
    await thv('stop', 'time')
    await using running = startThv(world.home, ['proxy', 'notes', '--target-uri', url])
    await running.says(new RegExp(`ECONNREFUSED.*${port}.*Check --target-uri`))
    await thv('restart', 'time')
    await running.says(/^notes listens at/m)
  })

  test('says what an address that is not an MCP server answered', async () => {
    await using missing = await startSite(404, 'text/plain', 'nothing here')
    await using page = await startSite(200, 'text/html', '<p>Hello</p>')
    const listed = await thv('mcp', 'list', 'tools', '--server', missing.url)
    expect(listed.stderr).toMatch(/: it answered 404\nCheck the path of http:.*ends in \/mcp/)
    const first = await thv('proxy', 'notes', '--target-uri', missing.url)
    expect(first).toMatchObject({ code: 4, stdout: '', stderr: expect.stringMatching(/status 404.*MCP endpoint/) })
    const second = await thv('proxy', 'notes', '--target-uri', page.url)
    expect(second).toMatchObject({ code: 4, stdout: '', stderr: expect.stringMatching(/a web page.*MCP endpoint/) })
  })
})

test('a remote server that is none, or is not there, is told without a long wait', async () => {
  await using page = await startSite(200, 'text/html', '<p>Hello</p>')
  const first = await thv('run', page.url, '--name', 'page')
  expect(first).toMatchObject({ code: 1, stderr: expect.stringMatching(/a web page.*MCP endpoint/) })
  const second = await thv('run', `http://127.0.0.1:${await freePort()}/mcp`, '--name', 'gone')
  expect(second).toMatchObject({ code: 1, stderr: expect.stringMatching(/ECONNREFUSED/) })
})

test.each([
  ['nobody listens at the index', async () => `http://127.0.0.1:${await freePort()}/`, 'npx://everything'],
  ['the name of the index leads nowhere', async () => 'http://index.invalid/', 'npx://everything@1.0.0'],
])('without a network a package fails without a long wait, and the reason is told: %s', async (_what, index, image) => {
  // With pauses this long between its tries, npm would not end before the command stops waiting.
  const slow = { npm_config_fetch_retry_mintimeout: '600000', npm_config_fetch_retry_maxtimeout: '600000' }
  await using home = await makeHome({ env: { THV_RUNTIME: 'process', npm_config_registry: await index(), ...slow } })
  await using _daemon = await startDaemon(home)
  const { code, stdout, stderr } = await runThv(home, ['run', image])
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/npm registry could not be reached for everything.*Check the network/)
  expect((await runThv(home, ['list', '--all'])).stdout).not.toContain('everything')
})

test('a daemon in the background is stopped by a command, and the next command starts it again', async () => {
  await using home = await world.makeHome()
  const at = (...args: string[]) => runThv(home, args, { env: { THV_PORT: '0' } })
  const nothing = await at('serve', '--stop')
  expect(nothing).toMatchObject({ code: 0, stderr: expect.stringContaining('no daemon runs') })
  expect((await at('list')).stderr).toContain('in the background')
  expect(await at('serve', '--stop')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/is stopped \(process \d+\)/),
  })
  expect(await at('serve', '--stop')).toMatchObject({ code: 0, stderr: nothing.stderr })
  expect(await at('serve', '--stop', '--install')).toMatchObject({ code: 2, stderr: expect.stringContaining('--stop') })
  expect(await at('serve', 'stop')).toMatchObject({ code: 2, stderr: expect.stringContaining('"thv serve --stop"') })
})

test('who stops the daemon of "npm start" hears that the documentation ended with it', async () => {
  await using home = await world.makeHome()
  const ofScript = { THV_PORT: '0', npm_lifecycle_event: 'start', npm_package_name: 'toolhaven' }
  await runThv(home, ['list'], { env: ofScript })
  const { code, stderr } = await runThv(home, ['serve', '--stop'], { env: { THV_PORT: '0' } })
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringMatching(/documentation site ended too/) })
})

test('a daemon that Ctrl-Z suspended is told at once, and can be stopped', async () => {
  await using home = await world.makeHome()
  const at = (...args: string[]) => runThv(home, args, { env: { THV_PORT: '0' } })
  await at('list')
  const { pid } = JSON.parse(await readFile(join(home.stateDir, 'lock'), 'utf8'))
  process.kill(pid, 'SIGSTOP')
  await expect.poll(async () => readFile(`/proc/${pid}/stat`, 'utf8')).toMatch(/\) T /)
  const refused = await at('list')
  expect(refused).toMatchObject({ code: 4, stderr: expect.stringMatching(`suspended[^]*"kill -CONT ${pid}"`) })
  expect(await at('serve', '--stop')).toMatchObject({ code: 0, stdout: `the daemon is stopped (process ${pid})\n` })
})
