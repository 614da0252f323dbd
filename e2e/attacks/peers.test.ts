import { FIXTURE_SERVER } from '@toolhaven/testing/mcp-servers/fixture-source'
import { startDaemon } from '../src/daemon-process.ts'
import { makeHome } from '../src/home.ts'
import { rawCall } from '../src/raw-call.ts'
import { startThv } from '../src/running-thv.ts'
import { socketOf } from '../src/socket-of.ts'
import type { Build } from '../src/attacks/build.ts'
import { describeAttack } from '../src/attacks/describe-attack.ts'
import { type OwnNetwork, openOwnNetwork } from '../src/attacks/own-network.ts'

/** A daemon with a secret and a workload, and every other program that listens, in a network with one more address. */
async function openScene(build: Build, network: OwnNetwork) {
  await using cleanUp = new AsyncDisposableStack()
  const home = cleanUp.use(await makeHome({ env: { THV_RUNTIME: 'process' } }))
  const start = (program: readonly string[], args: readonly string[]) =>
    cleanUp.use(startThv(home, args, 90_000, network.inside(program)))
  const server = start([FIXTURE_SERVER], ['--transport=streamable-http'])
  const [, serverPort] = await server.says(/listening on (\d+)/)
  const daemon = cleanUp.use(await startDaemon(home, [], network.inside(build.program)))
  const socketPath = await socketOf(home)
  const call = async (method: string, path: string, body?: object) => {
    const headers = { host: 'localhost', ...(body && { 'content-type': 'application/json' }) }
    const answer = await rawCall({ socketPath }, `/api/v1beta${path}`, {
      ...{ method, headers },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.body}`)
    return answer.body
  }
  await call('POST', '/secrets', { provider_type: 'encrypted' })
  await call('POST', '/secrets/default/keys', { key: 'treasure', value: 'kept' })
  const url = `http://127.0.0.1:${serverPort}/mcp`
  const { port } = JSON.parse(await call('POST', '/workloads', { name: 'target', url, transport: 'streamable-http' }))
  const commands = {
    proxy: start(build.program, ['proxy', 'front', '--target-uri', url]),
    tunnel: start(build.program, ['proxy', 'tunnel', url, '--tunnel-provider', 'local', '--allow-unauthenticated']),
    'mcp serve': start(build.program, ['mcp', 'serve', '--port', '0']),
  }
  const ports: Record<string, string> = { 'a workload': String(port) }
  for (const [name, command] of Object.entries(commands))
    ports[`thv ${name}`] = (await command.says(/127\.0\.0\.1:(\d+)\/mcp/))[1] ?? ''
  const names = async () => await call('GET', '/workloads?all=true')
  const kept = cleanUp.move()
  return { home, daemon, call, names, ports, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

/** Prints the status and the body of one request. */
const CALL = `import { request } from 'node:http'
  const [port, localAddress, method, path, body] = process.argv.slice(1)
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  request({ host: '127.0.0.1', port, localAddress, method, path, headers }, (response) => {
    process.stdout.write(response.statusCode + ' ')
    response.on('data', (chunk) => process.stdout.write(chunk))
  }).end(body)`

const INITIALIZE = JSON.stringify({
  ...{ jsonrpc: '2.0', id: 0, method: 'initialize' },
  params: { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'thief', version: '1' } },
})

const PEER_USER = 'apps/cli/src/daemon/peer-user.ts'

describeAttack('another user who comes from another address of this machine', {
  defence: 'the look at the address that was called',
  weaknesses: [
    { file: PEER_USER, find: 'isOpenToNetwork(socket.localAddress)', replace: 'isOpenToNetwork(socket.remoteAddress)' },
  ],
  attack: async (build, context) => {
    await using network = await openOwnNetwork(context)
    await using scene = await openScene(build, network)
    const send = async (port: string, method: string, path: string, body = '') =>
      (await network.asNobody(CALL, port, network.address, method, path, body)) ?? ''
    const api = String(scene.daemon.port)
    const far = JSON.stringify({ name: 'theirs', url: 'http://127.0.0.1:9/mcp' })
    const gains: Record<string, boolean> = {
      'lists the secrets': (await send(api, 'GET', '/api/v1beta/secrets/default/keys')).includes('treasure'),
      'is told that a workload is created': (await send(api, 'POST', '/api/v1beta/workloads', far)).startsWith('201 '),
      'creates it': (await scene.names()).includes('theirs'),
    }
    for (const [name, port] of Object.entries(scene.ports))
      gains[`speaks to ${name}`] = (await send(port, 'POST', '/mcp', INITIALIZE)).startsWith('200 ')
    return gains
  },
})

const TRIES = 40

/** Sends requests that each create a workload and closes each connection without waiting for an answer. */
const CLOSE_AT_ONCE = `import { connect } from 'node:net'
  const [port, prefix] = process.argv.slice(1)
  const head = 'POST /api/v1beta/workloads HTTP/1.1\\r\\nHost: localhost\\r\\nContent-Type: application/json\\r\\n'
  for (let at = 0; at < ${TRIES}; at++) {
    const body = JSON.stringify({ name: prefix + at, url: 'http://127.0.0.1:9/mcp' })
    await new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.write(head + 'Content-Length: ' + body.length + '\\r\\n\\r\\n' + body, () => socket.destroy())
      })
      socket.on('close', resolve).on('error', () => undefined)
    })
  }`

describeAttack('another user who sends a request and closes at once', {
  defence: 'the look whether the connection still has an owner',
  weaknesses: [{ file: PEER_USER, find: 'row.isEstablished && row.inode > 0 && ', replace: 'row.inode === 0 || ' }],
  attack: async (build, context) => {
    await using network = await openOwnNetwork(context)
    await using scene = await openScene(build, network)
    const { pid, port } = scene.daemon
    await network.asNobody(CLOSE_AT_ONCE, String(port), 'racing-')
    // A daemon that is busy loses every race.
    process.kill(pid, 'SIGSTOP')
    await network.asNobody(CLOSE_AT_ONCE, String(port), 'waiting-')
    process.kill(pid, 'SIGCONT')
    // It is sent after theirs and handled after them.
    await scene.call('POST', '/workloads', { name: 'ours', url: 'http://127.0.0.1:9/mcp' })
    const names = await scene.names()
    return { [`creates one of ${2 * TRIES} workloads`]: /(racing|waiting)-/.test(names) }
  },
})
