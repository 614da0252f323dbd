import type { Duplex } from 'node:stream'
import { isIP } from 'node:net'
import type { OutboundRules } from '@toolhaven/core/ports/egress'
import type { Destination } from './outbound-policy.ts'
import { readServerName } from './server-name.ts'

const HTTPS = 443

export interface TunnelOptions {
  place: Destination
  rules: OutboundRules
  /** What came along with the request for the tunnel. */
  head?: Buffer
  /** The tunnel was cut for what went through it. */
  onCut: (reason: string) => void
}

/** Joins the workload and the place it may reach, once its first bytes say that it means this very place. */
export function openTunnel(workload: Duplex, remote: Duplex, options: TunnelOptions): void {
  const end = () => {
    workload.destroy()
    remote.destroy()
  }
  for (const [side, other] of [
    [workload, remote],
    [remote, workload],
  ] as const) {
    side.once('error', end)
    side.once('close', () => (side.readableEnded ? endAfterWriting(other) : end()))
  }
  remote.pipe(workload)
  const pass = (first: Buffer) => {
    remote.write(first)
    workload.pipe(remote)
  }
  if (options.rules.allowAll) return pass(options.head ?? Buffer.alloc(0))

  let first = options.head ?? Buffer.alloc(0)
  const look = () => {
    const finding = examine(first, options)
    if (finding === 'more') return
    workload.off('data', onData)
    workload.pause()
    if (finding === 'fine') return pass(first)
    end()
    options.onCut(finding.fault)
  }
  const onData = (chunk: Buffer) => {
    first = Buffer.concat([first, chunk])
    look()
  }
  workload.on('data', onData)
  workload.resume()
  // A workload that only listens (a server that speaks first) may end its side without a word.
  workload.once('end', () => remote.end())
  if (first.length > 0) look()
}

/** What a side said before it went is still on its way to the other. */
function endAfterWriting(side: Duplex): void {
  if (side.writableFinished) side.destroy()
  else side.once('finish', () => side.destroy()).end()
}

type Finding = 'fine' | 'more' | { fault: string }

function examine(first: Buffer, { place, rules }: TunnelOptions): Finding {
  const { host, port } = place
  const seen = readServerName(first)
  if (seen.kind === 'more') return 'more'
  if (seen.kind === 'not-tls') {
    // On a port that somebody listed the protocol is theirs to choose; on the web's own it is TLS.
    const isFree = port !== HTTPS && rules.allowPort.includes(port)
    return isFree ? 'fine' : { fault: `${host}:${port} is only reached with TLS` }
  }
  const wanted = isIP(host) ? undefined : host
  if (seen.serverName === wanted) return 'fine'
  return { fault: `TLS for ${seen.serverName ?? 'no name'} inside a tunnel to ${host}:${port}` }
}
