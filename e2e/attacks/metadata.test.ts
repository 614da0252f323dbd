import { until } from '@toolhaven/testing/testbed/until'
import { describeAttack } from '../src/attacks/describe-attack.ts'
import { startInClosedNetwork } from '../src/attacks/start-in-closed-network.ts'

/** Ways to write a metadata address of a cloud, and names that stand for one. */
const HOSTS = [
  '169.254.169.254',
  '169.254.169.254.',
  '2852039166',
  '0xa9fea9fe',
  '0XA9FEA9FE',
  '0251.0376.0251.0376',
  '0xa9.254.0251.254',
  '169.254.43518',
  '169。254。169。254',
  '１６９.２５４.１６９.２５４',
  '①⑥⑨.②⑤④.①⑥⑨.②⑤④',
  '169%2E254%2E169%2E254',
  '%31%36%39.254.169.254',
  '100.100.100.200',
  '168.63.129.16',
  '[::ffff:169.254.169.254]',
  '[0:0:0:0:0:FFFF:A9FE:A9FE]',
  '[64:ff9b::a9fe:a9fe]',
  '[64:ff9b::169.254.169.254]',
  '[2002:a9fe:a9fe::1]',
  '[fd00:ec2::254]',
  '[fd20:ce::254]',
]

const NAMES = [
  'metadata.google.internal',
  'METADATA.google.internal.',
  'metadata%2Egoogle%2Einternal',
  'ｍetadata。google。internal',
  'metadata',
  'instance-data',
]

describeAttack('a remote server at a metadata address', {
  defence: 'the judgement of the address',
  weaknesses: [
    {
      file: 'packages/core/src/net/address-reach.ts',
      find: 'export function addressReach(address: string): AddressReach {',
      replace: "export function addressReach(address: string): AddressReach {\n  if (address !== '') return 'public'",
    },
    {
      file: 'packages/core/src/net/host-reach.ts',
      find: "if (METADATA_NAMES.has(host)) return 'never'",
      replace: "if (METADATA_NAMES.has('')) return 'never'",
    },
  ],
  attack: async (build, context) => {
    await using network = await startInClosedNetwork(build, context)
    const isAccepted = ({ status }: { status: number }) => status === 200 || status === 201
    const isReached = async () => (await network.hits()).some((address) => address !== '127.0.0.1')
    const gains: Record<string, boolean> = {}
    await network.call('POST', '/workloads', { name: 'edited', url: 'https://mcp.example/mcp' })
    for (const [at, host] of [...HOSTS, ...NAMES].entries()) {
      const name = `far-${at}`
      const url = `http://${host}/mcp`
      await network.hits()
      const isCreated = isAccepted(await network.call('POST', '/workloads', { name, url }))
      gains[`is created at ${host}`] = isCreated
      // The resolver of this network knows none of the names.
      if (!NAMES.includes(host))
        gains[`is reached at ${host}`] = isCreated && (await until(`${host} to be reached`, isReached, 60_000))
      await network.call('DELETE', `/workloads/${name}`)
      gains[`is moved to ${host}`] = isAccepted(await network.call('POST', '/workloads/edited/edit', { url }))
      const config = { schema_version: 'v0.1.0', name: `${name}-copy`, remote_url: url, transport: 'streamable-http' }
      gains[`is imported at ${host}`] = isAccepted(await network.call('POST', '/workloads/import', config))
      await network.call('DELETE', `/workloads/${name}-copy`)
    }
    await network.call('POST', '/workloads', { name: 'hidden', url: 'http://metadata.example/mcp' })
    const outcome = async () => {
      if ((await network.hits()).includes('169.254.169.254')) return 'reached'
      return (await network.call('GET', '/workloads/hidden')).body.includes('no MCP server can be') && 'refused'
    }
    const isHiddenReached = (await until('the name to be looked up', outcome, 60_000)) === 'reached'
    gains['is reached by a name of somebody else'] = isHiddenReached
    return gains
  },
})
