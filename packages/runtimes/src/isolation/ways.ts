import { join } from 'node:path'
import { invalid } from '@toolhaven/core/errors'
import type { WayOut } from '@toolhaven/core/ports/egress'

/** The proxy's address on the workload's loopback. */
export const PROXY_ADDRESS = '127.0.0.1'
const PROXY_PORT = 3128
/** Where the forwarder itself answers name lookups. */
const NAMES_PORT = 53
/** The forwarder has 256 listeners, a few of which are for other ways. */
const MOST_PORTS = 250

/** A unix socket that leads to a port of the workload's loopback. */
export interface WayIn {
  socketPath: string
  port: number
}

export interface Ways {
  /** Paths of sockets, as the forwarder sees them. */
  out: { proxy: string; proxyPort: number; direct: string; names: string; ports: readonly number[] } | undefined
  in: WayIn | undefined
}

/** All ways of an instance. `seenAt` is where its forwarder finds the folder of the way out. */
export function waysOf(out: WayOut | undefined, seenAt: string, wayIn: WayIn | undefined): Ways {
  if (out === undefined) return { out, in: wayIn }
  // The server itself listens on its port, and needs it on all addresses.
  const proxyPort = proxyPortOf(out)
  const taken = new Set([proxyPort, NAMES_PORT, wayIn?.port])
  const ports = [...new Set(out.ports)].filter((port) => !taken.has(port))
  if (ports.length > MOST_PORTS)
    throw invalid(
      `A permission profile can open at most ${MOST_PORTS} ports, and this one opens ${ports.length}. Shorten allow_port.`,
    )
  const [proxy, direct, names] = [join(seenAt, out.proxy), join(seenAt, out.direct), join(seenAt, out.names)]
  return { out: { proxy, proxyPort, direct, names, ports }, in: wayIn }
}

/** Not the usual port where that one is needed for a proxy of the user's own network. */
function proxyPortOf({ ports }: WayOut): number {
  let port = PROXY_PORT
  while (ports.includes(port)) port += 1
  return port
}

/**
 * Leaves the server the ports that it opens itself, unless a profile lists them: two sockets cannot listen on one port.
 */
export function withoutPorts(out: WayOut, opened: readonly number[]): WayOut {
  const isLeft = (port: number) => opened.includes(port) && out.unlisted?.includes(port) === true
  return { ...out, ports: out.ports.filter((port) => !isLeft(port)) }
}

/** The ways as arguments of the forwarder. */
export function forwarderWays(ways: Ways): string[] {
  return [...(ways.out === undefined ? [] : outward(ways.out)), ...(ways.in === undefined ? [] : inward(ways.in))]
}

function outward({ proxy, proxyPort, direct, names, ports }: NonNullable<Ways['out']>): string[] {
  const directly = ports.length === 0 ? [] : ['-d', `${ports.join(',')}=${direct}`]
  return ['-e', `${PROXY_ADDRESS}:${proxyPort}=${proxy}`, ...directly, '-n', names]
}

const inward = ({ socketPath, port }: WayIn) => ['-i', `${socketPath}=${port}`]

/** /etc/hosts of an isolated workload. The forwarder resolves all other names. */
export const HOSTS_FILE = '127.0.0.1 localhost sandbox\n::1 localhost\n'

/**
 * /etc/resolv.conf where there is a way out. The forwarder answers at every address, and every resolver accepts this
 * one.
 */
export const RESOLVER_FILE = 'nameserver 127.0.0.1\n'

/** Variables for programs that support proxies. Node 24 does when it is told to. */
export function proxyVariables(out: WayOut | undefined): Record<string, string> {
  if (out === undefined) return {}
  const proxy = `http://${PROXY_ADDRESS}:${proxyPortOf(out)}`
  const none = 'localhost,127.0.0.1,::1'
  return {
    ...{ HTTP_PROXY: proxy, HTTPS_PROXY: proxy, http_proxy: proxy, https_proxy: proxy },
    ...{ NO_PROXY: none, no_proxy: none, NODE_USE_ENV_PROXY: '1' },
  }
}
