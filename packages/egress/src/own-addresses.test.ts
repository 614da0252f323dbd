import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { reachFromHere } from '@toolhaven/core/net/address-reach'
import { createOwnAddresses, parseIPv6 } from './own-addresses.ts'

const MODULE = fileURLToPath(new URL('own-addresses.ts', import.meta.url))
/** In a network of its own: one end of a cable whose other end is down. */
const SCRIPT = `
set -e
ip link set lo up
ip link add near0 type veth peer name far0
ip address add 93.184.216.34/24 dev near0
ip link set near0 up
ip -6 route add local 2600:aaaa::/64 dev lo
ip -6 address add 2600:dddd::7/128 dev near0
ip -6 route add 2600:dddd::/64 dev near0
ip -6 route add 2600:eeee::/64 via 2600:dddd::1
ip route add 128.0.0.0/1 dev near0
exec "$0" --input-type=module -e 'const { ownAddresses } = await import(process.argv[1]); console.log(JSON.stringify(ownAddresses()))' "$1"`

it('counts the addresses of an interface without carrier, and what is reached without a gateway', async (context) => {
  const words = ['--user', '--map-root-user', '--net', 'sh', '-c', SCRIPT, process.execPath, MODULE]
  const { stdout } = await promisify(execFile)('unshare', words).catch((error: unknown) =>
    context.skip(`this kernel has no user namespaces: ${String(error)}`),
  )
  const own: string[] = JSON.parse(stdout)
  expect(reachFromHere('93.184.216.34', own)).toBe('loopback')
  expect(reachFromHere('93.184.216.99', own)).toBe('private')
  expect(reachFromHere('93.184.217.1', own)).toBe('public')
  expect(reachFromHere('203.0.114.9', own)).toBe('public')
  expect(reachFromHere('2600:aaaa::5', own)).toBe('private')
  expect(reachFromHere('2600:dddd::34', own)).toBe('private')
  expect(reachFromHere('2600:eeee::34', own)).toBe('public')
})

it('reads what the kernel says of IPv6', () => {
  const table = `2606280002200001000000000000000a 03 40 00 82    near0\n00000000000000000000000000000001 01 80 10 80       lo\n`
  const own = parseIPv6(table)
  expect(own).toHaveLength(2)
  expect(reachFromHere('2606:2800:220:1::a', own)).toBe('loopback')
  expect(reachFromHere('2606:2800:220:1::b', own)).toBe('private')
  expect(reachFromHere('2606:2800:220:2::b', own)).toBe('public')
})

it('reads again after a second', () => {
  let time = 0
  let address = '192.0.2.1'
  const own = createOwnAddresses(
    () => time,
    () => [address],
  )
  expect(own()).toEqual(['192.0.2.1'])
  address = '192.0.2.2'
  time = 999
  expect(own()).toEqual(['192.0.2.1'])
  time = 1000
  expect(own()).toEqual(['192.0.2.2'])
})
