import type { Lesson } from '@toolhaven/contract/lesson'
import { outboundPolicy, type PermissionProfile } from '@toolhaven/contract/permission-profile'
import type { UpdateRequest } from '@toolhaven/contract/workload-request'
import type { EditBase } from '../edit/edit-base.ts'

type Configured = Pick<EditBase, 'request' | 'details'>

/** The edit that allows a host besides what is given. */
export function allowHost({ request: { allow_hosts: hosts = [] } }: Configured, host: string): UpdateRequest {
  return { allow_hosts: [...new Set([...hosts, host])] }
}

/** The edit that takes a host back, wherever it is listed. */
export function removeHost({ request, details }: Configured, host: string): UpdateRequest {
  const inForce = details.permission_profile ?? {}
  const outbound = inForce.network?.outbound ?? {}
  const added = request.allow_hosts ?? []
  const left = (outbound.allow_host ?? []).filter((each) => each !== host)
  const update: UpdateRequest = added.includes(host) ? { allow_hosts: added.filter((each) => each !== host) } : {}
  // Without a host, a list of ports would be one for every host.
  if (left.length === 0 && outboundPolicy(inForce) === 'allow-list')
    return { ...update, permission_profile: withOutbound(inForce, {}) }
  if (!isInProfile(request, host)) return update
  const inProfile = left.filter((each) => !added.includes(each))
  return { ...update, permission_profile: withOutbound(inForce, { ...outbound, allow_host: inProfile }) }
}

/** Without a profile of its own, a server has that of its registry entry, and what was added to it. */
function isInProfile({ permission_profile: own, allow_hosts: added = [] }: EditBase['request'], host: string): boolean {
  if (own) return own.network?.outbound?.allow_host?.includes(host) ?? false
  return !added.includes(host)
}

type Outbound = NonNullable<NonNullable<PermissionProfile['network']>['outbound']>

/** Folders stay. The name goes, since the profile is no longer what it says. */
function withOutbound({ name: _, ...profile }: PermissionProfile, outbound: Outbound): PermissionProfile {
  return { ...profile, network: { outbound } }
}

/** The edit that putting a lesson in force is. */
export function lockTo({ permission_profile }: Pick<Lesson, 'permission_profile'>): UpdateRequest {
  return {
    ...{ permission_profile, network_isolation: true, allow_hosts: null, network_mode: null },
    network_isolation_mode: null,
  }
}
