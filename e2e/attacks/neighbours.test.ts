import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe } from 'vitest'
import * as z from 'zod'
import type { CreateRequest } from '@toolhaven/contract/workload-request'
import { attackedPlatforms } from '../src/attacks/attacked-platforms.ts'
import type { Weakness } from '../src/attacks/build.ts'
import { type Captive, openCaptive } from '../src/attacks/captive.ts'
import { describeAttack } from '../src/attacks/describe-attack.ts'
import { ONLY_PROXY } from '../src/attacks/only-proxy.ts'
import { openWorldContainer, WORLD_CONTAINER } from '../src/attacks/open-world.ts'
import { freePort } from '@toolhaven/testing/free-port'
import { callText, connectMcp } from '../src/mcp-client.ts'
import { type Platform, type PlatformKind, usePlatform } from '../src/platform.ts'
import { untilStatus } from '../src/statuses.ts'

const SIDECAR = 'packages/runtimes/src/engine/sidecar.ts'
const ENGINE: readonly Weakness[] = [
  { file: SIDECAR, find: "NetworkMode: 'none',", replace: `NetworkMode: 'container:${WORLD_CONTAINER}',` },
  // Only with a network of its own.
  { file: SIDECAR, find: "body: { Hostname: 'sandbox' },", replace: 'body: {},' },
  ONLY_PROXY,
  {
    file: 'packages/runtimes/src/engine/container-network.ts',
    find: '      ...mounts,\n',
    replace:
      '      ...mounts, { hostPath: isolation.socketDir, containerPath: isolation.socketDir, readOnly: true },\n',
  },
]

/** One network for all, and the folder of everybody's sockets inside. */
const SHARED: Record<PlatformKind, readonly Weakness[]> = {
  process: [
    {
      file: 'packages/runtimes/src/process/process-network.ts',
      find: "[program, '-N', '-k',",
      replace: "[program, '-k',",
    },
    ONLY_PROXY,
    {
      file: 'packages/runtimes/src/process/process-network.ts',
      find: 'return { forwarded, place }',
      replace: 'return { forwarded: { ...forwarded, socketDir: isolation.socketDir }, place }',
    },
    {
      file: 'packages/runtimes/src/process/bubblewrap.ts',
      find: '...plan.binds.flatMap(bindOption),',
      replace:
        "...plan.binds.flatMap(bindOption), ...(plan.network.socketDir ? ['--bind', plan.network.socketDir, plan.network.socketDir] : []),",
    },
  ],
  docker: ENGINE,
  podman: ENGINE,
}

interface Neighbour {
  /** Where it listens, in its own network. */
  port: number
  url: string
}

async function startNeighbour(
  { daemon }: Captive,
  { fixture: image }: Platform,
  body: CreateRequest,
): Promise<Neighbour> {
  const port = await freePort()
  const served = { transport: 'streamable-http', target_port: port } as const
  const cmd_arguments = ['--transport=streamable-http', `--port=${port}`]
  const { name = '' } = body
  await daemon.api.call('createWorkload', { body: { image, ...served, cmd_arguments, ...body } })
  await untilStatus(daemon, name, 'running')
  return { port, url: (await daemon.api.call('getWorkload', { params: { name } })).url }
}

/** Tries each place, a port of the loopback or a path, and reports the outcome. */
const REACH = `
const reach = (where) => new Promise((done) => require('node:net').connect(where)
  .on('connect', () => done('open')).on('error', (error) => done(error.code)))
Promise.all(JSON.parse(process.argv[1]).map(reach)).then((all) => { console.log(JSON.stringify(all)); process.exit() })`

const NAMESPACE = ['node', '-p', "require('node:fs').readlinkSync('/proc/self/ns/net')"]

/** The way into the only workload that has one. */
async function socketOfNeighbour({ home }: Captive): Promise<string> {
  const folder = join(home.dir, 'run', 'toolhaven', 'i')
  for (const name of await readdir(folder)) {
    const path = join(folder, name, 'h')
    if ((await stat(path).catch(() => undefined))?.isSocket() === true) return path
  }
  throw new Error('a neighbour with a port has a socket')
}

describe.each(attackedPlatforms('neighbours'))('on %s', (kind) => {
  const platform = usePlatform(kind)

  describeAttack('a workload that looks for its neighbours', {
    defence: 'the network of its own and the folder it does not see',
    weaknesses: SHARED[kind],
    attack: async (build, context) => {
      const here = platform(context)
      await using _shared = here.engine && (await openWorldContainer(here.engine))
      const list = { network: { outbound: { allow_host: ['127.0.0.2:443'] } } }
      await using captive = await openCaptive(build, here, { permission_profile: list })
      const apart = { name: 'apart', permission_profile: { network: { outbound: {} } } }
      const neighbour = await startNeighbour(captive, here, apart)
      const places = {
        'the port of a neighbour': { port: neighbour.port, host: '127.0.0.1' },
        // The daemon is not in a network that containers share, but it is in that of this machine.
        ...(kind === 'process' && {
          'where clients reach a neighbour': { port: Number(new URL(neighbour.url).port), host: '127.0.0.1' },
          'the API of the daemon': { port: captive.daemon.port, host: '127.0.0.1' },
        }),
        'the socket of a neighbour': { path: await socketOfNeighbour(captive) },
      }
      const said = await captive.run('node', '-e', REACH, JSON.stringify(Object.values(places)))
      const outcomes = z.array(z.string()).parse(JSON.parse(said))
      await using there = await connectMcp(neighbour.url)
      const theirs = await callText(there, 'run', { command: NAMESPACE })
      return {
        ...Object.fromEntries(
          // Finding a socket is already too much, even if it cannot be opened.
          Object.keys(places).map((name, n) => [name, outcomes[n] === 'open' || outcomes[n] === 'EACCES']),
        ),
        'the network of a neighbour': (await captive.run(...NAMESPACE)) === theirs,
      }
    },
  })
})
