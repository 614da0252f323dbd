import { parseListedHost, showHost } from '@toolhaven/contract/listed-host'
import type { PermissionProfile } from '@toolhaven/contract/permission-profile'
import { invalid } from '../../errors.ts'
import { hostReach } from '../../net/host-reach.ts'
import { excerpt } from '@toolhaven/contract/visible-text'

/**
 * Checks the hosts that a request lists. Stored hosts are not checked again: private ones without a port keep the ports of their
 * profile.
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

/** The same for hosts that a package may reach during its installation. */
export function checkInstallHosts(hosts: readonly string[]): void {
  for (const entry of hosts) {
    const fault = faultOf(entry)
    if (fault !== undefined) throw invalid(`install_hosts: "${excerpt(entry, 100)}" ${fault}`)
  }
}

const NO_HOST = 'is not a host; write NAME, NAME:PORT, *.NAME, an address, ADDRESS:PORT or [IPv6]:PORT'

/** Entries must have the spelling that servers use, because the egress gate would never match any other. */
const NAME = /^(?:\*?\.)?(?:(?!-)[\w-]{1,63}(?<!-)\.)*(?!-)(?!0x[\da-f]*$)(?!\d+$)[\w-]{1,63}(?<!-)$/
const IPV4 = /^\d+\.\d+\.\d+\.\d+$/
const NO_NAME =
  'is not a name that a server can look up; use letters, digits, dashes and dots, *. only at the beginning, and xn--… for a name in another script'

function faultOf(entry: string, [example = 5432]: readonly number[] = []): string | undefined {
  const listed = parseListedHost(entry)
  if (listed === undefined) return NO_HOST
  const { host, port } = listed
  if (!host.includes(':') && !IPV4.test(host) && !NAME.test(host)) return NO_NAME
  const shown = showHost(host)
  const reach = hostReach(shown)
  if (reach === 'never') return 'is a link-local, metadata or reserved address, which no server may reach; remove it'
  if (reach !== 'private' || port !== undefined) return undefined
  return `is this machine or a private network, and needs a port; write it as "${shown}:PORT", for example "${shown}:${example}"`
}
