import { lookup, Resolver } from 'node:dns/promises'
import { readFileSync, statSync } from 'node:fs'
import { isIP } from 'node:net'
import { createLimiter } from '@toolhaven/core/workloads/limiter'

/** All addresses of a name. */
export type Resolve = (host: string) => Promise<readonly string[]>

export interface SystemResolverOptions {
  hostsFile?: string
  resolverFile?: string
  /** Replaces the machine's own DNS servers. */
  servers?: readonly string[]
}

export const DNS_TIMEOUT = { timeout: 2_000, tries: 2 } as const
const MULTICAST_MS = 10_000

/**
 * Looks names up as the system does: in /etc/hosts, then through DNS with the search list. `dns.lookup` would do the same in a pool
 * of a few threads for the whole daemon, in which slow names of one workload would delay all others.
 */
export function createSystemResolver(options: SystemResolverOptions = {}): Resolve {
  const { hostsFile = '/etc/hosts', resolverFile = '/etc/resolv.conf', servers } = options
  const addressesInFile = hostsReader(hostsFile)
  const oneAtATime = createLimiter(1)
  return async (host) => {
    const listed = addressesInFile(host)
    if (listed.length > 0) return listed
    // The system resolves multicast DNS. It gets one thread of the pool, so that the others stay free.
    if (host.endsWith('.local')) return oneAtATime(() => lookUpInPool(host), AbortSignal.timeout(MULTICAST_MS))
    for (const name of namesToTry(host, readText(resolverFile))) {
      const found = await askDns(name, servers)
      if (found.length > 0) return found
    }
    return []
  }
}

async function lookUpInPool(host: string): Promise<string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address)
}

/** A new resolver each time: it reads the machine's configuration when it is made, and networks come and go. */
async function askDns(name: string, servers: readonly string[] | undefined): Promise<string[]> {
  const resolver = new Resolver(DNS_TIMEOUT)
  if (servers) resolver.setServers(servers)
  const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  const found = [four, six].flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
  // A failing server says nothing about the name, so the next name in the search list must not replace it.
  for (const each of found.length > 0 ? [] : [four, six])
    if (each.status === 'rejected' && !isNoAddress(each.reason)) throw each.reason
  return found
}

function isNoAddress(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return code === 'ENODATA' || code === 'ENOTFOUND'
}

/** In the order of resolv.conf(5): a name with fewer dots than `ndots` is taken for the beginning of another one first. */
function namesToTry(host: string, configuration: string): string[] {
  const lines = configuration.split('\n').map((line) => line.trim().split(/\s+/))
  // The last one counts. `domain` is an older form for a list of one.
  const [, ...domains] = lines.findLast(([word]) => word === 'search' || word === 'domain') ?? []
  const options = lines.filter(([word]) => word === 'options').flat()
  const ndots = Number(options.findLast((option) => /^ndots:\d+$/.test(option))?.slice('ndots:'.length) ?? 1)
  const longer = domains.filter((domain) => domain !== '.').map((domain) => `${host}.${domain}`)
  return host.split('.').length - 1 < ndots ? [...longer, host] : [host, ...longer]
}

/** Reads the file only when it has changed, because it may hold a hundred thousand names. */
function hostsReader(file: string): (host: string) => readonly string[] {
  let known: { mark: string; addresses: Map<string, string[]> } | undefined
  return (host) => {
    const { mtimeMs, size, ino } = statSync(file, { throwIfNoEntry: false }) ?? { mtimeMs: 0, size: 0, ino: 0 }
    const mark = `${mtimeMs} ${size} ${ino}`
    if (known?.mark !== mark) known = { mark, addresses: parseHosts(readText(file)) }
    return known.addresses.get(host) ?? []
  }
}

function parseHosts(text: string): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const line of text.split('\n')) {
    const [address = '', ...names] = (line.split('#')[0] ?? '').trim().split(/\s+/)
    if (isIP(address) === 0) continue
    for (const name of names) {
      const key = name.toLowerCase()
      const addresses = found.get(key)
      if (addresses) addresses.push(address)
      else found.set(key, [address])
    }
  }
  return found
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // Without the file, there is nothing in it.
    return ''
  }
}
