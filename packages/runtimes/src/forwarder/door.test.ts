import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest'
import { freePort } from '@toolhaven/testing/free-port'
import { until } from '@toolhaven/testing/testbed/until'
import { DoorLink, isReadyBehind } from '../engine/door-link.ts'
import type { Door } from '../engine/door.ts'
import { compileForwarder } from '../../test/support/forwarder.ts'

const run = promisify(execFile)
const TOKEN = '0123456789abcdef'.repeat(4)

let folder: string
let door: Door
let program: ChildProcess | undefined
let why = ''
const servers: Server[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'thv-door-'))
  const target = join(folder, 'forwarder')
  try {
    await compileForwarder(target)
  } catch (error) {
    why = error instanceof Error ? error.message : String(error)
    return
  }
  const port = await freePort()
  const ways = ['-o', join(folder, 'p'), '-o', join(folder, '0'), '-w', join(folder, 'h')]
  program = spawn(target, ['-g', String(port), '-r', join(folder, 'r'), ...ways], { env: { TOKEN }, stdio: 'ignore' })
  await says('inside', 'h')
  await says('the proxy', 'gate-p')
  await says('a place', 'gate-0')
  const outward = ['gate-p', 'gate-0'].map((name) => join(folder, name))
  door = { port, token: TOKEN, outward, hasWayIn: true }
})
afterAll(async () => {
  for (const server of servers) server.close()
  if (program?.kill('SIGKILL')) await once(program, 'exit')
  await rm(folder, { recursive: true })
})

function needsCompiler(context: TestContext): void {
  if (why !== '' && !why.includes('ENOENT')) throw new Error(why)
  if (why !== '') context.skip(`no forwarder on this machine: ${why}`)
}

/** Answers with words and with what it was told. */
async function says(words: string, name: string): Promise<void> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    void text(socket).then((told) => socket.end(`${words}: ${told}`))
  })
  servers.push(server.listen(join(folder, name)))
  await once(server, 'listening')
}

async function ask(path: string, words: string): Promise<string> {
  const socket = connect({ path, allowHalfOpen: true })
  socket.on('error', () => undefined).end(words)
  return text(socket).catch(() => '')
}

describe('the door to sockets on another machine', () => {
  it('says when the forwarder behind it is ready', async (context) => {
    needsCompiler(context)
    await until('it listens', () => knock(`${TOKEN}r`).then((answer) => answer === 'n'))
    expect(await isReadyBehind(door)).toBe(false)
    await writeFile(join(folder, 'r'), '')
    expect(await isReadyBehind(door)).toBe(true)
  })

  it('leads in and out with the ends of both directions, each socket to its own', async (context) => {
    needsCompiler(context)
    await using link = new DoorLink(door)
    const inward = join(folder, 'own')
    await link.open(inward)
    expect((await stat(inward)).mode & 0o777).toBe(0o600)
    expect(await ask(inward, 'hello')).toBe('inside: hello')
    const many = Array.from({ length: 40 }, (_, index) => ask(join(folder, index % 2 === 0 ? 'p' : '0'), `${index}`))
    expect(await Promise.all(many)).toEqual(
      many.map((_, index) => `${index % 2 === 0 ? 'the proxy' : 'a place'}: ${index}`),
    )
    const big = 'x'.repeat(3_000_000)
    expect(await ask(join(folder, 'p'), big)).toBe(`the proxy: ${big}`)
  })

  it('lets nothing out while no daemon is there to decide', async (context) => {
    needsCompiler(context)
    expect(await ask(join(folder, 'p'), 'anybody?')).toBe('')
  })

  it('is closed to whoever has no token, or another, and to letters it does not know', async (context) => {
    needsCompiler(context)
    const others = [`${TOKEN.slice(1)}0r`, 'GET / HTTP/1.1\r\n'.padEnd(65), `${TOKEN}x`, 'short']
    expect(await Promise.all(others.map(knock))).toEqual(['', '', '', ''])
    expect(await knock(`${TOKEN}r`)).toBe('y')
  })

  it('does not start without a token', async (context) => {
    needsCompiler(context)
    const start = (env: Record<string, string>) => run(join(folder, 'forwarder'), ['-g', '1', '-r', '/r'], { env })
    await expect(start({})).rejects.toMatchObject({ code: 2 })
    await expect(start({ TOKEN: 'short' })).rejects.toMatchObject({ code: 2 })
  })
})

/** Ends its own side: only a greeting keeps it waiting. */
async function knock(words: string): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port: door.port, allowHalfOpen: true })
  socket.on('error', () => undefined).end(words)
  return text(socket).catch(() => '')
}
