import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, getGlobalDispatcher, setGlobalDispatcher } from 'undici'
import type { User } from './user.ts'

/** Reads a connection's first line as a port of the loopback, and passes the rest on to it. */
const RELAY = `
const { createServer, connect } = require('node:net')
createServer({ allowHalfOpen: true }, (near) => {
  near.once('data', (first) => {
    const end = first.indexOf('\\n')
    const far = connect({ host: '127.0.0.1', port: Number(first.subarray(0, end)), allowHalfOpen: true })
    for (const socket of [near, far]) socket.on('error', () => { near.destroy(); far.destroy() })
    near.on('close', () => far.destroy())
    far.on('close', () => near.destroy())
    far.write(first.subarray(end + 1))
    near.pipe(far).pipe(near)
  })
}).listen(process.argv[1], () => console.log('ready'))
process.stdin.resume().on('end', () => process.exit())
`

/**
 * Until it is disposed of, fetch connects to the loopback as this user. A daemon answers only its own user, and the
 * tests run as root where the daemon does not.
 */
export async function connectAs(user: User): Promise<AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), 'thv-as-'))
  await chown(folder, user.uid, user.gid)
  const path = join(folder, 'relay')
  const relay = spawn(process.execPath, ['-e', RELAY, path], {
    ...user,
    cwd: folder,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  await once(relay.stdout, 'data')
  const before = getGlobalDispatcher()
  const agent = new Agent({
    connect: ({ port }, callback) => {
      const socket = connect(path)
      socket.once('error', (error) => callback(error, null))
      socket.once('connect', () => {
        socket.write(`${port}\n`)
        callback(null, socket)
      })
    },
  })
  setGlobalDispatcher(agent)
  return {
    async [Symbol.asyncDispose]() {
      setGlobalDispatcher(before)
      await agent.destroy()
      const ended = once(relay, 'exit')
      relay.stdin.end()
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}
