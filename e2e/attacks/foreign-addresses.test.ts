import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { until } from '@toolhaven/testing/testbed/until'
import { describeAttack } from '../src/attacks/describe-attack.ts'
import { type ClosedNetwork, startInClosedNetwork } from '../src/attacks/start-in-closed-network.ts'

/** `private.example` is somebody else's name that leads to 127.0.0.1. */
const URLS = {
  loopback: 'http://127.0.0.1/mcp',
  'the loopback by number': 'http://2130706433/mcp',
  'the loopback by name': 'http://localhost./mcp',
  'the loopback by IPv6': 'http://[::1]/mcp',
  'a private network': 'http://10.0.0.1/mcp',
  'a name for the loopback': 'http://private.example/mcp',
}

const entry = (url: string) => ({
  ...{ description: 'Hostile', url, tier: 'Community', status: 'active', transport: 'streamable-http', tools: [] },
})

describeAttack('a private address that somebody else chose', {
  defence: 'the question whether the user confirmed it',
  weaknesses: [
    {
      file: 'packages/core/src/workloads/operations/target.ts',
      find: "if (origin === 'request' || isAccepted === true) return",
      replace: 'if (text || isAccepted === true) return',
    },
  ],
  attack: async (build, context) => {
    await using network = await startInClosedNetwork(build, context)
    const folder = await mkdtemp(join(tmpdir(), 'thv-e2e-registry-'))
    await using _folder = { [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) }
    const file = join(folder, 'registry.json')
    const remotes = Object.entries(URLS).map(([, url], at) => [`entry-${at}`, entry(url)])
    const document = { version: '1.0.0', last_updated: '2026-01-15T00:00:00Z', servers: {} }
    await writeFile(file, JSON.stringify({ ...document, remote_servers: Object.fromEntries(remotes) }))
    const chosen = await network.call('PUT', '/registry/default', { local_path: file })
    if (chosen.status !== 200) throw new Error(chosen.body)

    const isReached = async (name: string, status: number) => {
      const outcome = async () => {
        if ((await network.hits()).length > 0) return 'reached'
        const { body } = await network.call('GET', `/workloads/${name}`)
        return (status >= 400 || body.includes('accept_network')) && 'refused'
      }
      const isGained = (await until(`${name} to be dialled or refused`, outcome, 60_000)) === 'reached'
      await network.call('DELETE', `/workloads/${name}`)
      await until(`${name} to be gone`, async () => (await network.call('GET', `/workloads/${name}`)).status === 404)
      await network.hits()
      return isGained
    }
    const gains: Record<string, boolean> = {}
    for (const [at, [what, url]] of Object.entries(URLS).entries()) {
      const fromEntry = await network.call('POST', '/workloads', { name: 'far', image: `entry-${at}` })
      gains[`a registry entry reaches ${what}`] = await isReached('far', fromEntry.status)
      const config = { schema_version: 'v0.1.0', name: 'copy', remote_url: url, transport: 'streamable-http' }
      const imported = await network.call('POST', '/workloads/import', config)
      gains[`an import reaches ${what}`] = await isReached('copy', imported.status)
    }
    gains['an adopted entry reaches a private network'] = await isReachedByAdoption(network)
    return gains
  },
})

/** The daemon answers only after it has tried the server for a while, so the test waits for the connection. */
async function isReachedByAdoption({ home, call, hits }: ClosedNetwork): Promise<boolean> {
  const file = join(home.env['HOME'] ?? '', '.cursor', 'mcp.json')
  await mkdir(dirname(file))
  await writeFile(file, JSON.stringify({ mcpServers: { adopted: { url: URLS['a private network'] } } }))
  let isAnswered = false
  const answered = () => void (isAnswered = true)
  void call('POST', '/discovery/servers/adopt', { name: 'adopted' }).then(answered, answered)
  const outcome = async () => ((await hits()).length > 0 ? 'reached' : isAnswered && 'refused')
  return (await until('the entry to be dialled or refused', outcome, 60_000)) === 'reached'
}

/** Where a server that the user named leads its callers. */
const INSIDE = {
  'a metadata address': 'http://169.254.169.254/latest/meta-data',
  'a metadata address by name': 'http://metadata.example/latest/meta-data',
  'a private network': 'http://10.0.0.1/mcp',
  'another address of the loopback': 'http://127.0.0.9/mcp',
}

describeAttack('a server that leads its callers elsewhere', {
  defence: 'redirects that stay within the origin',
  weaknesses: [
    {
      file: 'packages/gateway/src/http/client/upstream-target.ts',
      find: 'if (next.origin !== url.origin) return response',
      replace: '',
    },
    // Connections lead to the server's origin, whatever they ask for.
    {
      file: 'packages/gateway/src/http/client/upstream-target.ts',
      find: 'return this.#connections.send({',
      replace: 'return new UpstreamConnections(url.origin, this.#options).send({',
    },
    {
      file: 'packages/core/src/net/address-reach.ts',
      find: 'export function addressReach(address: string): AddressReach {',
      replace: "export function addressReach(address: string): AddressReach {\n  if (address !== '') return 'public'",
    },
    {
      file: 'packages/core/src/net/address-reach.ts',
      find: 'export function reachWithOwn(address: string, own: readonly string[]): AddressReach {',
      replace:
        "export function reachWithOwn(address: string, own: readonly string[]): AddressReach {\n  if (own !== undefined && address !== '') return 'public'",
    },
  ],
  attack: async (build, context) => {
    await using network = await startInClosedNetwork(build, context)
    const gains: Record<string, boolean> = {}
    for (const [at, [what, to]] of Object.entries(INSIDE).entries()) {
      const name = `far-${at}`
      const url = `http://127.0.0.1/moved?to=${encodeURIComponent(to)}`
      await network.call('POST', '/workloads', { name, url, transport: 'streamable-http' })
      let reached = false
      const isTried = async () => {
        reached ||= (await network.hits()).some((address) => address !== '127.0.0.1')
        return reached || (await network.call('GET', `/workloads/${name}`)).body.includes('"status":"error"')
      }
      await until(`${name} to have been tried`, isTried, 90_000)
      gains[`is followed to ${what}`] = reached
      await network.call('DELETE', `/workloads/${name}`)
      await until(`${name} to be gone`, async () => (await network.call('GET', `/workloads/${name}`)).status === 404)
      await network.hits()
    }
    return gains
  },
})

describeAttack('a private address that a server names for its login', {
  defence: 'the question whether the user confirmed it',
  weaknesses: [
    {
      file: 'packages/gateway/src/login/login-fetch.ts',
      find: 'if (spec.allowPrivateIp === true) return fetchFor(true)',
      replace: 'if (spec !== undefined) return fetchFor(true)',
    },
  ],
  attack: async (build, context) => {
    await using network = await startInClosedNetwork(build, context)
    const metadata = encodeURIComponent('http://10.0.0.1/description')
    await network.call('POST', '/workloads', { name: 'far', url: `http://127.0.0.1/mcp?metadata=${metadata}` })
    const isAsked = async () => (await network.call('GET', '/workloads/far')).body.includes('"status":"error"')
    await until('the server to have been asked for its login', isAsked, 60_000)
    return { 'its description is asked for at 10.0.0.1': (await network.hits()).includes('10.0.0.1') }
  },
})
