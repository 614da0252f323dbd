import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type Socket, connect, createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type TestContext, describe, expect, test } from 'vitest'
import { createPeerCheck } from './peer-user.ts'

const OWN_ID = process.getuid?.() ?? 0
const OTHER_ID = 65_534
const IS_LINUX = process.platform === 'linux'

/** A listener that, like an HTTP server, answers callers that have closed their end. Hands out the first with a byte. */
async function openPort(host: string) {
  const callers: Socket[] = []
  const arrived = Promise.withResolvers<Socket>()
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    callers.push(socket)
    socket.on('error', () => undefined).once('data', () => arrived.resolve(socket))
  })
  server.listen(0, host)
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP listener has a port')
  return {
    port: address.port,
    caller: arrived.promise,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      for (const socket of callers) socket.destroy()
      await closed
    },
  }
}

/** Connects and sends a byte; `next` is what it does next. */
const CALLER = (next: string) => `import { connect } from 'node:net'
  const [host, port] = process.argv.slice(1)
  const socket = connect({ host, port }, () => socket.write('x', () => ${next}))`

/** Another process, of another user when `uid` says so. */
function startCaller(host: string, port: number, { uid = OWN_ID, next = 'undefined' } = {}) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', CALLER(next), host, String(port)], {
    ...(uid === OWN_ID ? {} : { uid, gid: uid }),
    cwd: '/',
    env: {},
    stdio: 'ignore',
  })
  return { ended: () => endOf(child), [Symbol.asyncDispose]: () => (child.kill('SIGKILL'), endOf(child)) }
}

async function endOf(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}

function needRoot(context: TestContext): void {
  if (OWN_ID !== 0) context.skip('becoming another user needs root')
}

describe.runIf(IS_LINUX)('on Linux', () => {
  const allowPeer = createPeerCheck('linux', OWN_ID)

  test.for([
    { listens: '127.0.0.1', called: '127.0.0.1' },
    { listens: '0.0.0.0', called: '127.0.0.7' },
    { listens: '::1', called: '::1' },
    { listens: '::', called: '127.0.0.1' },
    { listens: '::', called: '::ffff:127.0.0.1' },
    { listens: '127.0.0.1', called: '::ffff:127.0.0.1' },
  ])(
    'our own user gets in at $called of a port on $listens, another does not',
    async ({ listens, called }, context) => {
      await using own = await openPort(listens)
      await using _ours = startCaller(called, own.port)
      expect(allowPeer(await own.caller)).toBe(true)
      needRoot(context)
      await using others = await openPort(listens)
      await using _theirs = startCaller(called, others.port, { uid: OTHER_ID })
      expect(allowPeer(await others.caller)).toBe(false)
    },
  )

  test.for([
    { what: 'closed its end', next: 'socket.destroy()' },
    { what: 'reset the connection', next: 'socket.resetAndDestroy()' },
    { what: 'ended as a process', next: 'process.exit()' },
  ])('a caller of any user that has $what is refused', async ({ next }, context) => {
    await using own = await openPort('127.0.0.1')
    await using ours = startCaller('127.0.0.1', own.port, { next })
    const caller = await own.caller
    await ours.ended()
    expect(allowPeer(caller)).toBe(false)
    needRoot(context)
    await using others = await openPort('127.0.0.1')
    await using theirs = startCaller('127.0.0.1', others.port, { next, uid: OTHER_ID })
    const other = await others.caller
    await theirs.ended()
    expect(allowPeer(other)).toBe(false)
  })

  test('a caller that will send nothing more is refused', async () => {
    await using port = await openPort('127.0.0.1')
    const client = connect({ host: '127.0.0.1', port: port.port, allowHalfOpen: true }, () => client.end('x'))
    const [caller] = await Promise.all([port.caller, once(client, 'finish')])
    expect(allowPeer(caller)).toBe(false)
    client.destroy()
  })

  test('root is a user like any other', async (context) => {
    needRoot(context)
    await using port = await openPort('127.0.0.1')
    await using _root = startCaller('127.0.0.1', port.port)
    expect(createPeerCheck('linux', OTHER_ID)(await port.caller)).toBe(false)
    await using others = await openPort('127.0.0.1')
    await using _other = startCaller('127.0.0.1', others.port, { uid: OTHER_ID })
    expect(createPeerCheck('linux', OTHER_ID)(await others.caller)).toBe(true)
  })

  test('the verdict on a connection stays while it is open', async () => {
    await using port = await openPort('127.0.0.1')
    await using ours = startCaller('127.0.0.1', port.port)
    const caller = await port.caller
    expect(allowPeer(caller)).toBe(true)
    await ours[Symbol.asyncDispose]()
    expect(allowPeer(caller)).toBe(true)
    expect(createPeerCheck('linux', OWN_ID)(caller)).toBe(false)
  })

  test('the address a caller comes from changes nothing', async (context) => {
    const verdictsOn = async (uid: number) => {
      const program = fileURLToPath(new URL('../../test/support/own-addresses.ts', import.meta.url))
      const asRoot = OWN_ID === 0 ? [] : ['--map-root-user']
      const command = ['--net', ...asRoot, process.execPath, program, String(uid)]
      const { stdout } = await promisify(execFile)('unshare', command)
      return JSON.parse(stdout)
    }
    await promisify(execFile)('unshare', ['--net', ...(OWN_ID === 0 ? [] : ['--map-root-user']), 'true']).catch(() =>
      context.skip('network namespaces cannot be made here'),
    )
    // In a user namespace of its own an ordinary user is root.
    expect(await verdictsOn(0)).toEqual([true, true, true, true, true])
    needRoot(context)
    expect(await verdictsOn(OTHER_ID)).toEqual([false, false, false, false, false])
  })

  test('where the kernel shows all users as one, nobody is let in', async (context) => {
    const module = JSON.stringify(fileURLToPath(new URL('peer-user.ts', import.meta.url)))
    const script = `import { connect, createServer } from 'node:net'
      import { createPeerCheck } from ${module}
      const server = createServer((socket) => {
        process.stdout.write(JSON.stringify([process.getuid(), createPeerCheck('linux', process.getuid())(socket)]))
        process.exit()
      }).listen(0, '127.0.0.1', () => connect(server.address().port, '127.0.0.1'))`
    const run = promisify(execFile)
    await run('unshare', ['--user', 'true']).catch(() => context.skip('user namespaces cannot be made here'))
    const { stdout } = await run('unshare', ['--user', process.execPath, '--input-type=module', '-e', script])
    expect(JSON.parse(stdout)).toEqual([OTHER_ID, false])
  })
})

test('where the system does not tell users apart, everybody is let in', async () => {
  await using port = await openPort('127.0.0.1')
  await using _caller = startCaller('127.0.0.1', port.port)
  expect(createPeerCheck('darwin', OWN_ID + 1)(await port.caller)).toBe(true)
})
