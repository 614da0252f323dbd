import type { PermissionProfile } from '@toolhaven/contract/permission-profile'
import type { RunConfig } from '@toolhaven/contract/run-config'
import type { CreateRequest } from '@toolhaven/contract/workload-request'
import { invalid } from '../errors.ts'
import { listedHostReach } from '../net/host-reach.ts'
import type { Composition } from './compose.ts'
import { declaredMounts } from './mounts.ts'
import { type Target, type UrlOrigin, WHO } from './target.ts'

/** The part of a configuration that somebody else wrote. */
type ForeignText = Pick<RunConfig, 'network_mode' | 'permission_profile' | 'volumes' | 'install_hosts'>

/**
 * What a registry entry, an imported configuration or an adopted entry asks of this machine, the user has to confirm in the
 * request that uses it. What the request itself asks for needs no confirmation.
 */
export function checkConfirmed(
  asked: CreateRequest,
  target: Target,
  { config, profileOrigin }: Composition,
  origin: UrlOrigin = 'request',
): void {
  if (target.kind === 'remote') return
  if (origin !== 'request') return refuseUnconfirmed(asked, WHO[origin], config)
  // Not the profile in force, to which the request may have added hosts.
  const profile = target.entry?.permissions
  if (profileOrigin === 'registry' && profile) refuseUnconfirmed(asked, WHO.registry, { permission_profile: profile })
}

function refuseUnconfirmed(asked: CreateRequest, who: string, text: ForeignText): void {
  refuseMetadata(who, text)
  const openings = networkOpenings(text)
  if (openings.length > 0 && asked.accept_network !== true)
    throw invalid(
      `${who} asks for ${openings.join(', ')}, which opens more of the network than servers get by default; confirm it with accept_network: true (--accept-network)`,
    )
  const mounts = mountsAskedFor(text)
  if (mounts.length > 0 && asked.accept_mounts !== true)
    throw invalid(
      `${who} asks for files of this machine: ${mounts.join(', ')}; confirm them with accept_mounts: true (--accept-mounts)`,
    )
}

const hostsOf = (profile: PermissionProfile | undefined) => profile?.network?.outbound?.allow_host ?? []

/** No confirmation opens these. */
function refuseMetadata(who: string, { permission_profile: profile }: ForeignText): void {
  const never = hostsOf(profile).find((host) => listedHostReach(host) === 'never')
  if (never !== undefined)
    throw invalid(`${who} allows ${never}, a link-local, metadata or reserved address; no server may reach it`)
}

/** What a configuration opens of the network that servers and their install scripts do not have by default. */
function networkOpenings({
  network_mode: mode,
  permission_profile: profile,
  install_hosts: hosts,
}: ForeignText): string[] {
  const isHost = mode === 'host'
  const inside = hostsOf(profile).filter((host) => listedHostReach(host) === 'private')
  return [...(isHost ? ['network_mode host'] : []), ...inside, ...(hosts ?? []).map((host) => `install_hosts ${host}`)]
}

function mountsAskedFor({ volumes, permission_profile: profile }: ForeignText): string[] {
  const mounts = declaredMounts({ ...(volumes && { volumes }), ...(profile && { permission_profile: profile }) })
  return [
    ...mounts.map(({ host, container, readOnly }) => `${host}:${container}${readOnly ? ':ro' : ''}`),
    ...(profile?.privileged ? ['privileged'] : []),
  ]
}
