import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'

/** Services of this machine, on all of its addresses, and how to reach each. */
export async function openHostServices(folder: string): Promise<{ tries: string[] } & AsyncDisposable> {
  const tcp = await listen({ port: 0, host: '::' }, 'host')
  const address = tcp.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP listener has a port')
  const udp = createSocket('udp4').bind(address.port, '0.0.0.0')
  await once(udp, 'listening')
  udp.on('message', (_message, from) => udp.send('hello', from.port, from.address))
  const name = `thv-suite-${process.pid}-${address.port}`
  const abstract = await listen({ path: `\0${name}` }, 'host')
  const path = await listen({ path: join(folder, 's') }, 'host')
  const own = Object.values(networkInterfaces()).flatMap((entries) => entries ?? [])
  const four = own.filter(({ family }) => family === 'IPv4').map((entry) => entry.address)
  const six = own.filter(({ family, scopeid }) => family === 'IPv6' && !scopeid).map((entry) => entry.address)
  return {
    tries: [
      ...four.flatMap((each) => [`tcp:${each}:${address.port}`, `udp:${each}:${address.port}`]),
      ...six.map((each) => `tcp6:${each}:${address.port}`),
      ...four.map((each) => `tcp6:::ffff:${each}:${address.port}`),
      ...[`abstract:${name}`, `path:${join(folder, 's')}`],
    ],
    async [Symbol.asyncDispose]() {
      for (const server of [tcp, abstract, path]) server.close()
      udp.close()
    },
  }
}

/** Says the words to whoever comes. */
export async function listen(where: { path: string } | { port: number; host: string }, words: string): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    socket.end(words)
  })
  server.listen(where)
  await once(server, 'listening')
  return server
}
