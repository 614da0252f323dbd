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
  const places = placesOf(out).map(({ address, port, socket }) => ({ address, port, socketPath: join(seenAt, socket) }))
  return { out: [...proxy, ...places], in: wayIn }
}

/** The ways as arguments of the forwarder. */
export function forwarderWays(ways: Ways): string[] {
  return [
    ...ways.out.flatMap(({ address, port, socketPath }) => ['-e', `${address}:${port}=${socketPath}`]),
    ...(ways.in === undefined ? [] : ['-i', `${ways.in.socketPath}=${ways.in.port}`]),
  ]
}

/** /etc/hosts of the workload: names it may reach, for programs that know nothing of proxies. */
export function hostsFile(out: WayOut | undefined): string {
  const lines = [
    '127.0.0.1 localhost sandbox',
    '::1 localhost',
    ...[...loopbackNames(out)].map(([host, address]) => `${address} ${host}`),
  ]
  return `${lines.join('\n')}\n`
}

/** The names and their addresses. */
export function loopbackNames(out: WayOut | undefined): Map<string, string> {
  return new Map(placesOf(out).map(({ host, address }) => [host, address]))
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

/** Each name has a loopback address of its own, so that every port of it can be listened on. */
function placesOf(out: WayOut | undefined) {
  const hosts = [...new Set(out?.places.map(({ host }) => host))]
  return (out?.places ?? []).map((place) => ({ ...place, address: `127.1.0.${hosts.indexOf(place.host) + 1}` }))
}
