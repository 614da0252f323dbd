import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect } from 'vitest'
import { z } from 'zod'
import { engineMust } from '../testbed/engine-http.ts'
import { Unavailable } from '../testbed/unavailable.ts'
import { until } from '../testbed/until.ts'
import { attackFromHost, buildAttacker, outcomesOf } from './attacker.ts'
import { listen, openHostServices } from './host-services.ts'
import { signal, type RuntimeCases } from './session.ts'
import { ALLOWED, openWayOut } from './way-out.ts'

/** A loopback, and our sockets as the only way out and in. */
export const forwardingCases: RuntimeCases = {
  'leads out through its sockets, and to nothing else': async ({ run, under }, skip) => {
    if (under.lacks?.forwarding !== undefined) return skip(under.lacks.forwarding)
    await using out = await openWayOut()
    const { stdout, stderr } = await run(['ways', ALLOWED.name, 'other.example'], { network: out.way })
    const failure = expect.stringMatching(/^E[A-Z]+/)
    const always = {
      proxy: 'the proxy',
      variable: 'http://127.0.0.1:3128',
      forwarders: [],
      interfaces: ['lo'],
      stderr: '',
    }
    const ways = { ...JSON.parse(stdout || '{}'), stderr }
    if (under.lacks?.names !== undefined) {
      const none = { named: failure, resolved: failure, other: failure, address: failure, otherPort: failure }
      expect(ways).toMatchObject({ ...always, ...none, taken: ['EADDRINUSE', failure, expect.anything()] })
      return
    }
    expect(ways).toEqual({
      ...always,
      named: `reached ${ALLOWED.address} 443`,
      namedByFour: { address: ALLOWED.address, family: 4 },
      resolved: [ALLOWED.address],
      other: 'ENOTFOUND',
      address: '',
      // Some engines remove IPv6 from the loopback.
      address6: expect.stringMatching(/^$|^E/),
      otherPort: 'ECONNREFUSED',
      taken: ['EADDRINUSE', 'EADDRINUSE', 'EADDRINUSE'],
    })
    const expected = [
      `${ALLOWED.address} 443`,
      '203.0.113.7 8443',
      ...(ways.address6 === '' ? ['2001:db8::7 8443'] : []),
    ]
    expect(out.dialled).toEqual(expected)
    expect([...out.asked].toSorted()).toEqual([ALLOWED.name, 'other.example'])
  },

  'is reached through a socket without any network': async ({ runtime, open, under }, skip) => {
    if (under.lacks?.forwarding !== undefined) return skip(under.lacks.forwarding)
    const { handle } = await open(['http', '8123'], { network: 'none', targetPort: 8123, stdio: false })
    const state = await runtime.inspect(handle, signal())
    const socketPath = state.state === 'running' ? state.address?.socketPath : undefined
    if (socketPath === undefined) throw new Error('a running instance with a port says where its socket is')
    expect((await stat(socketPath)).mode & 0o777).toBe(0o600)
    expect(await until('the server answers', () => getThrough(socketPath, '/x').catch(() => undefined))).toBe(
      'hello from /x',
    )
    await runtime.remove(handle, signal())
    await expect(stat(socketPath)).rejects.toThrow('ENOENT')
  },

  'lets no attack out of its loopback': async ({ run, under, sharedFolder }, skip) => {
    if (under.lacks?.forwarding !== undefined) return skip(under.lacks.forwarding)
    await using attacker = await buildAttacker().catch((error: unknown) => {
      if (error instanceof Unavailable) return skip(error.message)
      throw error
    })
    const { folder } = attacker
    await using host = await openHostServices(await sharedFolder())
    // With a listener on the same port as those services, so that each attempt to reach them arrives at the gate.
    await using out = await openWayOut([80, 443, host.port])
    await using neighbour = await openWayOut()
    const mounts = [{ hostPath: folder, containerPath: '/attack', readOnly: true }]
    const sockets = [out, neighbour].map(({ way }) => `path:${join(way.folder, way.proxy)}`)
    const tries = [...host.tries, ...sockets, 'family:40', 'family:17', 'uring', 'namespaces', 'route', ...UNASKED]
    const inside = outcomesOf((await run(['exec', '/attack/attack', ...tries], { network: out.way, mounts })).stdout)
    expect(Object.keys(inside)).toEqual(tries)
    expect(Object.entries(inside).filter(([, outcome]) => outcome === 'open')).toEqual([])
    // Outside, the same attempts succeed, so their failure inside proves something.
    const outside = await attackFromHost(folder, [...host.tries, ...sockets])
    const lasting = [...host.lasting(), ...sockets]
    expect(lasting.length).toBeGreaterThan(sockets.length)
    expect(Object.fromEntries(lasting.map((attempt) => [attempt, outside[attempt]]))).toEqual(
      Object.fromEntries(lasting.map((attempt) => [attempt, 'open'])),
    )
  },

  'has a forwarder that gave up every capability, and none itself': async ({ open, under, runtime }, skip) => {
    if (under.lacks?.forwarding !== undefined) return skip(under.lacks.forwarding)
    const { engineSocket } = under
    if (engineSocket === undefined) return skip('without an engine, the forwarder is tested on its own')
    await using out = await openWayOut()
    const { handle } = await open(['http', '8130'], { network: out.way, targetPort: 8130, stdio: false })
    const rights = async (container: string) => {
      const answer = await engineMust(engineSocket, 'GET', `/containers/${container}/json`)
      const first = inspectedSchema.parse(JSON.parse(answer)).State.Pid
      const children = await readFile(`/proc/${first}/task/${first}/children`, 'utf8')
      const statuses = [String(first), ...children.trim().split(' ')].map((pid) =>
        readFile(`/proc/${pid}/status`, 'utf8'),
      )
      return (await Promise.all(statuses)).map((status) =>
        [...status.matchAll(/^Cap\w+:\t(\w+)/gm)].map(([, set]) => set),
      )
    }
    const none = Array.from({ length: 5 }, () => '0'.repeat(16))
    // The forwarder's two processes, and the server with what runs before it.
    expect(await rights(`thvnet-${handle.name}`)).toEqual([none, none])
    expect(await rights(handle.name)).toEqual([none, none])
    await runtime.remove(handle, signal())
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

  'refuses a mounted folder with a named pipe, unless something lies over it': async (session, skip) => {
    if (session.under.lacks?.forwarding !== undefined) return skip(session.under.lacks.forwarding)
    const folder = await session.sharedFolder()
    const cover = join(await session.sharedFolder(), 'empty')
    await writeFile(cover, '', { mode: 0o444 })
    execFileSync('mkfifo', ['-m', '666', join(folder, 'orders')])
    const shared = { hostPath: folder, containerPath: '/shared', readOnly: true }
    const covered = { hostPath: cover, containerPath: '/shared/orders', readOnly: true }
    await expect(session.create(['echo'], { network: 'none', mounts: [shared] })).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('holds a named pipe'),
    })
    const { stdout } = await session.run(['pry', covered.containerPath], { network: 'none', mounts: [shared, covered] })
    expect(JSON.parse(stdout)).toMatchObject([{ seen: '', pried: [] }])
  },
}

const inspectedSchema = z.looseObject({ State: z.looseObject({ Pid: z.int().positive() }) })

/** Places that nothing can confirm: the metadata address of clouds, a resolver, and a public address. */
const UNASKED = ['tcp:169.254.169.254:80', 'udp:192.0.2.53:53', 'tcp:192.0.2.1:443', 'tcp6:2001:db8::1:443']

export async function getThrough(socketPath: string, path: string): Promise<string> {
  const asked = request({ socketPath, path, headers: { host: 'localhost' } }).end()
  const [response] = await once(asked, 'response')
  return text(response)
}
