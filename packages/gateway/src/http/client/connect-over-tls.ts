import { isIP, type LookupFunction, type OnReadOpts, type Socket } from 'node:net'
import { connect, type ConnectionOptions, getCACertificates } from 'node:tls'
import { CONNECT_MS, KEEP_ALIVE_MS, hostOf, timedOut } from './connect-over-tcp.ts'

export interface SecureOptions {
  lookup: LookupFunction
  /** PEM text of a CA that the server's certificate may be signed with, besides the usual ones. */
  caCertificate?: string | undefined
}

/** Connects to one server over TLS and resumes the last session where the server allows it. */
export function connectOverTls(origin: URL, { lookup, caCertificate }: SecureOptions): (onread: OnReadOpts) => Socket {
  const host = hostOf(origin)
  const ca = caCertificate === undefined ? {} : { ca: [...getCACertificates('default'), caCertificate] }
  const options = {
    ...{ host, lookup, ...ca },
    port: origin.port === '' ? 443 : Number(origin.port),
    // SNI must not contain an IP address.
    ...(isIP(host) === 0 && { servername: host }),
    ALPNProtocols: ['http/1.1'],
    autoSelectFamily: true,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_MS,
  }
  let session: Buffer | undefined
  return (onread) => {
    // Documented, and missing from the types.
    const all: ConnectionOptions & { onread: OnReadOpts } = { ...options, onread, ...(session && { session }) }
    const socket = connect(all)
    // Sends nothing before the server's identity is known.
    socket.cork()
    const timer = setTimeout(() => socket.destroy(timedOut(host)), CONNECT_MS)
    socket.once('secureConnect', () => {
      clearTimeout(timer)
      socket.uncork()
    })
    socket.once('close', () => clearTimeout(timer))
    return socket.on('session', (latest) => {
      if (socket.authorized) session = latest
    })
  }
}
