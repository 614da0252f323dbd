import { connectOverTls, type SecureOptions } from './connect-over-tls.ts'
import type { Connections } from './connections.ts'
import { PlainConnections } from './plain-connections.ts'

/** The kept connections to one server that is asked over TLS. */
export function secureConnections(origin: URL, options: SecureOptions): Connections {
  return new PlainConnections(origin, connectOverTls(origin, options))
}
