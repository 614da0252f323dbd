import type { Duplex } from 'node:stream'
import { isIP, type Socket } from 'node:net'
import type { OutboundRules } from '@toolhaven/core/ports/egress'
import type { Download } from './download.ts'
import { type Destination, isListedPort } from './outbound-policy.ts'
import { type FirstBytes, FirstBytesReader } from './server-name.ts'

const HTTPS = 443
/** Three ways to say the same. */
const LOCAL_HOSTS: readonly string[] = ['localhost', '127.0.0.1', '::1']

export interface TunnelOptions {
  place: Destination
  rules: OutboundRules
  /** Receives the data from the destination. */
  download: Download
  /** The bytes that came with the request for the tunnel. */
  head?: Buffer
  /** Called once, when the first bytes are known, or at the end of an unused tunnel. */
  onContents: (contents: Contents) => void
}

/** The protocol in a tunnel, from its first bytes. */
export interface Contents {
  speaks?: 'tls' | 'http-tunnel' | 'other'
  /** The path of the first HTTP request. */
  path?: string
  /** Why the tunnel is cut or, if everything is allowed, why a list would have cut it. */
  fault?: string
  /** Whether the only problem is that the port is not listed. */
  isListable?: boolean
}

/** Connects the workload with its destination, once its first bytes confirm this destination. */
export function openTunnel(workload: Duplex, remote: Socket, options: TunnelOptions): void {
  const tell = onlyOnce(options.onContents)
  const end = () => {
    tell({})
    workload.destroy()
    remote.destroy()
  }
  for (const [side, other] of [
    [workload, remote],
    [remote, workload],
  ] as const) {
    side.once('error', end)
    side.once('close', () => {
      tell({})
      if (side.readableEnded) endAfterWriting(other)
      else end()
    })
  }
  options.download.start(remote, workload)
  const pass = (bytes: Buffer) => {
    remote.write(bytes)
    workload.pipe(remote)
  }
  const isHeld = !options.rules.allowAll
  const { head = Buffer.alloc(0) } = options
  const reader = new FirstBytesReader()
  const look = (chunk: Buffer) => {
    const seen = reader.take(chunk)
    if (seen.kind === 'more') return
    workload.off('data', look)
    const contents = examine(seen, reader.bytes, options)
    tell(contents)
    if (!isHeld) return
    workload.pause()
    if (contents.fault === undefined) pass(reader.bytes)
    else end()
  }
  workload.on('data', look)
  if (isHeld) {
    workload.resume()
    // A workload that only listens (a server that speaks first) may end its side without a word.
    workload.once('end', () => remote.end())
  } else {
    pass(head)
  }
  if (head.length > 0) look(head)
  // It may have ended its side while the destination was dialled.
  if (isHeld && workload.readableEnded) remote.end()
}

/** Data that a side sent before it closed is still in transit. */
function endAfterWriting(side: Duplex): void {
  if (side.writableFinished) side.destroy()
  else side.once('finish', () => side.destroy()).end()
}

function examine(
  seen: Exclude<FirstBytes, { kind: 'more' }>,
  first: Buffer,
  { place, rules }: TunnelOptions,
): Contents {
  const { host, port } = place
  if (seen.kind === 'not-tls') {
    // 443 carries only TLS. Other ports may carry any protocol if they are listed or everything is allowed.
    const isListable = port !== HTTPS
    const isFree = isListable && (rules.allowAll || isListedPort(rules, place))
    const contents = readRequest(first)
    return isFree ? contents : { ...contents, fault: `${host}:${port} is only reached with TLS`, isListable }
  }
  const wanted = isIP(host) ? undefined : host
  const isLocal = LOCAL_HOSTS.includes(host) && (seen.serverName === undefined || seen.serverName === 'localhost')
  if (seen.serverName === wanted || isLocal) return { speaks: 'tls' }
  return { speaks: 'tls', fault: `TLS for ${seen.serverName ?? 'no name'} inside a tunnel to ${host}:${port}` }
}

/** Programs that tunnel everything also send plain HTTP through tunnels. */
function readRequest(first: Buffer): Contents {
  const [, target] = /^[A-Z]{3,16} (\/[!-~]*) HTTP\/1\.[01]\r\n/.exec(first.toString('latin1')) ?? []
  return target === undefined ? { speaks: 'other' } : { speaks: 'http-tunnel', path: target.split(/[?#]/)[0] ?? '/' }
}

function onlyOnce<T>(tell: (value: T) => void): (value: T) => void {
  let isTold = false
  return (value) => {
    if (isTold) return
    isTold = true
    tell(value)
  }
}
