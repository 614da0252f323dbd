import { join } from 'node:path'
import type { WayOut } from '@toolhaven/core/ports/egress'

const PROXY_PORT = 3128

/** A unix socket that leads to a port of the workload's loopback. */
export interface WayIn {
  socketPath: string
  port: number
}

/** An address of the workload's loopback that leads to a unix socket. */
interface LoopbackWay {
  address: string
  port: number
  socketPath: string
}

export interface Ways {
  out: readonly LoopbackWay[]
  in: WayIn | undefined
}

/** All ways of an instance. `seenAt` is where its forwarder finds the folder of the way out. */
export function waysOf(out: WayOut | undefined, seenAt: string, wayIn: WayIn | undefined): Ways {
  const proxy =
    out === undefined ? [] : [{ address: '127.0.0.1', port: PROXY_PORT, socketPath: join(seenAt, out.proxy) }]
  return { out: proxy, in: wayIn }
}

/** The ways as arguments of the forwarder. */
export function forwarderWays(ways: Ways): string[] {
  return [
    ...ways.out.flatMap(({ address, port, socketPath }) => ['-e', `${address}:${port}=${socketPath}`]),
    ...(ways.in === undefined ? [] : ['-i', `${ways.in.socketPath}=${ways.in.port}`]),
  ]
}

/** /etc/hosts of the workload. */
export function hostsFile(): string {
  return '127.0.0.1 localhost sandbox\n::1 localhost\n'
}

/** What programs that know proxies read. Node 24 does when it is told to. */
export function proxyVariables(out: WayOut | undefined): Record<string, string> {
  if (out === undefined) return {}
  const proxy = `http://127.0.0.1:${PROXY_PORT}`
  const none = 'localhost,127.0.0.1,::1'
  return {
    ...{ HTTP_PROXY: proxy, HTTPS_PROXY: proxy, http_proxy: proxy, https_proxy: proxy },
    ...{ NO_PROXY: none, no_proxy: none, NODE_USE_ENV_PROXY: '1' },
  }
}
