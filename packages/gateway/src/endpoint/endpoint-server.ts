import type { Server } from 'node:http'
import type { EndpointSpec } from '@toolhaven/core/ports/gateway'
import { PlainServer } from '../http/server/plain-server.ts'
import { countUnreadOf } from '../http/server/unread-bytes.ts'
import { listen } from './listen.ts'
import type { GatewayOptions } from './options.ts'
import type { KeptBytes } from '../sessions/kept-bytes.ts'

type Handle = ConstructorParameters<typeof PlainServer>[0]

/** Listens at the endpoint's address. What its clients do not read counts as kept for them. */
export async function endpointServer(
  { host, port }: EndpointSpec,
  kept: KeptBytes,
  waiting: GatewayOptions['waiting'],
  handle: Handle,
): Promise<Server> {
  const server = new PlainServer(handle, {}, waiting)
  server.on('connection', (socket) => countUnreadOf(socket, kept))
  await listen(server, host, port).catch((error: unknown) => {
    // It has counted as an open port since it was created.
    server.close()
    throw error
  })
  return server
}
