import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'

export interface HostServices extends AsyncDisposable {
  /** The port that all of them share. */
  port: number
  /** How to reach each of them. */
  tries: string[]
  /** Those whose address this machine still has: bridges of other tests' engines come and go. */
  lasting: () => string[]
}

/** Services of this machine, on all of its addresses. */
export async function openHostServices(folder: string): Promise<HostServices> {
  const tcp = await listen({ port: 0, host: '::' }, 'host')
  const address = tcp.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP listener has a port')
  const udp = createSocket('udp4').bind(address.port, '0.0.0.0')
  await once(udp, 'listening')
  udp.on('message', (_message, from) => udp.send('hello', from.port, from.address))
  const name = `thv-suite-${process.pid}-${address.port}`
  const abstract = await listen({ path: `\0${name}` }, 'host')
  const path = await listen({ path: join(folder, 's') }, 'host')
  const own = ownAddresses()
  const four = own.filter(({ family }) => family === 'IPv4').map((entry) => entry.address)
  const six = own.filter(({ family, scopeid }) => family === 'IPv6' && !scopeid).map((entry) => entry.address)
  const sockets = [`abstract:${name}`, `path:${join(folder, 's')}`]
  const overNetwork = [
    ...four.flatMap((each) => [
      { each, attempt: `tcp:${each}:${address.port}` },
      { each, attempt: `udp:${each}:${address.port}` },
    ]),
    ...six.map((each) => ({ each, attempt: `tcp6:${each}:${address.port}` })),
    ...four.map((each) => ({ each, attempt: `tcp6:::ffff:${each}:${address.port}` })),
  ]
  return {
    port: address.port,
    tries: [...overNetwork.map(({ attempt }) => attempt), ...sockets],
    lasting: () => {
      const now = new Set(ownAddresses().map((entry) => entry.address))
      return [...overNetwork.filter(({ each }) => now.has(each)).map(({ attempt }) => attempt), ...sockets]
    },
    async [Symbol.asyncDispose]() {
      for (const server of [tcp, abstract, path]) server.close()
      udp.close()
    },
  }
}

const ownAddresses = () => Object.values(networkInterfaces()).flatMap((entries) => entries ?? [])

/** Sends the words to every caller. */
export async function listen(where: { path: string } | { port: number; host: string }, words: string): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    socket.end(words)
  })
  server.listen(where)
  await once(server, 'listening')
  return server
}
