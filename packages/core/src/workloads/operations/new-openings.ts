import { type ListedHost, parseListedHost } from '@toolhaven/contract/listed-host'
import type { RunConfig } from '@toolhaven/contract/run-config'
import { invalid } from '../../errors.ts'

type Reach = Pick<RunConfig, 'permission_profile' | 'network_mode' | 'network_isolation_mode'>

/** Agreeing to a newer version does not include agreeing to the hosts that it connects to. */
export function refuseNewOpenings(before: Reach, after: Reach, isAccepted: boolean): void {
  const openings = isAccepted ? [] : newOpenings(before, after)
  if (openings.length > 0)
    throw invalid(
      `the new version asks to reach ${openings.join(', ')}, which the present one may not; confirm it with accept_network: true (--accept-network)`,
    )
}

/** The network access that a configuration has and its predecessor does not, as entries of `allow_host` or in words. */
function newOpenings(before: Reach, after: Reach): string[] {
  const [old, next] = [placesOf(before), placesOf(after)]
  if (old === 'everything') return []
  if (next === 'everything') return ['every public host']
  return next.flatMap(({ host, ports }) => {
    const added = ports.filter((port) => !old.some((place) => place.ports.includes(port) && covers(place.host, host)))
    return added.map((port) => (host === ANY ? `every public host at port ${port}` : `${host}:${port}`))
  })
}

const ANY = '*'
const WEB_PORTS = [80, 443]

interface Places {
  host: string
  ports: readonly number[]
}

function placesOf({
  permission_profile: profile,
  network_mode: mode,
  network_isolation_mode: isolation,
}: Reach): Places[] | 'everything' {
  const { allow_host: hosts = [], allow_port: ports = [], insecure_allow_all: all } = profile?.network?.outbound ?? {}
  if (profile === undefined || all || mode === 'host' || isolation === 'observe') return 'everything'
  // A list of ports without hosts allows every host.
  if (hosts.length === 0) return ports.length > 0 ? [{ host: ANY, ports }] : []
  const withPorts = ({ host, port }: ListedHost): Places => ({
    host,
    ports: port !== undefined ? [port] : ports.length > 0 ? ports : WEB_PORTS,
  })
  return hosts.flatMap((entry) => {
    const listed = parseListedHost(entry)
    return listed ? [withPorts(listed)] : []
  })
}

/** Both may be wildcards, `*.example.com` or `.example.com`. */
function covers(entry: string, host: string): boolean {
  const below = /^\*?(\..+)$/.exec(entry)?.[1]
  return entry === ANY || entry === host || (below !== undefined && host.endsWith(below))
}
