import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe } from 'vitest'
import * as z from 'zod'
import { freePort } from '@toolhaven/testing/free-port'
import type { Engine } from '@toolhaven/testing/testbed/engine'
import { engineMust } from '@toolhaven/testing/testbed/engine-http'
import { attackedPlatforms } from '../src/attacks/attacked-platforms.ts'
import type { Build, Weakness } from '../src/attacks/build.ts'
import { type Captive, openCaptive } from '../src/attacks/captive.ts'
import { describeAttack } from '../src/attacks/describe-attack.ts'
import { type Platform, type PlatformKind, usePlatform } from '../src/platform.ts'
import { untilStatus } from '../src/statuses.ts'

/**
 * For `node -e`: calls a tool that the gateway hides, as a web page of another site would. Ends with 0 if it was carried out.
 */
const CALL = String.raw`
const { request } = require('node:http')
const [host, port] = process.argv.slice(1)
const post = (body, session) => new Promise((done, fail) => {
  const headers = { host: 'evil.example', origin: 'https://evil.example', 'content-type': 'application/json',
    accept: 'application/json, text/event-stream', ...(session && { 'mcp-session-id': session }) }
  request({ host, port, method: 'POST', path: '/mcp', headers, timeout: 5000, agent: false }, (response) => {
    let text = ''
    response.on('data', (data) => (text += data)).on('end', () => done({ text, session: response.headers['mcp-session-id'] }))
  }).on('timeout', function () { this.destroy() }).on('error', fail).end(JSON.stringify({ jsonrpc: '2.0', ...body }))
})
const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } }
const command = ['node', '-p', '"car" + "ried out"']
post({ id: 1, method: 'initialize', params: hello })
  .then(({ session }) => post({ id: 2, method: 'tools/call', params: { name: 'run', arguments: { command } } }, session))
  .then(({ text }) => process.exit(text.includes('carried out') ? 0 : 1), () => process.exit(1))`

const NOBODY = { uid: 65_534, gid: 65_534 }

interface Address {
  host: string
  port: number
}

/** Whether an ordinary user of this machine, or our own user, got through. */
async function callsFromHere({ host, port }: Address, user: object): Promise<boolean> {
  const options = { ...user, cwd: '/', env: {}, timeout: 20_000 }
  return promisify(execFile)(process.execPath, ['-e', CALL, host, String(port)], options).then(
    () => true,
    () => false,
  )
}

const SAY = `require('node:child_process').execFile('node', ['-e', ...process.argv.slice(1)], (error) => console.log(error ? 'no' : 'yes'))`

async function callsFromNeighbour(captive: Captive, { host, port }: Address): Promise<boolean> {
  return (await captive.run('node', '-e', SAY, CALL, host, String(port))).trim() === 'yes'
}

/**
 * An attacker in a workload, and a server that shows one harmless tool. Returns the port that the server listens on.
 */
async function openScene(build: Build, here: Platform) {
  await using cleanUp = new AsyncDisposableStack()
  const captive = cleanUp.use(await openCaptive(build, here))
  const port = await freePort()
  const cmd_arguments = ['--transport=streamable-http', `--port=${port}`, '--host=0.0.0.0']
  const served = { transport: 'streamable-http', target_port: port, cmd_arguments } as const
  const body = { name: 'apart', image: here.fixture, tools: ['echo'], ...served }
  await captive.daemon.api.call('createWorkload', { body })
  await untilStatus(captive.daemon, 'apart', 'running')
  const kept = cleanUp.move()
  return { captive, port, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

const HOST: Weakness = {
  file: 'packages/core/src/workloads/config/network.ts',
  find: "if (mode === 'host') return 'host'",
  replace: "if (mode) return 'host'",
}

const BRIDGE: Weakness = {
  file: 'packages/runtimes/src/engine/container-network.ts',
  find: "HOST_NETWORK: ContainerNetwork = { mode: 'host',",
  replace: "HOST_NETWORK: ContainerNetwork = { mode: 'bridge',",
}
const found = (replace: string): Weakness => ({
  file: 'packages/runtimes/src/engine/container-state.ts',
  find: 'const address = hostAddress(container)',
  replace,
})

/** As engines once did it: an ordinary network, with a published port or an address that this machine reaches. */
const OPEN = {
  docker: [
    BRIDGE,
    found(`const address = { host: container.NetworkSettings.IPAddress, port: container.Config.Labels?.[HOST_PORT] }`),
  ],
  podman: [
    BRIDGE,
    found('const address = publishedAddress(container)'),
    {
      file: 'packages/runtimes/src/engine/container-body.ts',
      find: 'HostConfig: hostConfig(spec, hardening, network),',
      replace: `
        ExposedPorts: spec.targetPort ? { [spec.targetPort + '/tcp']: {} } : {},
        HostConfig: {
          ...hostConfig(spec, hardening, network),
          PortBindings: spec.targetPort ? { [spec.targetPort + '/tcp']: [{ HostIp: '127.0.0.1', HostPort: '' }] } : {},
        },`,
    },
  ],
} as const satisfies Record<Exclude<PlatformKind, 'process'>, readonly Weakness[]>

describe.each(attackedPlatforms('around'))('on %s', (kind) => {
  const platform = usePlatform(kind)

  describeAttack('others who look for the port of a server', {
    defence: 'the network of its own',
    weaknesses: [HOST],
    attack: async (build, context) => {
      if (process.getuid?.() !== 0) context.skip('becoming another user needs root')
      await using scene = await openScene(build, platform(context))
      const at = { host: '127.0.0.1', port: scene.port }
      return {
        'a web page calls a hidden tool': await callsFromHere(at, {}),
        'another user calls a hidden tool': await callsFromHere(at, NOBODY),
        'a neighbour calls a hidden tool': await callsFromNeighbour(scene.captive, at),
      }
    },
  })

  if (kind === 'process') return

  describeAttack('others who look for a published port and for the bridge', {
    defence: 'the network without either',
    weaknesses: [HOST, ...OPEN[kind]],
    attack: async (build, context) => {
      if (process.getuid?.() !== 0) context.skip('becoming another user needs root')
      const here = platform(context)
      await using scene = await openScene(build, here)
      const { published, bridged } = await addressesOf(here.engine, scene.port)
      const some = async (places: readonly Address[], calls: (place: Address) => Promise<boolean>): Promise<boolean> =>
        (await Promise.all(places.map(calls))).includes(true)
      const all = [...published, ...bridged]
      return {
        'a web page calls a hidden tool': await some(all, (place) => callsFromHere(place, {})),
        'another user calls a hidden tool': await some(all, (place) => callsFromHere(place, NOBODY)),
        // Without root, an engine has no bridge that its containers share by default.
        ...(kind === 'docker' && {
          'a neighbour on the bridge calls a hidden tool': await some(bridged, (place) =>
            callsFromNeighbour(scene.captive, place),
          ),
        }),
      }
    },
  })
})

const inspected = z.looseObject({
  NetworkSettings: z.looseObject({
    IPAddress: z.string().nullish(),
    Ports: z
      .record(z.string(), z.array(z.looseObject({ HostIp: z.string(), HostPort: z.string() })).nullish())
      .nullish(),
  }),
})

/** What an attacker would find on every port of this machine and every address of the bridge. */
async function addressesOf(engine: Engine | undefined, port: number) {
  if (!engine) throw new Error('only an engine publishes ports')
  const published: Address[] = []
  const bridged: Address[] = []
  for (const name of ['thv-apart', 'thvnet-thv-apart']) {
    const path = `/containers/${name}/json`
    const text = await engineMust(engine.socketPath, 'GET', path).catch(() => undefined)
    if (text === undefined) continue
    const { IPAddress: address, Ports: ports } = inspected.parse(JSON.parse(text)).NetworkSettings
    if (address) bridged.push({ host: address, port })
    for (const binding of Object.values(ports ?? {}).flatMap((some) => some ?? []))
      published.push({ host: binding.HostIp || '127.0.0.1', port: Number(binding.HostPort) })
  }
  return { published, bridged }
}
