import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest'
import { ALLOWED, openWayOut, type OpenWayOut } from '@toolhaven/testing/runtime-suite/way-out'
import { until } from '@toolhaven/testing/testbed/until'
import { compileForwarder } from '../../test/support/forwarder.ts'

const run = promisify(execFile)

let folder: string
let forwarder: string
let out: OpenWayOut
let why = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'thv-every-'))
  forwarder = join(folder, 'forwarder')
  out = await openWayOut()
  try {
    await compileForwarder(forwarder)
    await run(forwarder, ['-N', '--', 'true'])
  } catch (error) {
    why = error instanceof Error ? error.message : String(error)
  }
})
afterAll(async () => {
  await out[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

function needsForwarder(context: TestContext): void {
  if (why !== '' && !/ENOENT|Operation not permitted/.test(why)) throw new Error(why)
  if (why !== '') context.skip(`no forwarder on this machine: ${why}`)
}

const waysTo = ({ way }: OpenWayOut) => [
  ...['-d', `${way.ports.join(',')}=${join(way.folder, way.direct)}`, '-n', join(way.folder, way.names)],
]

/** Prints the outcome of a connection and of a lookup at an address, as JSON. */
const TOOLS = `
import { connect, createServer } from 'node:net'
import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'
const hear = (host, port) => new Promise((done) => {
  let heard = ''
  const socket = connect({ host, port }, () => socket.end())
  socket.on('data', (chunk) => (heard += chunk)).on('end', () => done(heard)).on('error', (error) => done(error.code))
})
const ask = (server, name) => {
  const resolver = new Resolver({ timeout: 3000, tries: 1 })
  resolver.setServers([server])
  return resolver.resolve4(name).catch((error) => error.code)
}
const say = (what) => process.stdout.write(JSON.stringify(what))
`

/** Runs a Node script where every address is the forwarder's, and returns its output. */
async function inside(script: string, options: readonly string[] = waysTo(out)): Promise<unknown> {
  const words = ['-N', ...options, '--', process.execPath, '--input-type=module', '-e', TOOLS + script]
  return JSON.parse((await run(forwarder, words)).stdout)
}

describe('a forwarder to which every address leads', () => {
  it('says where each connection was meant to go, byte for byte and with its end', async (context) => {
    needsForwarder(context)
    out.dialled.length = 0
    const places = [
      [ALLOWED.address, 443],
      ['203.0.113.7', 8443],
      ['127.0.0.1', 443],
      ['2001:db8::7', 443],
      ['::ffff:192.0.2.1', 443],
      ['203.0.113.7', 80],
    ]
    const said = await inside(`const all = []
      for (const [host, port] of ${JSON.stringify(places)}) all.push(await hear(host, port))
      say(all)`)
    expect(said).toEqual([`reached ${ALLOWED.address} 443`, '', '', '', '', 'ECONNREFUSED'])
    expect(out.dialled).toEqual([
      ...[`${ALLOWED.address} 443`, '203.0.113.7 8443', '127.0.0.1 443', '2001:db8::7 443', '192.0.2.1 443'],
    ])
  })

  it('hands on what is said right after the destination', async (context) => {
    needsForwarder(context)
    const socket = join(folder, 'echo')
    const server = createServer({ allowHalfOpen: true }, (client) => void client.pipe(client)).listen(socket)
    await once(server, 'listening')
    const script = `
      const sent = Buffer.alloc(3_000_000, 'abcdefg'), got = []
      const client = connect({ host: '192.0.2.9', port: 443, allowHalfOpen: true }).end(sent)
      client.on('data', (chunk) => got.push(chunk))
      client.on('end', () => say(Buffer.concat(got).equals(Buffer.concat([Buffer.from('192.0.2.9 443\\n'), sent]))))`
    const same = await inside(script, ['-d', `443=${socket}`])
    server.close()
    expect(same).toBe(true)
  })

  it('answers names at every address, from that address', async (context) => {
    needsForwarder(context)
    const servers = ['127.0.0.1', '192.0.2.53', '[2001:db8::53]', '[::1]']
    const said = await inside(
      `say(await Promise.all(${JSON.stringify(servers)}.map((each) => ask(each, 'api.example'))))`,
    )
    expect(said).toEqual(servers.map(() => [ALLOWED.address]))
    expect(await inside(`say([await ask('192.0.2.53', 'other.example')])`)).toEqual(['ENOTFOUND'])
  })

  it('tells a program that asks by UDP to ask again by TCP for what is too long', async (context) => {
    needsForwarder(context)
    const socket = join(folder, 'long')
    // As many addresses as do not fit into any datagram.
    const server = createServer((client) =>
      // The forwarder reads no more of an answer than it passes on.
      client
        .on('error', () => undefined)
        .once('data', (question: Buffer) => {
          const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 198, 18, 0, 1])
          const message = Buffer.concat([question.subarray(2), ...Array.from({ length: 100 }, () => record)])
          message.set([0x81, 0x80, 0, 1, 0, 100, 0, 0, 0, 0], 2)
          const length = Buffer.alloc(2)
          length.writeUInt16BE(message.length)
          client.end(Buffer.concat([length, message]))
        }),
    ).listen(socket)
    await once(server, 'listening')
    // Without an option record, which would be between the question and our records.
    const script = `
      const question = Buffer.from('12340100000100000000000003666f6f0362617200000100 01'.replaceAll(' ', ''), 'hex')
      const byDatagram = await new Promise((done) => {
        const socket = createSocket('udp4').on('message', (answer) => { socket.close(); done(answer) })
        socket.send(question, 53, '192.0.2.53')
      })
      const byTcp = await new Promise((done) => {
        const parts = []
        connect(53, '192.0.2.53', function () { this.write(Buffer.concat([Buffer.from([0, question.length]), question])) })
          .on('data', (part) => parts.push(part)).on('end', () => done(Buffer.concat(parts)))
      })
      say([byDatagram.length, (byDatagram[2] & 2) !== 0, byDatagram.readUInt16BE(6), byTcp.length])`
    const said = await inside(script, ['-n', socket])
    server.close()
    expect(said).toEqual([25, true, 0, 2 + 25 + 1600])
  })

  it('says at once that names cannot be answered while no daemon is there', async (context) => {
    needsForwarder(context)
    expect(await inside(`say(await ask('127.0.0.1', 'api.example'))`, ['-n', join(folder, 'gone')])).toBe('ESERVFAIL')
  })

  it('leaves questions out that are more than it keeps, and goes on with the next', async (context) => {
    needsForwarder(context)
    let open = 0
    let most = 0
    const socket = join(folder, 'slow')
    const server = createServer((client) => {
      most = Math.max(most, (open += 1))
      client.on('error', () => undefined).on('close', () => (open -= 1))
      setTimeout(() => client.destroy(), 300)
    }).listen(socket)
    await once(server, 'listening')
    const script = `
      const socket = createSocket('udp4')
      let answered = 0
      socket.on('message', () => (answered += 1))
      const question = Buffer.from('1234010000010000000000000161000001 0001'.replaceAll(' ', ''), 'hex')
      for (let n = 0; n < 500; n++) await new Promise((done) => socket.send(question, 53, '192.0.2.53', done))
      await new Promise((done) => setTimeout(done, 1500))
      const before = answered
      await new Promise((done) => { socket.once('message', done); socket.send(question, 53, '192.0.2.53') })
      socket.close()
      say([before > 0, before <= 200])`
    const said = await inside(script, ['-n', socket])
    server.close()
    expect(said).toEqual([true, true])
    expect(most).toBeLessThanOrEqual(64)
  })

  it('leaves its ports and questions to nobody else', async (context) => {
    needsForwarder(context)
    const script = `
      const code = (emitter) => new Promise((done) => emitter.on('error', (error) => done(error.code)).on('listening', () => { emitter.close(); done('taken') }))
      const datagrams = (address) => { const socket = createSocket({ type: 'udp4', reuseAddr: true }); socket.bind(53, address); return socket }
      say(await Promise.all([code(createServer().listen(443, '203.0.113.7')), code(createServer().listen(443, '::')), code(datagrams('127.0.0.1')), code(datagrams('192.0.2.53'))]))`
    expect(await inside(script)).toEqual(['EADDRINUSE', 'EADDRINUSE', 'EADDRINUSE', 'EADDRINUSE'])
  })

  it('counts the connections of all ports together', async (context) => {
    needsForwarder(context)
    const socket = join(folder, 'mute')
    let open = 0
    const server = createServer((client) => {
      open += 1
      client
        .resume()
        .on('error', () => undefined)
        .on('close', () => (open -= 1))
    }).listen(socket)
    await once(server, 'listening')
    const script = `
      let closed = 0
      for (let n = 0; n < 12; n++) connect(n % 2 ? 443 : 8443, '192.0.2.1').on('error', () => {}).on('close', () => (closed += 1))
      await new Promise((done) => setTimeout(done, 1000))
      say(closed)
      process.exit()`
    const closed = await inside(script, ['-c', '5', '-d', `443,8443=${socket}`])
    server.close()
    expect(closed).toBe(7)
    await until('all are closed with it', () => open === 0)
  })

  it('keeps ports and routes when its worker dies, and holds no capability', async (context) => {
    needsForwarder(context)
    const child = spawn(
      forwarder,
      [
        '-N',
        ...waysTo(out),
        '--',
        process.execPath,
        '--input-type=module',
        '-e',
        `${TOOLS}
      process.stdin.on('data', async () => say([await hear('${ALLOWED.address}', 443), await ask('127.0.0.1', 'api.example')])).on('end', () => process.exit())
      console.log('ready')`,
      ],
      { stdio: ['pipe', 'pipe', 'inherit'] },
    )
    let said = ''
    child.stdout.on('data', (chunk) => (said += String(chunk)))
    await until('it runs', () => said.includes('ready'))
    const worker = async () => {
      const children = (await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')).trim().split(' ')
      for (const pid of children)
        if ((await readFile(`/proc/${pid}/comm`, 'utf8')) === 'forwarder\n') return Number(pid)
      return undefined
    }
    const first = await until('there is a worker', worker)
    for (const pid of [child.pid, first]) expect(await rightsOf(pid)).toEqual(NO_RIGHTS)
    process.kill(first, 'SIGKILL')
    const second = await until('there is another', async () => {
      const found = await worker().catch(() => undefined)
      return found === first ? undefined : found
    })
    expect(await rightsOf(second)).toEqual(NO_RIGHTS)
    child.stdin.write('go')
    await until('it answers', () => said.includes(']'))
    child.stdin.end()
    await once(child, 'close')
    expect(said).toContain(JSON.stringify([`reached ${ALLOWED.address} 443`, [ALLOWED.address]]))
  })

  it('cannot be led astray by a program that has no rights in its network', async (context) => {
    needsForwarder(context)
    if (process.getuid?.() !== 0) context.skip('only root can become another user')
    const words = ['setpriv', '--bounding-set=-all', '--inh-caps=-all', '--reuid=0', '--no-new-privs', 'ip']
    const tries = [
      ['route', 'del', 'local', 'default', 'dev', 'lo', 'table', 'local'],
      ['route', 'add', '203.0.113.0/24', 'dev', 'lo'],
      ['link', 'set', 'lo', 'down'],
    ]
    for (const each of tries)
      await expect(run(forwarder, ['-N', ...waysTo(out), '--', ...words, ...each])).rejects.toMatchObject({
        stderr: expect.stringContaining('Operation not permitted'),
      })
  })

  it('becomes another user in a container, before it makes anything, and keeps no capability', async (context) => {
    needsForwarder(context)
    if (process.getuid?.() !== 0) context.skip('only root can become another user')
    await chmod(folder, 0o777)
    const ready = join(folder, 'ready')
    const set = 'ip link set lo up && echo 0 >/proc/sys/net/ipv4/ip_unprivileged_port_start && exec "$@"'
    const words = ['-u', '65534:65533', '-r', ready, ...waysTo(out), '-i', `${join(folder, 'in')}=9000`]
    const child = spawn('unshare', ['--net', '--', 'sh', '-c', set, 'sh', forwarder, ...words], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const owner = (name: string) => run('stat', ['-c', '%u:%g', join(folder, name)]).then(({ stdout }) => stdout.trim())
    await until('it listens', () => owner('ready').catch(() => undefined))
    const [worker = ''] = (await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')).trim().split(' ')
    const seen = [await rightsOf(child.pid), await rightsOf(Number(worker)), await owner('ready'), await owner('in')]
    child.kill('SIGKILL')
    await once(child, 'exit')
    const user = { ...NO_RIGHTS, Uid: '65534', Gid: '65533' }
    expect(seen).toEqual([user, user, '65534:65533', '65534:65533'])
  })

  it.for([
    [['-d', '443=/x'], 'go with -N or -u'],
    [['-n', '/x'], 'go with -N or -u'],
    [['-N', '-u', '0:0', '-n', '/x'], 'do not go together'],
    [['-N', '-d', '443'], '-d takes PORT'],
    [['-N', '-d', '443,=/x'], 'a port is a number'],
    [['-N', '-d', '443,x=/x'], 'a port is a number'],
    [['-N', '-u', '0', '-n', '/x'], 'do not go together'],
    // This machine's own network must never be taken over, whoever asks for it.
    [['-u', '0:0', '-n', '/x'], 'a loopback and nothing else'],
  ] as const)('says what is wrong with %j', async ([options, reason], context) => {
    needsForwarder(context)
    await expect(run(forwarder, [...options])).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining(reason),
    })
  })
})

it('says how many ports it can listen on', async (context) => {
  needsForwarder(context)
  const ports = Array.from({ length: 300 }, (_, n) => 1000 + n)
  const attempt = run(forwarder, ['-N', '-d', `${ports.join(',')}=/x`])
  await expect(attempt).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining('there is room for 256') })
})

const NO_RIGHTS = {
  ...{ CapInh: '0000000000000000', CapPrm: '0000000000000000', CapEff: '0000000000000000', CapBnd: '0000000000000000' },
  ...{ CapAmb: '0000000000000000', NoNewPrivs: '1', Uid: String(process.getuid?.()), Gid: String(process.getgid?.()) },
}

async function rightsOf(pid: number | undefined): Promise<Record<string, string>> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  const wanted = [...status.matchAll(/^(Cap\w+|NoNewPrivs|Uid|Gid):\t(\w+)/gm)]
  return Object.fromEntries(wanted.map(([, name, value]) => [name, value]))
}
