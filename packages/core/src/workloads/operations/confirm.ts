import type { PermissionProfile } from '@toolhaven/contract/permission-profile'
import type { RunConfig } from '@toolhaven/contract/run-config'
import type { CreateRequest } from '@toolhaven/contract/workload-request'
import { invalid } from '../../errors.ts'
import { hostReach, listedHostReach } from '../../net/host-reach.ts'
import type { Composition } from '../config/compose.ts'
import { declaredMounts } from '../config/mounts.ts'
import { type Problems, REFUSE } from '../config/problems.ts'
import { type OwnAddresses, type Target, type UrlOrigin, WHO } from './target.ts'

/** The part of a configuration that did not come from the user. */
type ForeignText = Pick<
  RunConfig,
  | 'network_mode'
  | 'permission_profile'
  | 'volumes'
  | 'install_hosts'
  | 'oidc_config'
  | 'telemetry_config'
  | 'audit_config'
>

/**
 * If a registry entry, an imported configuration or an adopted entry asks for access to this machine, the user must confirm that in
 * the request that uses it. What the request itself asks for needs no confirmation.
 */
export function checkConfirmed(
  host: OwnAddresses,
  asked: CreateRequest,
  target: Target,
  { config, profileOrigin }: Composition,
  { origin = 'request', problems = REFUSE }: { origin?: UrlOrigin | undefined; problems?: Problems } = {},
): void {
  const own = host.ownAddresses()
  if (origin !== 'request') return refuseUnconfirmed({ asked, own, problems }, WHO[origin], config)
  if (target.kind === 'remote') return
  // Not the profile in force, because the request may have added hosts to it.
  const profile = target.entry?.permissions
  if (profileOrigin === 'registry' && profile)
    refuseUnconfirmed({ asked, own, problems }, WHO.registry, { permission_profile: profile })
}

interface Confirming {
  asked: CreateRequest
  own: readonly string[]
  problems: Problems
}

function refuseUnconfirmed({ asked, own, problems }: Confirming, who: string, text: ForeignText): void {
  problems.check('permission_profile', () => refuseMetadata(who, text), undefined)
  problems.check('accept_network', () => refuseOpenings(asked, who, networkOpenings(text, own)), undefined)
  problems.check('accept_mounts', () => refuseMounts(asked, who, mountsAskedFor(text)), undefined)
}

function refuseOpenings(asked: CreateRequest, who: string, openings: readonly string[]): void {
  if (openings.length > 0 && asked.accept_network !== true)
    throw invalid(
      `${who} asks for ${openings.join(', ')}, which opens more of the network than servers get by default; confirm it with accept_network: true (--accept-network)`,
    )
}

function refuseMounts(asked: CreateRequest, who: string, mounts: readonly string[]): void {
  if (mounts.length > 0 && asked.accept_mounts !== true)
    throw invalid(
      `${who} asks for files of this machine: ${mounts.join(', ')}; confirm them with accept_mounts: true (--accept-mounts)`,
    )
}

const hostsOf = (profile: PermissionProfile | undefined) => profile?.network?.outbound?.allow_host ?? []

/** No confirmation allows these. */
function refuseMetadata(who: string, { permission_profile: profile, telemetry_config: telemetry }: ForeignText): void {
  const never = hostsOf(profile).find((host) => listedHostReach(host) === 'never')
  if (never !== undefined)
    throw invalid(`${who} allows ${never}, a link-local, metadata or reserved address, which no server may reach`)
  if (telemetry?.endpoint && endpointReach(telemetry.endpoint) === 'never')
    throw invalid(
      `${who} sends telemetry to ${telemetry.endpoint}, a link-local, metadata or reserved address; no collector can be there`,
    )
}

/** The host of a collector, written as `host:port` with or without a path. */
const endpointReach = (endpoint: string, own: readonly string[] = []) =>
  hostReach(URL.parse(`http://${endpoint}`)?.hostname ?? '', own)

/** The network access that a configuration grants beyond what servers and their install scripts have by default. */
function networkOpenings(text: ForeignText, own: readonly string[]): string[] {
  const { network_mode: mode, permission_profile: profile, install_hosts: hosts = [] } = text
  const inside = hostsOf(profile).filter((host) => listedHostReach(host, own) === 'private')
  return [
    ...(mode === 'host' ? ['network_mode host'] : []),
    ...inside,
    ...hosts.map((host) => `install_hosts ${host}`),
    ...daemonOpenings(text, own),
  ]
}

/** Addresses chosen by the workload to which the daemon itself would send requests, if they may be private. */
function daemonOpenings(
  { oidc_config: oidc, telemetry_config: telemetry }: ForeignText,
  own: readonly string[],
): string[] {
  const checks = oidc?.allowPrivateIP ? [oidc.issuer, oidc.jwksurl, oidc.introspectionURL] : []
  const endpoint = telemetry?.endpoint
  return [
    ...checks.flatMap((url) => (url ? `oidc_config ${url}` : [])),
    // Only a resolver knows where a name leads, and its answer may change.
    ...(endpoint && endpointReach(endpoint, own) !== 'public' ? [`telemetry_config ${endpoint}`] : []),
  ]
}

function mountsAskedFor({ volumes, permission_profile: profile, audit_config: audit }: ForeignText): string[] {
  const mounts = declaredMounts({ ...(volumes && { volumes }), ...(profile && { permission_profile: profile }) })
  return [
    ...mounts.map(({ host, container, readOnly }) => `${host}:${container}${readOnly ? ':ro' : ''}`),
    ...(profile?.privileged ? ['privileged'] : []),
    // Other files are in Toolhaven's own folder.
    ...(audit?.log_file?.startsWith('/') ? [`audit_config ${audit.log_file}`] : []),
  ]
}
