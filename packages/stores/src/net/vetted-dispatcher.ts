import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { getCACertificates } from 'node:tls'
import { invalid, unavailable } from '@toolhaven/core/errors'
import { Agent, buildConnector, type Dispatcher, EnvHttpProxyAgent } from 'undici'
import { reachWithOwn } from '@toolhaven/core/net/address-reach'

export interface VettedDispatcherOptions {
  /** Allows this machine, private networks and plain http. Link-local and reserved addresses stay refused. */
  allowPrivate: boolean
  /** See `Host`; they count as private. */
  ownAddresses?: () => readonly string[]
  /** Resolves a name to all its addresses (default: the system's resolver). */
  resolve?: (hostname: string) => Promise<string[]>
  /** PEM certificates to trust in addition to the usual ones. */
  caCertificates?: string[]
  /**
   * Used only if private addresses are allowed: a proxy resolves the name and dials, so Toolhaven cannot check the
   * address. Without that permission, connections are always direct.
   */
  proxy?: { http?: string; https?: string; except?: string }
}

/**
 * Resolves names, checks every address, and dials exactly a checked address, so that a name cannot point elsewhere between the
 * check and the connection.
 */
export function createVettedDispatcher(options: VettedDispatcherOptions): Dispatcher {
  const ca = options.caCertificates && [...getCACertificates('default'), ...options.caCertificates]
  const tls = ca ? { ca } : {}
  const proxy = options.proxy
  const connect = vettingConnector(options, buildConnector({ ...tls, allowH2: false }))
  if (options.allowPrivate && (proxy?.http || proxy?.https)) {
    // `connect` is for the hosts that the proxy is not used for.
    // Empty texts rather than undefined: for undefined, the library reads the environment.
    const addresses = { httpProxy: proxy.http ?? '', httpsProxy: proxy.https ?? '', noProxy: proxy.except ?? '' }
    return new EnvHttpProxyAgent({ ...addresses, requestTls: tls, connect })
  }
  // The caller's time limit ends a silent connection. An endless stream has no time limit.
  return new Agent({ connect, bodyTimeout: 0 })
}

function vettingConnector(
  options: VettedDispatcherOptions,
  connect: buildConnector.connector,
): buildConnector.connector {
  return (target, callback) => {
    const host = target.hostname.replace(/^\[(.*)\]$/, '$1')
    vettedAddresses(options, host).then(
      (addresses) => dialInTurn(connect, { target, host, addresses }, callback),
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null),
    )
  }
}

/** One forbidden address refuses the whole name, because mixing public and private addresses is an attack or a mistake. */
async function vettedAddresses(options: VettedDispatcherOptions, host: string): Promise<string[]> {
  const addresses = isIP(host) ? [host] : await (options.resolve ?? resolveWithSystem)(host)
  if (addresses.length === 0) throw unavailable(`${host} has no address`)
  for (const address of addresses) {
    const reach = reachWithOwn(address, options.ownAddresses?.() ?? [])
    if (reach === 'public' || (reach === 'private' && options.allowPrivate)) continue
    const what = host === address ? host : `${host} leads to ${address}, which`
    const hint = reach === 'private' ? ': allow private addresses to use it' : ' and is never reached'
    throw invalid(`${what} is not a public address${hint}`)
  }
  return addresses
}

interface Dial {
  target: buildConnector.Options
  host: string
  addresses: string[]
}

function dialInTurn(connect: buildConnector.connector, dial: Dial, callback: buildConnector.Callback): void {
  const { target, host, addresses } = dial
  const [address, ...others] = addresses
  if (address === undefined) return callback(unavailable(`${host} has no address`), null)
  // The certificate is checked against the name, not against the address.
  const servername = target.protocol === 'https:' && !isIP(host) ? { servername: host } : {}
  connect({ ...target, ...servername, hostname: address }, (error, socket) => {
    if (error === null) return callback(null, socket)
    if (others.length > 0) return dialInTurn(connect, { target, host, addresses: others }, callback)
    callback(error, null)
  })
}

async function resolveWithSystem(host: string): Promise<string[]> {
  const answers = await lookup(host, { all: true })
  return answers.map((answer) => answer.address)
}
