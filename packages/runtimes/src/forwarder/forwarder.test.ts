import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest'
import { until } from '@toolhaven/testing/testbed/until'
import { seccompFilter } from '../process/seccomp.ts'
import { compileForwarder } from '../../test/support/forwarder.ts'

const run = promisify(execFile)

let folder: string
let program: string | undefined
let why = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'thv-fw-'))
  const target = join(folder, 'forwarder')
  try {
    await compileForwarder(target)
    // Some machines allow nobody to create a user namespace.
    await run(target, ['-N', '-e', '127.0.0.1:9=/nowhere', '--', 'true'])
    program = target
  } catch (error) {
    why = error instanceof Error ? error.message : String(error)
  }
})
afterAll(() => rm(folder, { recursive: true }))

/** The forwarder, or the reason why there is none here. */
function built(context: TestContext): string {
  if (program === undefined) {
    const isLackOfLeave = /Operation not permitted/.test(why) && !canMakeNamespaces()
    if (!/ENOENT/.test(why) && !isLackOfLeave) throw new Error(why)
    context.skip(`no forwarder on this machine: ${why}`)
  }
  return program ?? ''
}

/** Tried with another program: if namespaces can be created, a forwarder that fails is itself at fault. */
const canMakeNamespaces = () => spawnSync('unshare', ['--user', '--net', 'true']).status === 0

/** Runs a Node script inside the namespaces, and returns its output and exit code. */
async function inside(forwarder: string, ways: readonly string[], script: string, onReady?: () => Promise<void>) {
  const child = spawn(forwarder, ['-N', ...ways, '--', process.execPath, '--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  child.stdout.on('data', (chunk) => {
    said += String(chunk)
    if (String(chunk).includes('ready')) void onReady?.()
  })
  const [code] = await once(child, 'close')
  return { said, code }
}

/** A forwarder to a workload of this kind, without namespaces. */
async function wayIn(forwarder: string, kind: string, backlog: number) {
  const socket = join(folder, `way-${backlog}.sock`)
  const script = `
    import { createServer } from 'node:net'
    const server = ${kind}.listen({ port: 0, host: '127.0.0.1', backlog: ${backlog} }, () => console.log(server.address().port))`
  const workload = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [port] = await once(workload.stdout, 'data')
  const child = spawn(forwarder, ['-i', `${socket}=${String(port).trim()}`], { stdio: 'ignore' })
  await until('it listens', () => existsSync(socket))
  // It listens before it starts the process that does the work.
  const children = `/proc/${child.pid}/task/${child.pid}/children`
  const worker = await until('it works', async () => (await readFile(children, 'utf8')).trim() || undefined)
  return {
    socket,
    halt: () => workload.kill('SIGSTOP'),
    /** Its own memory, in kilobytes. */
    held: async () => Number(/^RssAnon:\s+(\d+) kB/m.exec(await readFile(`/proc/${worker}/status`, 'utf8'))?.[1]),
    /** Its share of a processor, over a second. */
    share: async () => {
      const before = await processorMs(worker)
      await setTimeout(1_000)
      return ((await processorMs(worker)) - before) / 1_000
    },
    [Symbol.asyncDispose]: async () => {
      for (const each of [child, workload]) {
        each.kill('SIGKILL')
        await once(each, 'exit')
      }
    },
  }
}

async function processorMs(pid: string): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
  return (Number(user) + Number(system)) * 10
}

describe('the forwarder', () => {
  it('leads the way out to its socket, byte for byte and with its ends', async (context) => {
    const forwarder = built(context)
    const socket = join(folder, 'out.sock')
    const server = createServer({ allowHalfOpen: true }, (client) => void client.pipe(client)).listen(socket)
    await once(server, 'listening')
    const script = `
      import { connect } from 'node:net'
      const sent = Buffer.alloc(4_000_000, 'abcdefg'), got = []
      const client = connect({ port: 3128, host: '127.0.0.1', allowHalfOpen: true })
      client.on('data', (chunk) => got.push(chunk)).end(sent)
      client.on('end', () => console.log(Buffer.concat(got).equals(sent)))`
    const { said, code } = await inside(forwarder, ['-e', `127.0.0.1:3128=${socket}`], script)
    server.close()
    expect({ said, code }).toEqual({ said: 'true\n', code: 0 })
  })

  it.for(['127.0.0.1', '::1'])('leads the way in to %s, on a socket for its user alone', async (address, context) => {
    const forwarder = built(context)
    const socket = join(folder, 'in.sock')
    const script = `
      import { createServer } from 'node:net'
      const server = createServer((client) => { client.end('hello'); server.close() })
      setTimeout(() => process.exit(1), 10_000).unref()
      server.listen({ port: 9000, host: '${address}', ipv6Only: true }, () => console.log('ready'))`
    let heard = ''
    let mode = 0
    await inside(forwarder, ['-i', `${socket}=9000`], script, async () => {
      mode = (await stat(socket)).mode & 0o777
      heard = await text(connect(socket))
    })
    expect({ heard, mode }).toEqual({ heard: 'hello', mode: 0o600 })
  })

  it('leaves nothing else: no route out, no port to take, no descriptor, and the exit code of the program', async (context) => {
    const forwarder = built(context)
    const script = `
      import { connect, createServer } from 'node:net'
      import { readdirSync, readlinkSync } from 'node:fs'
      const failure = (emitter) => new Promise((done) => emitter.on('error', (error) => done(error.code)).on('connect', () => done('reached')))
      console.log(await failure(connect({ host: '192.0.2.1', port: 80 })))
      console.log(await failure(createServer().listen(3128, '127.0.0.1')))
      console.log(readdirSync('/proc/self/fd').filter((fd) => { try { return /fw-|socket:.*listen/.test(readlinkSync('/proc/self/fd/' + fd)) } catch { return false } }).length)
      process.exit(7)`
    const { said, code } = await inside(forwarder, ['-e', `127.0.0.1:3128=${join(folder, 'none.sock')}`], script)
    expect({ said, code }).toEqual({ said: 'ENETUNREACH\nEADDRINUSE\n0\n', code: 7 })
  })

  it('says when it listens, and hands on only the descriptors it is told to', async (context) => {
    const forwarder = built(context)
    const ready = join(folder, 'ready')
    const child = spawn(forwarder, ['-r', ready, '-i', `${join(folder, 'r.sock')}=9001`], { stdio: 'ignore' })
    try {
      await until('it listens', () =>
        stat(ready).then(
          () => true,
          () => false,
        ),
      )
      expect((await stat(join(folder, 'r.sock'))).isSocket()).toBe(true)
    } finally {
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    await expect(run(forwarder, ['-k', '9', '--', 'true'])).rejects.toMatchObject({ code: 2 })
  })

  it('rests while what a client said before it went waits for a workload that does not read', async (context) => {
    await using way = await wayIn(built(context), 'createServer({ allowHalfOpen: true, pauseOnConnect: true })', 511)
    const client = connect(way.socket)
    await once(client, 'connect')
    // Until the buffers on all parts of the way are full.
    while (client.write(Buffer.alloc(64 * 1024))) continue
    await setTimeout(500)
    client.destroy()
    expect(await way.share()).toBeLessThan(0.5)
  })

  it('holds nothing of what a workload does not read, however many clients speak to it', async (context) => {
    await using way = await wayIn(built(context), 'createServer({ pauseOnConnect: true }, () => {})', 64)
    const said = Buffer.alloc(64 * 1024)
    let taken = 0
    const speak = (client: Socket) =>
      void client.write(said, (error) => {
        taken += 1
        if (!error) speak(client)
      })
    const clients = Array.from({ length: 40 }, () => connect(way.socket).on('error', () => undefined))
    for (const client of clients) speak(client)
    await until('the buffers on all parts of the way are full', async () => {
      const before = taken
      await setTimeout(300)
      return (before > 0 && before === taken) || undefined
    })
    expect(await way.held()).toBeLessThan(512)
    for (const client of clients) client.destroy()
  })

  it('rests while clients that went wait for a workload that does not accept', async (context) => {
    await using way = await wayIn(built(context), 'createServer()', 1)
    way.halt()
    for (let n = 0; n < 8; n++) {
      const client = connect(way.socket)
      await once(client, 'connect')
      client.destroy()
    }
    expect(await way.share()).toBeLessThan(0.5)
  })

  it('puts a filter in force before it becomes the program', async (context) => {
    const forwarder = built(context)
    const filter = seccompFilter(process.arch)
    if (filter === undefined) return context.skip('no forwarder on this machine: there is no filter for its processor')
    await writeFile(join(folder, 'filter'), filter)
    const args = ['-s', join(folder, 'filter'), '--', 'grep', '-E', '^(Seccomp|NoNewPrivs):', '/proc/self/status']
    expect((await run(forwarder, args)).stdout).toBe('NoNewPrivs:\t1\nSeccomp:\t2\n')
    await writeFile(join(folder, 'broken'), 'not a filter at all')
    await expect(run(forwarder, ['-s', join(folder, 'broken'), '--', 'true'])).rejects.toMatchObject({ code: 2 })
    await expect(run(forwarder, ['-s', join(folder, 'gone'), '--', 'true'])).rejects.toMatchObject({ code: 1 })
  })

  it('becomes the program only if what is mounted is what was checked', async (context) => {
    const forwarder = built(context)
    const { dev, ino } = await stat('/proc', { bigint: true })
    const right = ['-m', `${dev}:${ino}=/proc`]
    expect((await run(forwarder, [...right, '--', 'echo', 'a'])).stdout).toBe('a\n')
    const below = await stat('/proc/self/', { bigint: true })
    for (const wrong of [
      `${dev}:${ino + 1n}=/proc`,
      `${dev + 1n}:${ino}=/proc`,
      // The right folder, but nothing is mounted there.
      `${below.dev}:${below.ino}=/proc/self/`,
    ])
      await expect(run(forwarder, [...right, '-m', wrong, '--', 'echo', 'a'])).rejects.toMatchObject({
        code: 126,
        stdout: '',
        stderr: expect.stringContaining('is not what was checked'),
      })
    await expect(run(forwarder, ['-m', `${dev}:${ino}=/gone`, '--', 'true'])).rejects.toMatchObject({ code: 1 })
    // The links lead to the right place, but not after `//`.
    await mkdir(join(folder, 'inner'))
    await symlink('/proc', join(folder, 'inner', 'link'))
    const through = (path: string) => run(forwarder, ['-m', `${dev}:${ino}=${folder}/${path}`, '--', 'echo', 'a'])
    expect((await through('inner/link')).stdout).toBe('a\n')
    await expect(through('/inner/link')).rejects.toMatchObject({ code: 1 })
    expect((await run(forwarder, ['-m', `${dev}:${ino}=//proc`, '--', 'echo', 'a'])).stdout).toBe('a\n')
    await expect(run(forwarder, right)).rejects.toMatchObject({ code: 2 })
  })

  it.for([
    ['-m', 'nonsense'],
    ['-m', '1:2=relative'],
    ['-e', 'nonsense'],
    ['-e', '127.0.0.1:0=/x'],
    ['-e', '127.0.0.1:70000=/x'],
    ['-e', 'localhost:80=/x'],
    ['-e', `127.0.0.1:81=/${'x'.repeat(120)}`],
    ['-i', '/x'],
    ['-c', '0'],
  ])('says what is wrong with %s %s', async ([flag = '', value = ''], context) => {
    await expect(run(built(context), [flag, value])).rejects.toMatchObject({ code: 2 })
  })
})
