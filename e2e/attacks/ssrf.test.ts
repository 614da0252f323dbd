import { until } from '@toolhaven/testing/testbed/until'
import { describeAttack } from '../src/attacks/describe-attack.ts'
import { startInClosedNetwork } from '../src/attacks/start-in-closed-network.ts'

/** Every way to write an address that is not a public one. */
const HOSTS = [
  '127.0.0.1',
  '127.1',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '0177.0.0.1',
  '017700000001',
  '0.0.0.0',
  'localhost',
  'localhost.',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.1.1',
  '100.64.0.1',
  '169.254.169.254',
  '2852039166',
  '198.18.0.1',
  '203.0.113.1',
  '[::1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::ffff:169.254.169.254]',
  '[2002:7f00:1::]',
  '[2002:a9fe:a9fe::1]',
  '[2001:0:4136:e378:8000:63bf:3fff:fdd2]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b::a9fe:a9fe]',
  '[64:ff9b:1::7f00:1]',
  '[fd00:ec2::254]',
  '[2001:db8::1]',
  'private.example',
]

/** Where even a user who allows private addresses does not want to go. */
const NEVER = ['169.254.169.254', '2852039166', '0xa9fea9fe', '[::ffff:169.254.169.254]', '[2002:a9fe:a9fe::1]']

describeAttack('an address that leads inside (SSRF)', {
  defence: 'the judgement of the address that is dialled',
  weaknesses: [
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
    {
      file: 'packages/stores/src/net/vet-url.ts',
      find: 'if (isIPv4(url.hostname) && !text.includes(url.hostname)) {',
      replace: "if (isIPv4('')) {",
    },
  ],
  attack: async (build, context) => {
    await using network = await startInClosedNetwork(build, context)
    const gains: Record<string, boolean> = {}
    const arrives = async (what: string, isIt: (address: string) => boolean = () => true) => {
      gains[what] = (await network.hits()).some(isIt)
    }
    for (const host of HOSTS) {
      await network.call('PUT', '/registry/default', { url: `https://${host}/registry.json` })
      await arrives(`the registry is asked for at ${host}`)
    }
    const isMetadata = (address: string) => address !== '127.0.0.1'
    for (const host of NEVER) {
      const url = `http://127.0.0.1/redirect?to=${encodeURIComponent(`http://${host}/latest/meta-data`)}`
      await network.call('PUT', '/registry/default', { url, allow_private_ip: true })
      await arrives(`a redirect of the registry is followed to ${host}`, isMetadata)
    }
    const metadata = encodeURIComponent('https://169.254.169.254/latest/meta-data')
    await network.call('POST', '/workloads', { name: 'far', url: `http://127.0.0.1/mcp?metadata=${metadata}` })
    const isAsked = async () => (await network.call('GET', '/workloads/far')).body.includes('"status":"error"')
    await until('the server to have been asked for its login', isAsked, 60_000)
    await arrives('the description of a login is asked for at 169.254.169.254', isMetadata)
    return gains
  },
})
