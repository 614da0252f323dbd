import type { Server as HttpServer } from 'node:http'
import type { Server } from 'node:net'
import { conflict, invalid } from '@toolhaven/core/errors'
import { findPortHolder } from './port-holder.ts'

/** Binds exactly this address. */
export async function listen(server: Server, host: string, port: number): Promise<void> {
  try {
    await bind(server, host, port)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'EADDRINUSE') {
      const holder = await findPortHolder(port)
      throw conflict(
        `Port ${port} on ${host} is taken${holder === undefined ? '' : ` by ${holder}`}. Free it or choose another port.`,
        error,
      )
    }
    if (code === 'EACCES')
      throw invalid(`Port ${port} needs rights that the daemon does not have. Choose one above 1023.`, error)
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw invalid(`This machine has no address ${host} to listen on.`, error)
    throw error
  }
}

export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
  })
}

/** Ends the connections as well. */
export async function stopListening(server: HttpServer | undefined): Promise<void> {
  if (server === undefined) return
  const closed = closeServer(server)
  server.closeAllConnections()
  await closed
}

export function bind(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    // A resolver's answer for this name must not open a port to the network.
    const address = host === 'localhost' ? '127.0.0.1' : host
    server.listen({ host: address, port, exclusive: true }, () => {
      server.off('error', reject)
      resolve()
    })
  })
}
