import type { WorkloadDetails } from '@toolhaven/contract/workloads'

export interface Fact {
  label: string
  lines: string[]
}

/** The settings of a server, with the labels of the form that changes them. */
export function configurationFacts(server: WorkloadDetails): Fact[] {
  const { resources = {}, limits = {} } = server
  const outbound = server.permission_profile?.network?.outbound
  const facts: (readonly [label: string, lines: readonly unknown[]])[] = [
    ['Runs from', [server.package]],
    ['Group', [server.group]],
    ['Variables', Object.entries(server.env_vars ?? {}).map(([name, value]) => `${name}=${value}`)],
    ['Secrets', (server.secrets ?? []).map(({ name, target }) => `${target} from ${name}`)],
    ['Headers', Object.entries(server.headers ?? {}).map(([name, value]) => `${name}: ${value}`)],
    ['Secret headers', Object.entries(server.headers_from_secrets ?? {}).map(([name, key]) => `${name} from ${key}`)],
    ['Arguments', server.cmd_arguments ?? []],
    ['Folders', server.volumes ?? []],
    ['Hosts', outbound?.insecure_allow_all ? ['Every public host'] : (outbound?.allow_host ?? [])],
    ['Ports', outbound?.allow_port ?? []],
    ['Tools', server.tools],
    ['Memory in MB', [resources.memory_mb]],
    ['CPU cores', [resources.cpus]],
    ['Processes', [resources.pids]],
    ['Requests per minute', [limits.requests_per_minute]],
    ['Requests per minute of each client', [limits.client_requests_per_minute]],
  ]
  return facts
    .map(([label, lines]) => ({ label, lines: lines.filter((line) => line !== undefined).map(String) }))
    .filter(({ lines }) => lines.length > 0)
}
