import { parseListedHost } from '@toolhaven/contract/listed-host'
import type { RunConfig } from '@toolhaven/contract/run-config'
import { invalid } from '../../errors.ts'
import { FORWARDER_PORTS, MOST_DIRECT_PORTS } from '../../ports/egress.ts'
import { excerpt } from '@toolhaven/contract/visible-text'

type Listed = Pick<RunConfig, 'permission_profile' | 'target_port'>

/** Refuses listed ports that would have no effect in the workload's own network. Stored ports are not checked again. */
export function checkPorts(config: Listed, before: Listed | undefined): void {
  const listed = listedPorts(config)
  const stored = new Set(listedPorts(before ?? {}).map(({ entry }) => entry))
  for (const { entry, host, port } of listed) {
    const fault = isLoopback(host) ? faultOf(port, config.target_port) : undefined
    if (fault !== undefined && !(stored.has(entry) && before?.target_port === config.target_port))
      throw invalid(`permission_profile: ${entry} cannot reach this machine: ${fault}`)
  }
  const isHeld = (port: number) => port !== config.target_port && !FORWARDER_PORTS.includes(port)
  const held = [...new Set(listed.map(({ port }) => port))].filter(isHeld)
  const surplus = listed.find(({ port }) => port === held[MOST_DIRECT_PORTS])
  if (surplus !== undefined && !stored.has(surplus.entry))
    throw invalid(
      `permission_profile: a server can have at most ${MOST_DIRECT_PORTS} ports, and this one lists ${held.length}; remove ${surplus.entry} and everything after it`,
    )
}

interface ListedPort {
  /** The name of the entry in the message. */
  entry: string
  host?: string
  port: number
}

function listedPorts({ permission_profile: profile }: Listed): ListedPort[] {
  const { allow_host: hosts = [], allow_port: ports = [] } = profile?.network?.outbound ?? {}
  const withPort = hosts.flatMap((entry) => {
    const { host, port } = parseListedHost(entry) ?? {}
    return host === undefined || port === undefined ? [] : { entry: `allow_host "${excerpt(entry, 100)}"`, host, port }
  })
  return [...withPort, ...ports.map((port) => ({ entry: `allow_port ${port}`, port }))]
}

const isLoopback = (host = '') => host === 'localhost' || host === '::1' || /^127(\.\d+){3}$/.test(host)

function faultOf(port: number, targetPort: number | undefined): string | undefined {
  if (port === targetPort)
    return `in its own network the server itself listens on port ${port} (target_port); choose another target_port, or move the other service`
  if (FORWARDER_PORTS.includes(port))
    return `in the server's own network Toolhaven needs the ports ${FORWARDER_PORTS.join(' and ')}; move the other service to another port`
  return undefined
}
