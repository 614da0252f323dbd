import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import type { BoundedServer, ServerTimes } from '../../src/http/server/bounded-server.ts'
import type { WaitingLimits } from '../../src/http/server/connections.ts'
import type { Answer } from '../../src/http/server/exchange.ts'
import type { PlainServer } from '../../src/http/server/plain-server.ts'
import { tell } from './telling-server.ts'

/** Whoever reads the requests. */
export type Kind = typeof BoundedServer | typeof PlainServer

export async function openServer(
  Kind: Kind,
  options: { answer?: Answer; times?: Partial<ServerTimes>; limits?: WaitingLimits } = {},
): Promise<Server> {
  const server = new Kind(options.answer ?? tell, options.times, options.limits).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return server
}

export function addressOf(server: Server): AddressInfo {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP listener has a port')
  return address
}
