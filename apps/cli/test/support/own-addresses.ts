/**
 * Runs in a network of its own, given as `node own-addresses.ts UID`: connects from other addresses of the machine than
 * loopback, as the given user, and writes the verdicts of the peer check.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type Socket, createServer } from 'node:net'
import { createPeerCheck } from '../../src/daemon/peer-user.ts'

const ADDRESSES = ['10.99.0.9', 'fd99::9']

const CALLER = `import { connect } from 'node:net'
  const [host, port, localAddress] = process.argv.slice(1)
  connect({ host, port, localAddress })`

const uid = Number(process.argv[2])
execFileSync('ip', ['link', 'set', 'lo', 'up'])
for (const address of ADDRESSES) execFileSync('ip', ['address', 'add', address, 'dev', 'lo', 'nodad'])
const verdicts: boolean[] = []
for (const [source, host, listens] of [
  ['10.99.0.9', '127.0.0.1', '127.0.0.1'],
  ['10.99.0.9', '127.0.0.1', '::'],
  ['::ffff:10.99.0.9', '::ffff:127.0.0.1', '127.0.0.1'],
  ['fd99::9', '::1', '::1'],
  ['fd99::9', '::1', '::'],
] as const)
  verdicts.push(await verdictOn(source, host, listens))
process.stdout.write(JSON.stringify(verdicts))

async function verdictOn(source: string, host: string, listens: string): Promise<boolean> {
  const server = createServer().listen(0, listens)
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP listener has a port')
  const connected = Promise.withResolvers<Socket>()
  server.once('connection', connected.resolve)
  const args = ['--input-type=module', '-e', CALLER, host, String(address.port), source]
  const child = spawn(process.execPath, args, { ...(uid === process.getuid?.() ? {} : { uid, gid: uid }), cwd: '/' })
  const socket = await connected.promise
  const verdict = createPeerCheck('linux', process.getuid?.() ?? 0)(socket)
  const ended = once(child, 'exit')
  child.kill()
  await ended
  socket.destroy()
  server.close()
  return verdict
}
