import { execFile } from 'node:child_process'
import { networkInterfaces } from 'node:os'
import { promisify } from 'node:util'
import { describe } from 'vitest'
import * as z from 'zod'
import { freePort } from '@toolhaven/testing/free-port'
import { listen } from '@toolhaven/testing/runtime-suite/host-services'
import { attackedPlatforms } from '../src/attacks/attacked-platforms.ts'
import { type Captive, openCaptive } from '../src/attacks/captive.ts'
import { describeAttack } from '../src/attacks/describe-attack.ts'
import { type Place, REACH } from '../src/attacks/reach.ts'
import { type Platform, usePlatform } from '../src/platform.ts'
import { untilStatus } from '../src/statuses.ts'

/**
 * Services of this machine that have nothing to do with Toolhaven: one on every address, and one without an address.
 */
async function openServices() {
  const tcp = await listen({ port: 0, host: '::' }, 'hello')
  const address = tcp.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP listener has a port')
  const path = `\0thv-default-${process.pid}-${address.port}`
  const abstract = await listen({ path }, 'hello')
  return {
    port: address.port,
    path,
    async [Symbol.asyncDispose]() {
      tcp.close()
      abstract.close()
    },
  }
}

function ownAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((entries) => entries ?? [])
  return all.filter(({ scopeid }) => !scopeid).map(({ address }) => address)
}

/** A workload with a port. Returns that port, and the one where clients reach it. */
async function startNeighbour({ daemon }: Captive, { fixture: image }: Platform): Promise<[number, number]> {
  const target = await freePort()
  const cmd_arguments = ['--transport=streamable-http', `--port=${target}`]
  const body = { name: 'apart', image, transport: 'streamable-http', target_port: target, cmd_arguments } as const
  const { port } = await daemon.api.call('createWorkload', { body })
  await untilStatus(daemon, 'apart', 'running')
  return [target, port]
}

const outcomes = (text: string) => z.array(z.boolean()).parse(JSON.parse(text))

async function reachFromHere(places: readonly Place[]): Promise<boolean[]> {
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', REACH, JSON.stringify(places)], { env: {} })
  return outcomes(stdout)
}

describe.each(attackedPlatforms('default-run'))('on %s', (kind) => {
  const platform = usePlatform(kind)

  describeAttack('a server that was run without any option', {
    defence: 'the network of its own',
    weaknesses: [
      {
        file: 'packages/core/src/workloads/config/network.ts',
        find: "if (mode === 'host') return 'host'",
        replace: "if (mode) return 'host'",
      },
    ],
    attack: async (build, context) => {
      const here = platform(context)
      await using services = await openServices()
      await using captive = await openCaptive(build, here)
      const [target, clients] = await startNeighbour(captive, here)
      const host = '127.0.0.1'
      const named: Record<string, Place[]> = {
        'the API of the daemon': ownAddresses().map((each) => ({ host: each, port: captive.daemon.port })),
        'a service of this machine': ownAddresses().map((each) => ({ host: each, port: services.port })),
        'a service of this machine by its name': [{ host: 'localhost', port: services.port }],
        'an abstract socket': [{ path: services.path }],
        'the port of a neighbour': [{ host, port: target }],
        'where clients reach a neighbour': [{ host, port: clients }],
      }
      const places = Object.values(named).flat()
      const gained = outcomes(await captive.run('node', '-e', REACH, JSON.stringify(places)))
      // Addresses come and go, and the API is not on all of them: an address that this machine cannot reach itself
      // proves nothing.
      const isThere = await reachFromHere(places)
      return Object.fromEntries(
        Object.entries(named).flatMap(([what, some]) => {
          const at = some.map((place) => places.indexOf(place))
          const known = what === 'the port of a neighbour' ? at : at.filter((n) => isThere[n])
          return known.map((n): [string, boolean] => [
            `${what}${known.length > 1 ? ` ${hostOf(places[n])}` : ''}`,
            gained[n] === true,
          ])
        }),
      )
    },
  })
})

const hostOf = (place: Place | undefined) => (place && 'host' in place ? place.host : '')
