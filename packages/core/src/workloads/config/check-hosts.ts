import { parseListedHost, showHost } from '@toolhaven/contract/listed-host'
import type { PermissionProfile } from '@toolhaven/contract/permission-profile'
import { invalid } from '../../errors.ts'
import { hostReach } from '../../net/host-reach.ts'
import { excerpt } from '@toolhaven/contract/visible-text'

/**
 * Checks the hosts that a request lists. Those that were stored before stay as they are: private ones without a port keep the
 * ports of their profile.
 */
export function checkHosts(profile: PermissionProfile | undefined, before: PermissionProfile | undefined): void {
  const { allow_host: hosts = [], allow_port: ports = [] } = profile?.network?.outbound ?? {}
  const stored = new Set(before?.network?.outbound?.allow_host)
  for (const entry of hosts) {
    const fault = faultOf(entry, ports)
    if (fault !== undefined && !stored.has(entry))
      throw invalid(`permission_profile: allow_host "${excerpt(entry, 100)}" ${fault}`)
  }
}

/** The same for hosts that a package may reach while it is installed. */
export function checkInstallHosts(hosts: readonly string[]): void {
  for (const entry of hosts) {
    const fault = faultOf(entry)
    if (fault !== undefined) throw invalid(`install_hosts: "${excerpt(entry, 100)}" ${fault}`)
  }
}

const NO_HOST = 'is no host; write NAME, NAME:PORT, *.NAME, an address, ADDRESS:PORT or [IPv6]:PORT'

/** What servers can ask for: the egress gate knows no other spelling, so any other entry would never be used. */
const NAME = /^(?:\*?\.)?(?:(?!-)[\w-]{1,63}(?<!-)\.)*(?!-)(?!0x[\da-f]*$)(?!\d+$)[\w-]{1,63}(?<!-)$/
const IPV4 = /^\d+\.\d+\.\d+\.\d+$/
const NO_NAME =
  'is no name that a server can ask for; write it with letters, digits, dashes and dots, *. only in front, and a name in another script as xn--…'

function faultOf(entry: string, [example = 5432]: readonly number[] = []): string | undefined {
  const listed = parseListedHost(entry)
  if (listed === undefined) return NO_HOST
  const { host, port } = listed
  if (!host.includes(':') && !IPV4.test(host) && !NAME.test(host)) return NO_NAME
  const shown = showHost(host)
  const reach = hostReach(shown)
  if (reach === 'never') return 'is a link-local, metadata or reserved address, which no server may reach; leave it out'
  if (reach !== 'private' || port !== undefined) return undefined
  return `is this machine or a private network, which is listed with its port; write it as "${shown}:PORT", for example "${shown}:${example}"`
}
