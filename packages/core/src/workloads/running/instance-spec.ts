import type { RunConfig } from '@toolhaven/contract/run-config'
import {
  type InstanceSpec,
  isReservedLabel,
  LABELS,
  type Mount,
  type Prepared,
  type Source,
} from '../../ports/runtime.ts'
import type { StoredWorkload } from '../../ports/stores.ts'
import type { SupervisorDeps } from './supervisor-deps.ts'

export const instanceName = (workload: string) => `thv-${workload}`

/** Environment variable → value of the secret it receives. */
export async function readSecrets(
  deps: Pick<SupervisorDeps, 'readSecret'>,
  config: RunConfig,
): Promise<Record<string, string>> {
  const values: Record<string, string> = {}
  for (const reference of config.secrets ?? []) {
    const { name, target } = parseSecretReference(reference)
    values[target] = await deps.readSecret(name)
  }
  return values
}

export function parseSecretReference(reference: string): { name: string; target: string } {
  const [name = '', target = ''] = reference.split(',target=')
  return { name, target }
}

export interface SpecInput {
  stored: StoredWorkload
  prepared: Prepared
  source: Source
  secrets: Readonly<Record<string, string>>
  instanceId: string
  network: InstanceSpec['network']
  mounts: readonly Mount[]
}

/** What the runtime is asked to create for a workload. */
export function instanceSpec(input: SpecInput): InstanceSpec {
  const { stored, prepared, source, secrets, instanceId, network, mounts } = input
  const { config } = stored
  const limits = config.resources ?? {}
  const isStdio = config.transport === 'stdio'
  return {
    name: instanceName(config.name),
    labels: {
      ...withoutReserved(config.container_labels),
      [LABELS.marker]: 'true',
      [LABELS.name]: config.name,
      [LABELS.instance]: instanceId,
      [LABELS.generation]: String(stored.generation),
    },
    prepared,
    source,
    args: config.cmd_args ?? [],
    env: { ...transportEnv(config), ...config.env_vars, ...secrets },
    mounts,
    network,
    stdio: isStdio,
    ...(!isStdio && config.target_port && { targetPort: config.target_port }),
    ...(!isStdio && config.target_host === '::1' && { listensOnIpv6: true }),
    limits: {
      ...(limits.memory_mb && { memoryBytes: limits.memory_mb * 1024 * 1024 }),
      ...(limits.cpus && { cpus: limits.cpus }),
      ...(limits.pids && { pids: limits.pids }),
    },
  }
}

/** A configuration that was stored before such labels were refused may hold one. */
function withoutReserved(labels: RunConfig['container_labels']): Record<string, string> {
  return Object.fromEntries(Object.entries(labels ?? {}).filter(([key]) => !isReservedLabel(key)))
}

/** Variables from which common server frameworks learn where to listen. */
function transportEnv(config: RunConfig): Record<string, string> {
  if (config.transport === 'stdio' || !config.target_port) return { MCP_TRANSPORT: config.transport }
  const port = String(config.target_port)
  // The gateway reaches it there on every runtime. In host mode, any other address would expose it to the network.
  const host = '127.0.0.1'
  return {
    MCP_TRANSPORT: config.transport,
    MCP_PORT: port,
    FASTMCP_PORT: port,
    PORT: port,
    MCP_HOST: host,
    FASTMCP_HOST: host,
  }
}
