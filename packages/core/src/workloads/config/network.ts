import { type PermissionProfile, outboundPolicy } from '@toolhaven/contract/permission-profile'
import type { NetworkMode, RunConfig } from '@toolhaven/contract/run-config'
import type { CreateRequest } from '@toolhaven/contract/workload-request'
import { invalid } from '../../errors.ts'
import type { OutboundRules } from '../../ports/egress.ts'
import type { InstanceSpec } from '../../ports/runtime.ts'
import type { StoredWorkload } from '../../ports/stores.ts'
import type { SupervisorDeps } from '../running/supervisor-deps.ts'

/** The mode of a workload that runs here. `host` together with anything that it cannot keep is refused. */
export function chooseNetworkMode(asked: CreateRequest, profile: PermissionProfile): NetworkMode {
  if (asked.network_mode !== 'host') return 'isolated'
  if (asked.network_isolation === true)
    throw invalid('network_mode host and network_isolation exclude each other; leave one of them out')
  if (asked.network_isolation_mode === 'observe')
    throw invalid(
      'network_mode host cannot be observed: its connections do not pass the egress gate; leave one of network_mode and network_isolation_mode out',
    )
  if (outboundPolicy(profile) !== 'everything')
    throw invalid(
      'network_mode host needs a permission profile that allows everything ({"name": "network"}, --permission-profile network), because nothing on the network of this machine can be refused; or leave network_mode out',
    )
  return 'host'
}

/**
 * The network of a workload, with its way out opened. A profile that lets nothing out means no network, a list means the list,
 * and everything means every public host. While it is observed it has every public host, whatever its profile says. Private
 * and loopback hosts are reached only where the profile names them.
 */
export async function openNetwork(
  deps: Pick<SupervisorDeps, 'egress' | 'sightings'>,
  config: RunConfig,
): Promise<InstanceSpec['network']> {
  const { name, permission_profile: profile = {}, network_mode: mode } = config
  if (mode === 'host') return 'host'
  const rules = rulesOf(profile, config.target_port)
  if (config.network_isolation_mode === 'observe') {
    if (!deps.sightings.of(name)) deps.sightings.begin(name)
    // A private address that the profile names is still meant.
    return deps.egress.open(name, { ...rules, allowAll: true })
  }
  return outboundPolicy(profile) === 'nothing' ? 'none' : deps.egress.open(name, rules)
}

function rulesOf({ network }: PermissionProfile, targetPort: number | undefined): OutboundRules {
  const {
    allow_host: allowHost = [],
    allow_port: allowPort = [],
    insecure_allow_all: allowAll = false,
  } = network?.outbound ?? {}
  return { allowHost, allowPort, allowAll, ...(targetPort !== undefined && { targetPort }) }
}

/** Was stored before every workload was isolated, and is not yet written down as isolated. */
export const isUnsettled = ({ network_mode: mode }: RunConfig) => mode === undefined

/** Makes such a workload isolated. If it had the network of the machine or the engine, its status says so until the next change. */
export async function settleNetworkMode(
  { book }: Pick<SupervisorDeps, 'book'>,
  { config, generation }: StoredWorkload,
): Promise<void> {
  if (!isUnsettled(config)) return
  const wasOpen =
    outboundPolicy(config.permission_profile ?? {}) === 'everything' &&
    !config.isolate_network &&
    config.network_isolation_mode !== 'observe'
  if (wasOpen) book.observe(config.name, { isolatedSince: generation })
  await book.change(config.name, (current) => ({
    ...current,
    config: { ...current.config, network_mode: 'isolated' },
  }))
}
