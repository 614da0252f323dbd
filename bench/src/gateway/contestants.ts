import { fileURLToPath } from 'node:url'
import { until } from '@toolhaven/testing/testbed/until'
import { type Front, type PeerName, PEER_NAMES, startPeer } from '../rig/peers.ts'
import { makeHome, startDaemon } from '../rig/home.ts'
import type { Rig } from '../rig/rig.ts'
import { type ServerProcess, freePort, startServer } from '../rig/server-process.ts'
import { apiOf } from '../rig/workloads.ts'
import { OURS, RAW, SDK } from './comparison.ts'
import type { EchoServers } from './echo-server.ts'

/** A program between clients and the echo server. */
export interface Contestant {
  name: string
  pid: number
  url: string
  headers?: Readonly<Record<string, string>>
}

const RAW_BRIDGE = fileURLToPath(new URL('raw-bridge.mjs', import.meta.url))
const SDK_BRIDGE = fileURLToPath(new URL('sdk-bridge.mjs', import.meta.url))

/** Our daemon, with one workload to begin with. */
export async function startOurs(stack: AsyncDisposableStack, servers: EchoServers) {
  const home = stack.use(await makeHome({ THV_RUNTIME: 'process', npm_config_registry: servers.registry.url }))
  const daemon = stack.use(await startDaemon(home))
  const api = apiOf(daemon)
  const run = async (body: { name: string; image: string } & Record<string, unknown>) => {
    const { name, port } = await api.call('createWorkload', { body })
    await until(
      `${name} to run`,
      async () => (await api.call('getWorkload', { params: { name } })).status === 'running',
    )
    return `http://127.0.0.1:${port}`
  }
  return { daemon, api, run }
}

export async function startAll(
  rig: Rig,
  stack: AsyncDisposableStack,
  servers: EchoServers,
  front: Front,
): Promise<Contestant[]> {
  const { daemon, run } = await startOurs(stack, servers)
  const path = front === 'sse' ? '/sse' : '/mcp'
  const ours = await run({ name: 'echo', image: servers.stdioImage, ...(front === 'sse' && { proxy_mode: 'sse' }) })
  const contestants: Contestant[] = [{ name: OURS, pid: daemon.pid, url: `${ours}${path}` }]
  if (front === 'streamable-http') {
    contestants.push(toContestant(RAW, stack.use(await startBridge(RAW_BRIDGE, servers)), path))
    contestants.push(toContestant(SDK, stack.use(await startBridge(SDK_BRIDGE, servers)), path))
  }
  for (const name of PEER_NAMES) {
    const peer = await startOrSay(rig, name, front, servers)
    if (peer !== undefined) contestants.push(toContestant(name, stack.use(peer), path))
  }
  return contestants
}

const toContestant = (name: string, { pid, baseUrl }: ServerProcess, path: string): Contestant => ({
  name,
  pid,
  url: `${baseUrl}${path}`,
})

export async function startBridge(file: string, { program }: EchoServers): Promise<ServerProcess> {
  const port = await freePort()
  const env = { PATH: process.env['PATH'] ?? '' }
  const args = [file, String(port), program]
  return startServer({ command: process.execPath, args, env, port, path: '/', anyStatus: true })
}

export const startRawBridge = (servers: EchoServers) => startBridge(RAW_BRIDGE, servers)

/** Leaves out what could not be installed, and says so. */
async function startOrSay(
  rig: Rig,
  name: PeerName,
  front: Front,
  { program }: EchoServers,
): Promise<ServerProcess | undefined> {
  try {
    return await startPeer(name, front, program)
  } catch (error) {
    rig.say(`without ${name}: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`)
    return undefined
  }
}
