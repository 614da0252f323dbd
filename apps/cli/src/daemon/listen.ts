import { chmod, rm } from 'node:fs/promises'
import { type RequestListener, type Server, createServer } from 'node:http'
import { type Socket, connect } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import type { Hono } from 'hono'
import { ThvError, conflict, unavailable } from '@toolhaven/core/errors'
import type { WaitingLimits } from '@toolhaven/gateway/connections'
import { BoundedServer } from '@toolhaven/gateway/bounded-server'
import { findPortHolder } from '@toolhaven/gateway/port-holder'

export interface Listening {
  addresses: { host: string; port: number }[]
  close: () => Promise<void>
}

/** `localhost` means both loopbacks, if the machine has both. */
export async function listenOnTcp(
  app: Pick<Hono, 'fetch'>,
  host: string,
  port: number,
  allowPeer: (socket: Socket) => boolean,
  waiting?: WaitingLimits,
): Promise<Listening> {
  const hosts = addressesOf(host)
  const servers: Server[] = []
  let chosen = port
  try {
    for (const address of hosts) {
      const server = makeServer(app, allowPeer, waiting)
      const bound = await bind(server, address, chosen)
      if (bound === undefined) continue
      servers.push(server)
      chosen = bound
    }
  } catch (error) {
    await Promise.all(servers.map(closeServer))
    throw error
  }
  const addresses = servers.map((server) => addressOf(server))
  return { addresses, close: async () => void (await Promise.all(servers.map(closeServer))) }
}

/** Fails as listening would, unless the given process holds the port. */
export async function ensurePortIsFree(host: string, port: number, exceptPid: number): Promise<void> {
  for (const address of addressesOf(host)) {
    const isFree = () => bindAndClose(address, port)
    await isFree().catch(async (error: unknown) => {
      const holder = await findPortHolder(port)
      if (holder?.endsWith(`(pid ${exceptPid})`)) return
      if (holder !== undefined) throw error
      // The process may have ended in the meantime.
      await isFree()
    })
  }
}

async function bindAndClose(address: string, port: number): Promise<void> {
  const server = createServer()
  try {
    await bind(server, address, port)
  } finally {
    if (server.listening) await closeServer(server)
  }
}

const addressesOf = (host: string) => (host === 'localhost' ? ['127.0.0.1', '::1'] : [host])

/** Only our own user can open the socket: it is in a private folder and has mode 0600. */
export async function listenOnSocket(app: Hono, path: string, waiting?: WaitingLimits): Promise<Listening> {
  const server = makeServer(app, () => true, waiting)
  // Our daemon is the only one of its state folder, so a daemon that listens here belongs to another folder.
  if (await isSocketInUse(path))
    throw conflict(`the daemon of another state folder listens on ${path}; set XDG_RUNTIME_DIR to another folder`)
  await rm(path, { force: true })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, resolve)
  })
  await chmod(path, 0o600)
  return { addresses: [], close: () => closeServer(server) }
}

function isSocketInUse(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path)
    const end = (isThere: boolean) => {
      socket.destroy()
      resolve(isThere)
    }
    socket.once('connect', () => end(true))
    socket.once('error', () => end(false))
  })
}

function makeServer(app: Pick<Hono, 'fetch'>, allowPeer: (socket: Socket) => boolean, waiting?: WaitingLimits): Server {
  const listener = getRequestListener(app.fetch)
  const answer: RequestListener = (request, response) => {
    if (allowPeer(request.socket)) return void listener(request, response)
    response.writeHead(403, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' })
    response.end('this daemon belongs to another user of this machine\n')
  }
  return new BoundedServer(answer, {}, waiting)
}

async function bind(server: Server, host: string, port: number): Promise<number | undefined> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen({ host, port, exclusive: true }, resolve)
    })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (host === '::1' && (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT')) return undefined
    throw await explainBind(error, code, host, port)
  }
  return addressOf(server).port
}

async function explainBind(error: unknown, code: unknown, host: string, port: number): Promise<ThvError> {
  if (code === 'EADDRINUSE') {
    const holder = await findPortHolder(port)
    const isOurs = /\bthv(?:\.mjs)? \(pid \d+\)$/.test(holder ?? '')
    const by = isOurs ? ` by a Toolhaven of another HOME, ${holder}` : holder ? ` by ${holder}` : ' by another program'
    return new ThvError('conflict', `port ${port} is in use${by}; stop it, or choose another port with --port`, {
      cause: error,
    })
  }
  if (code === 'EACCES')
    return new ThvError('conflict', `port ${port} needs more rights; choose one above 1023 with --port`, {
      cause: error,
    })
  return unavailable(`cannot listen on ${host}:${port}; choose another address with --host`, error)
}

function addressOf(server: Server): { host: string; port: number } {
  const address = server.address()
  if (address === null || typeof address === 'string') throw unavailable('the server does not listen on a TCP port')
  return { host: address.address, port: address.port }
}

async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeAllConnections()
  await closed
}
