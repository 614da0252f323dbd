import { connect, isIP, type OnReadOpts, type Socket } from 'node:net'
import { showPlace } from '@toolhaven/contract/listed-host'
import { isSameAddress } from '@toolhaven/core/net/address-reach'
import type { OutboundRules } from '@toolhaven/core/ports/egress'
import { type Destination, judge, judgeAddress, type OwnSide } from './outbound-policy.ts'
import type { Resolve } from './system-resolver.ts'

/** Starts a connection. With `onread`, it delivers no data before it is resumed. */
export type Connect = (address: string, port: number, onread?: OnReadOpts) => Socket

export interface DialOptions {
  rules: OutboundRules
  resolve: Resolve
  own: () => OwnSide
  /** Whether no workload may reach it, wherever it is. */
  engine?: Destination | undefined
  connect: Connect
  connectMs: number
  onread?: OnReadOpts | undefined
}

/** The workload may not go there. */
export class Blocked extends Error {}

/** The workload may not go there, because no list names it. */
export class Unlisted extends Blocked {}

/** The workload may go there, but no host answers. */
export class Unreachable extends Error {}

export const connectOverTcp: Connect = (host, port, onread) => {
  const socket = connect({ host, port, noDelay: true, allowHalfOpen: true, ...(onread && { onread }) })
  return onread === undefined ? socket : socket.pause()
}

/** Checks the destination, resolves it, checks every address, and dials one of exactly these addresses. */
export async function dial(
  { rules, resolve, own, engine, connect: begin, connectMs, onread }: DialOptions,
  place: Destination,
): Promise<Socket> {
  const verdict = judge(rules, place)
  if (!verdict.isAllowed) throw new Unlisted(verdict.reason)
  const addresses = await addressesOf(resolve, place)
  const engines = engine?.port === place.port ? await addressesOf(resolve, engine).catch(() => []) : []
  const ownNow = own()
  // One forbidden address refuses the whole name: mixing public and private addresses is an attack or a mistake, never a need.
  for (const address of addresses) {
    const judged = judgeAddress(rules, place, address, ownNow)
    if (!judged.isAllowed) throw new Blocked(judged.reason)
    if (engines.some((each) => isSameAddress(each, address)))
      throw new Blocked(`${showPlace(place)} is the API of the container engine`)
  }
  for (const address of addresses) {
    const socket = await settled(begin(address, place.port, onread), connectMs)
    if (socket !== undefined) return socket
  }
  throw new Unreachable(`${place.host}:${place.port} does not answer`)
}

async function addressesOf(resolve: Resolve, { host, port }: Destination): Promise<readonly string[]> {
  if (isIP(host)) return [host]
  // An address needs no resolver.
  if (host === 'localhost') return ['127.0.0.1', '::1']
  const addresses = await resolvedOrNone(resolve, host)
  if (addresses.length === 0) throw new Unreachable(`${host}:${port} has no address`)
  return addresses
}

/** Returns no addresses if no resolver could be asked, but throws if the workload itself asks too much. */
export function resolvedOrNone(resolve: Resolve, host: string): Promise<readonly string[]> {
  return resolve(host).catch((error: unknown) => {
    if (error instanceof Unreachable) throw error
    return []
  })
}

/** Undefined if no host answers in time. */
function settled(socket: Socket, timeoutMs: number): Promise<Socket | undefined> {
  return new Promise((done) => {
    const giveUp = () => {
      clearTimeout(timer)
      socket.destroy()
      done(undefined)
    }
    const timer = setTimeout(giveUp, timeoutMs)
    socket.once('error', giveUp)
    socket.once('connect', () => {
      clearTimeout(timer)
      socket.off('error', giveUp)
      done(socket)
    })
  })
}
