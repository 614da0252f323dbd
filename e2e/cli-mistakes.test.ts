import { createServer } from 'node:http'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '@toolhaven/testing/free-port'
import { type CliWorld, openCliWorld } from './src/cli-world.ts'
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

  test('says what a target that is no MCP server answered', async () => {
    await using missing = await startSite(404, 'text/plain', 'nothing here')
    await using page = await startSite(200, 'text/html', '<p>Hello</p>')
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
