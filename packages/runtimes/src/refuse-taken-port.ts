import { createServer } from 'node:net'
import { conflict } from '@toolhaven/core/errors'

/** For a server that shares the machine's network: another program's listener would answer in its place. */
export async function refuseTakenPort(port: number): Promise<void> {
  const server = createServer()
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen({ port, host: '127.0.0.1', exclusive: true }, resolve)
    })
  } catch (error) {
    const advice = 'stop it or give the server another target port'
    throw conflict(`Port ${port} on 127.0.0.1 is taken by another program: ${advice}.`, error)
  } finally {
    await new Promise((resolve) => server.close(resolve))
  }
}
