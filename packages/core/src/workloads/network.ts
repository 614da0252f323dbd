import { type PermissionProfile, outboundPolicy } from '@toolhaven/contract/permission-profile'
import type { RunConfig } from '@toolhaven/contract/run-config'
import type { OutboundRules } from '../ports/egress.ts'
import type { InstanceSpec } from '../ports/runtime.ts'
import type { SupervisorDeps } from './supervisor-deps.ts'

/**
 * The network of a workload, with its way out opened. A profile that lets nothing out means no network, and a list means the
 * list, whether isolation was asked for or not; isolation of a profile that lets everything out still keeps this machine and
 * the networks around it out of reach. One that is observed has every public host, whatever its profile says.
 */
export async function openNetwork(
  deps: Pick<SupervisorDeps, 'egress' | 'sightings'>,
  config: RunConfig,
): Promise<InstanceSpec['network']> {
  const { name, permission_profile: profile = {}, isolate_network: isIsolated, network_isolation_mode: mode } = config
  const rules = rulesOf(profile, config.target_port)
  if (mode === 'observe') {
    if (!deps.sightings.of(name)) deps.sightings.begin(name)
    // A private address that the profile names is still meant.
    return deps.egress.open(name, { ...rules, allowAll: true })
  }
  const policy = outboundPolicy(profile)
  if (policy === 'nothing') return 'none'
  return policy === 'allow-list' || isIsolated ? deps.egress.open(name, rules) : 'full'
}

function rulesOf({ network }: PermissionProfile, targetPort: number | undefined): OutboundRules {
  const {
    allow_host: allowHost = [],
    allow_port: allowPort = [],
    insecure_allow_all: allowAll = false,
  } = network?.outbound ?? {}
  return { allowHost, allowPort, allowAll, ...(targetPort !== undefined && { targetPort }) }
}
