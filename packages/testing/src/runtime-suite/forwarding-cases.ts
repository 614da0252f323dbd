import { once } from 'node:events'
import { createSocket } from 'node:dgram'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { request } from 'node:http'
import { createServer, type Server } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect } from 'vitest'
import type { WayOut } from '@toolhaven/core/ports/egress'
import { Unavailable } from '../testbed/unavailable.ts'
import { until } from '../testbed/until.ts'
import { attackFromHost, buildAttacker, outcomesOf } from './attacker.ts'
import { signal, type RuntimeCases } from './session.ts'

/** A loopback, and sockets of ours as the only way out and in. */
export const forwardingCases: RuntimeCases = {
  'leads out through its sockets, and to nothing else': async ({ run, under }, skip) => {
    if (under.lacks?.forwarding !== undefined) return skip(under.lacks.forwarding)
    await using out = await openWayOut()
    const { stdout, stderr } = await run(['ways', 'api.example', 'other.example'], { network: out.way })
    expect({ ...JSON.parse(stdout || '{}'), stderr }).toEqual({
      proxy: 'the proxy',
      named: 'api.example:443',
      other: expect.stringMatching(/^(EAI_AGAIN|ENOTFOUND)$/),
      variable: 'http://127.0.0.1:3128',
      taken: 'EADDRINUSE',
      interfaces: ['lo'],
      stderr: '',
    })
  },

  'is reached through a socket without any network': async ({ runtime, open, under }, skip) => {
    if (under.lacks?.forwarding !== undefined) return skip(under.lacks.forwarding)
    const { handle } = await open(['http', '8123'], { network: 'none', targetPort: 8123, stdio: false })
    const state = await runtime.inspect(handle, signal())
    const socketPath = state.state === 'running' ? state.address?.socketPath : undefined
    if (socketPath === undefined) throw new Error('a running instance with a port says where its socket is')
    expect((await stat(socketPath)).mode & 0o777).toBe(0o600)
    expect(await until('the server answers', () => get(socketPath, '/x').catch(() => undefined))).toBe('hello from /x')
    await runtime.remove(handle, signal())
    await expect(stat(socketPath)).rejects.toThrow('ENOENT')
  },

  'lets no attack out of its loopback': async ({ run, under, sharedFolder }, skip) => {
    if (under.lacks?.forwarding !== undefined) return skip(under.lacks.forwarding)
    const folder = await buildAttacker().catch((error: unknown) => {
      if (error instanceof Unavailable) return skip(error.message)
      throw error
    })
    await using out = await openWayOut()
    await using neighbour = await openWayOut()
    await using host = await openHostServices(await sharedFolder())
    const mounts = [{ hostPath: folder, containerPath: '/attack', readOnly: true }]
    const sockets = [out, neighbour].map(({ way }) => `path:${join(way.folder, way.proxy)}`)
    const tries = [...host.tries, ...sockets, 'family:40', 'family:17', 'uring', 'namespaces', ...UNASKED]
    const inside = outcomesOf((await run(['exec', '/attack/attack', ...tries], { network: out.way, mounts })).stdout)
    expect(Object.keys(inside)).toEqual(tries)
    expect(Object.entries(inside).filter(([, outcome]) => outcome === 'open')).toEqual([])
    // Outside the same tries do get through, so their failure inside means something.
    const outside = await attackFromHost(folder, [...host.tries, ...sockets])
    expect(new Set(Object.values(outside))).toEqual(new Set(['open']))
    await rm(folder, { recursive: true })
  },

  'refuses a mounted folder in which somebody listens': async ({ create, under, sharedFolder }, skip) => {
    if (under.lacks?.forwarding !== undefined) return skip(under.lacks.forwarding)
    const folder = await sharedFolder()
    const server = await listen({ path: join(folder, 'engine.sock') }, '')
    const mounts = [{ hostPath: folder, containerPath: '/shared', readOnly: true }]
    await expect(create(['echo'], { network: 'none', mounts })).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('holds a socket'),
    })
    server.close()
  },
}

/** Places without a control: the address of clouds' metadata, a resolver, and a public address. */
const UNASKED = ['tcp:169.254.169.254:80', 'udp:192.0.2.53:53', 'tcp:192.0.2.1:443', 'tcp6:2001:db8::1:443']

async function openWayOut(): Promise<{ way: WayOut } & AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), 'thv-o-'))
  const proxy = await listen({ path: join(folder, 'p') }, 'the proxy')
  const place = await listen({ path: join(folder, '0') }, 'api.example:443')
  return {
    way: { folder, proxy: 'p', places: [{ host: 'api.example', port: 443, socket: '0' }] },
    async [Symbol.asyncDispose]() {
      proxy.close()
      place.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Services of this machine, on all of its addresses, and how to reach each. */
async function openHostServices(folder: string): Promise<{ tries: string[] } & AsyncDisposable> {
  const tcp = await listen({ port: 0, host: '::' }, 'host')
  const address = tcp.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP listener has a port')
  const udp = createSocket('udp4').bind(address.port, '0.0.0.0')
  await once(udp, 'listening')
  udp.on('message', (_message, from) => udp.send('hello', from.port, from.address))
  const name = `thv-suite-${process.pid}-${address.port}`
  const abstract = await listen({ path: `\0${name}` }, 'host')
  const path = await listen({ path: join(folder, 's') }, 'host')
  const own = Object.values(networkInterfaces()).flatMap((entries) => entries ?? [])
  const four = own.filter(({ family }) => family === 'IPv4').map((entry) => entry.address)
  const six = own.filter(({ family, scopeid }) => family === 'IPv6' && !scopeid).map((entry) => entry.address)
  return {
    tries: [
      ...four.flatMap((each) => [`tcp:${each}:${address.port}`, `udp:${each}:${address.port}`]),
      ...six.map((each) => `tcp6:${each}:${address.port}`),
      ...four.map((each) => `tcp6:::ffff:${each}:${address.port}`),
      ...[`abstract:${name}`, `path:${join(folder, 's')}`],
    ],
    async [Symbol.asyncDispose]() {
      for (const server of [tcp, abstract, path]) server.close()
      udp.close()
    },
  }
}

async function listen(where: { path: string } | { port: number; host: string }, words: string): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    socket.end(words)
  })
  server.listen(where)
  await once(server, 'listening')
  return server
}

async function get(socketPath: string, path: string): Promise<string> {
  const asked = request({ socketPath, path, headers: { host: 'localhost' } }).end()
  const [response] = await once(asked, 'response')
  return text(response)
}
