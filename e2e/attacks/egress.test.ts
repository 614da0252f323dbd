import { createSocket } from 'node:dgram'
import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { hostname } from 'node:os'
import { describe } from 'vitest'
import { attackFromHost, buildAttacker, outcomesOf } from '@toolhaven/testing/runtime-suite/attacker'
import { openHostServices } from '@toolhaven/testing/runtime-suite/host-services'
import { Unavailable } from '@toolhaven/testing/testbed/unavailable'
import type { Weakness } from '../src/attacks/build.ts'
import { makeSharedFolder, openCaptive } from '../src/attacks/captive.ts'
import { describeAttack } from '../src/attacks/describe-attack.ts'
import { ONLY_PROXY } from '../src/attacks/only-proxy.ts'
import { callText, connectMcp } from '../src/mcp-client.ts'
import { attackedPlatforms } from '../src/attacks/attacked-platforms.ts'
import { type PlatformKind, usePlatform } from '../src/platform.ts'
import { untilStatus } from '../src/statuses.ts'

const ENGINE_NETWORK: Weakness = {
  file: 'packages/runtimes/src/engine/sidecar.ts',
  find: "NetworkMode: 'none',",
  replace: "NetworkMode: 'bridge',",
}

/** Gives a workload a loopback of its own. */
const NO_NETWORK: Record<PlatformKind, readonly Weakness[]> = {
  process: [
    {
      file: 'packages/runtimes/src/process/process-network.ts',
      find: "[program, '-N', '-k',",
      replace: "[program, '-k',",
    },
    ONLY_PROXY,
  ],
  docker: [ENGINE_NETWORK, ONLY_PROXY],
  podman: [ENGINE_NETWORK, ONLY_PROXY],
}

/** The address that this machine uses to reach others. Nothing is sent to find it. */
async function ownAddress(): Promise<string> {
  const socket = createSocket('udp4')
  socket.connect(9, '198.51.100.1')
  await once(socket, 'connect')
  const { address } = socket.address()
  socket.close()
  return address
}

const LIST = { allow_host: ['127.0.0.2:443'] }

describe.each(attackedPlatforms('egress'))('on %s', (kind) => {
  const platform = usePlatform(kind)

  describeAttack('raw TCP, UDP and IPv6 to this machine and the networks around it', {
    defence: 'the network of its own',
    weaknesses: NO_NETWORK[kind],
    attack: async (build, context) => {
      const here = platform(context)
      await using attacker = await buildAttacker().catch((error: unknown) => {
        if (error instanceof Unavailable) return context.skip(error.message)
        throw error
      })
      await using folder = await makeSharedFolder()
      await using host = await openHostServices(folder.path)
      const profile = { read: [`${attacker.folder}:/attack`], network: { outbound: LIST } }
      await using captive = await openCaptive(build, here, { permission_profile: profile })
      // Sockets with a name in the file system are kept out by the mounts, not by the network. In a container even an
      // open network has its own loopback: there the way out is the address of this machine.
      const own = `:${await ownAddress()}:`
      const tries = host.tries.filter((attempt) =>
        kind === 'process' ? !attempt.startsWith('path:') : /^(tcp|udp):/.test(attempt) && attempt.includes(own),
      )
      const outcomes = outcomesOf(await captive.run('/attack/attack', ...tries))
      // Networks of others come and go: what this machine itself can no longer reach proves nothing.
      const outside = await attackFromHost(attacker.folder, tries)
      const known = tries.filter((attempt) => outside[attempt] === 'open')
      return Object.fromEntries(known.map((attempt) => [withoutNumbers(attempt), outcomes[attempt] === 'open']))
    },
  })
})

/** The same name in every run. */
const withoutNumbers = (attempt: string) => attempt.replace(/:\d+$/, '').replace(/thv-suite-.*/, 'NAME')

/** Asks the proxy for a way to PLACE and says what it answered. */
const CONNECT = `
const proxy = new URL(process.env.HTTP_PROXY)
const asked = require('node:http').request({ host: proxy.hostname, port: proxy.port, method: 'CONNECT', path: process.argv[1] })
const say = (what) => { console.log(what); process.exit() }
asked.on('connect', (response) => say(response.statusCode)).on('error', (error) => say(error.code)).end()`

async function openService() {
  const server = createServer(
    (socket) =>
      void socket
        .on('error', () => undefined)
        .resume()
        .end('hello'),
  ).listen(0, '0.0.0.0')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP listener has a port')
  return { port: address.port, [Symbol.asyncDispose]: async () => void server.close() }
}

describe('on process', () => {
  const platform = usePlatform('process')

  describeAttack('the proxy as a way to anywhere', {
    defence: 'the judgement of each connection',
    weaknesses: [
      {
        file: 'packages/egress/src/outbound-policy.ts',
        find: 'if (rules.allowAll) return { isAllowed: true }',
        replace: 'if (rules) return { isAllowed: true }',
      },
      {
        file: 'packages/egress/src/outbound-policy.ts',
        find: "if (reach === 'public') return { isAllowed: true }",
        replace: 'if (address) return { isAllowed: true }',
      },
    ],
    attack: async (build, context) => {
      const here = platform(context)
      await using listed = await openService()
      await using unlisted = await openService()
      // A name that is in the list, and leads to this machine.
      const inside = hostname()
      const outbound = { allow_host: [`127.0.0.2:${listed.port}`, `${inside}:${listed.port}`] }
      await using captive = await openCaptive(build, here, { permission_profile: { network: { outbound } } })
      const reaches = async (place: string) => (await captive.run('node', '-e', CONNECT, place)).trim() === '200'
      if (!(await reaches(`127.0.0.2:${listed.port}`))) throw new Error('what is listed is not reached')
      const isKnown = await lookup(inside).then(
        () => true,
        () => false,
      )
      return {
        'another host': await reaches(`127.0.0.3:${listed.port}`),
        'another port': await reaches(`127.0.0.2:${unlisted.port}`),
        'the API of the daemon': await reaches(`127.0.0.1:${captive.daemon.port}`),
        'IPv6 around IPv4': await reaches(`[::ffff:127.0.0.3]:${listed.port}`),
        ...(isKnown && { 'a listed name that leads inside': await reaches(`${inside}:${listed.port}`) }),
      }
    },
  })
  describeAttack('ports of our own that a list names', {
    defence: 'the look at our own ports at every dial',
    weaknesses: [
      {
        file: 'packages/egress/src/outbound-policy.ts',
        find: "if (reach === 'loopback' && own.isOwnPort(place.port))",
        replace: "if (reach === 'never')",
      },
    ],
    attack: async (build, context) => {
      const here = platform(context)
      await using service = await openService()
      await using onHost = await openService()
      await using captive = await openCaptive(build, here)
      const { api, port } = captive.daemon
      const neighbour = Number(new URL((await api.call('getWorkload', { params: { name: 'captive' } })).url).port)
      const host = { network_mode: 'host', transport: 'streamable-http', target_port: onHost.port } as const
      await api.call('createWorkload', { body: { name: 'on-host', image: here.fixture, ...host } })
      const hosts = [service.port, port, neighbour, onHost.port].flatMap((each) => [
        `localhost:${each}`,
        `127.0.0.2:${each}`,
      ])
      const profile = { network: { outbound: { allow_host: hosts } } }
      await api.call('createWorkload', { body: { name: 'inside', image: here.fixture, permission_profile: profile } })
      await untilStatus(captive.daemon, 'inside', 'running')
      await using inside = await connectMcp((await api.call('getWorkload', { params: { name: 'inside' } })).url)
      const reaches = async (place: string) =>
        (await callText(inside, 'run', { command: ['node', '-e', CONNECT, place] })).trim() === '200'
      for (const listed of ['localhost', '127.0.0.2'])
        if (!(await reaches(`${listed}:${service.port}`))) throw new Error(`${listed} is listed and not reached`)
      return {
        'the API of the daemon': await reaches(`localhost:${port}`),
        'the port of a workload': await reaches(`localhost:${neighbour}`),
        'a server on the network of the machine': await reaches(`localhost:${onHost.port}`),
      }
    },
  })
})
