import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import type { OutboundRules, Sighting } from '@toolhaven/core/ports/egress'
import type { Decision } from '../../src/decision.ts'
import { connectOverTcp } from '../../src/dial.ts'
import { EgressGate, type EgressGateOptions } from '../../src/egress-gate.ts'
import { NameMap } from '../../src/name-map.ts'
import { portOf } from './port-of.ts'

export const PUBLIC = '93.184.216.34'

export const rules = (change: Partial<OutboundRules>): OutboundRules => ({
  allowHost: [],
  allowPort: [],
  allowAll: false,
  ...change,
})

/** Removed when the test is over, after what was opened in it. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'thv-egress-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** A gate for whose names a table answers, and whose public connections all lead to `server`. */
export async function openGate(
  server: Server,
  options: Partial<EgressGateOptions> = {},
  table: Record<string, string[]> = {},
) {
  const folder = await temporaryFolder()
  const socketPath = join(folder, 'e.sock')
  const watched = watchedGate(server, {
    ...{ socketPath, rules: rules({ allowHost: ['api.example.com'] }) },
    resolve: async (host) => table[host] ?? [PUBLIC],
    ...options,
  })
  await watched.gate.open()
  onTestFinished(() => watched.gate.close())
  return { ...watched, socketPath }
}

/** A gate all of whose connections lead to `server`, with an address for each of these names. */
export async function openDirectGate(
  server: Server,
  options: Partial<EgressGateOptions>,
  names: readonly string[] = [],
) {
  const folder = await temporaryFolder()
  const map = new NameMap(join(folder, 'map'))
  onTestFinished(() => map.close())
  const socketPath = join(folder, 'p')
  const watched = watchedGate(server, { socketPath, rules: rules({}), resolve: async () => [PUBLIC], ...options })
  const direct = join(folder, 'd')
  await watched.gate.openDirect(direct, map)
  onTestFinished(() => watched.gate.close())
  const addresses = Object.fromEntries(names.map((name) => [name, map.addressOf(name) ?? '']))
  return { ...watched, direct, addresses }
}

type Given = Pick<EgressGateOptions, 'socketPath' | 'rules' | 'resolve'> & Partial<EgressGateOptions>

function watchedGate(server: Server, options: Given) {
  const decisions: Decision[] = []
  const seen: Sighting[] = []
  const dialled: string[] = []
  const gate = new EgressGate({
    onDecision: (decision) => decisions.push(decision),
    onSeen: (sighting) => seen.push(sighting),
    connect: (address, port, onread) => {
      dialled.push(`${address}:${port}`)
      return connectOverTcp('127.0.0.1', portOf(server), onread)
    },
    ...options,
  })
  return { gate, decisions, seen, dialled }
}

export async function listen<S extends Server>(server: S): Promise<S> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => new Promise<void>((done) => void server.close(() => done())))
  return server
}

export const echo = () => listen(createServer({ allowHalfOpen: true }, (socket) => void socket.pipe(socket)))

/** Everything the gate answers to these bytes until it ends the connection or `until` shows up. */
export async function say(socketPath: string, text: string, until = '\u0000'): Promise<string> {
  const socket = connect(socketPath)
  socket.on('error', () => undefined)
  socket.write(text, 'latin1')
  let heard = ''
  const ended = once(socket, 'close')
  const found = new Promise<void>((done) =>
    socket.on('data', (chunk) => {
      heard += chunk.toString('latin1')
      if (heard.includes(until)) done()
    }),
  )
  await Promise.race([ended, found])
  socket.destroy()
  return heard
}

export async function tunnelTo(socketPath: string, target: string): Promise<Socket> {
  const socket = connect({ path: socketPath, allowHalfOpen: true })
  socket.on('error', () => undefined)
  socket.write(`CONNECT ${target} HTTP/1.1\r\nhost: ${target}\r\n\r\n`)
  const [answer] = await once(socket, 'data')
  expect(String(answer)).toMatch(/^HTTP\/1\.1 200 /)
  return socket
}
