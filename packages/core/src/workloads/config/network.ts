import { type PermissionProfile, outboundPolicy } from '@toolhaven/contract/permission-profile'
import type { NetworkMode, RunConfig } from '@toolhaven/contract/run-config'
import type { CreateRequest } from '@toolhaven/contract/workload-request'
import { invalid } from '../../errors.ts'
import type { OutboundRules } from '../../ports/egress.ts'
import type { InstanceSpec } from '../../ports/runtime.ts'
import type { StoredWorkload } from '../../ports/stores.ts'
import type { SupervisorDeps } from '../running/supervisor-deps.ts'

/** The network mode of a workload that runs here. Refuses `host` together with settings that it cannot enforce. */
export function chooseNetworkMode(asked: CreateRequest, profile: PermissionProfile): NetworkMode {
  if (asked.network_mode !== 'host') return 'isolated'
  if (asked.network_isolation === true)
    throw invalid('network_mode host and network_isolation exclude each other; remove one of them')
  if (asked.network_isolation_mode === 'observe')
    throw invalid(
      'network_mode host cannot be observed, because its connections do not pass the egress gate; remove network_mode or network_isolation_mode',
    )
  if (outboundPolicy(profile) !== 'everything')
    throw invalid(
      'network_mode host needs a permission profile that allows everything ({"name": "network"}, --permission-profile network), because Toolhaven cannot refuse connections on the network of this machine; or remove network_mode',
    )
  return 'host'
}

/**
 * Opens the way out of a workload and returns its network. A profile that allows nothing gives no network, a list allows the listed
 * hosts, and a profile that allows everything allows every public host. An observed workload reaches every public host, whatever
 * its profile says. It reaches private and loopback hosts only if the profile names them.
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
    // A private address that the profile names stays allowed.
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

/** Whether the workload was stored before every workload was isolated, and is not yet marked as isolated. */
export const isUnsettled = ({ network_mode: mode }: RunConfig) => mode === undefined

/** Isolates such a workload. If it had the network of the machine or the engine, its status says so until the next change. */
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
