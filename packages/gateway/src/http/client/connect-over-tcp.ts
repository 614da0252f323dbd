import { connect, type LookupFunction, type OnReadOpts, type Socket } from 'node:net'
import { vettedLookup } from './vetted-lookup.ts'

export const CONNECT_MS = 10_000
export const KEEP_ALIVE_MS = 60_000

/** Connects to the host of a plain http URL, at an address where a server can be. */
export function connectOverTcp(origin: URL, onread: OnReadOpts, lookup: LookupFunction = vettedLookup()): Socket {
  const host = hostOf(origin)
  const socket = connect({
    host,
    port: origin.port === '' ? 80 : Number(origin.port),
    lookup,
    autoSelectFamily: true,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_MS,
    onread,
  })
  const timer = setTimeout(() => socket.destroy(timedOut(host)), CONNECT_MS)
  const settle = () => clearTimeout(timer)
  return socket.once('connect', settle).once('close', settle)
}

export const hostOf = ({ hostname }: URL) => hostname.replace(/^\[|\]$/g, '')

export function timedOut(host: string): Error {
  return Object.assign(new Error(`${host} did not accept the connection in time`), { code: 'ETIMEDOUT' })
}
