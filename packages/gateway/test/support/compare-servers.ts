import { once } from 'node:events'
import { connect } from 'node:net'
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises'
import type { Conversation } from './made-requests.ts'

const LAST = 'GET /last HTTP/1.1\r\nhost: here\r\nconnection: close\r\n\r\n'

const MOST_PATIENCE = 64
const MALFORMED = 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n'

/** What two servers sent, reduced to what must be equal. */
export interface Comparison {
  expected: string
  actual: string
}

/** On a busy machine one of the two may not be done yet: they are asked again with more patience. */
export async function compareServers(
  [nodePort, ourPort]: readonly [number, number],
  requests: Conversation,
  patience = 1,
): Promise<Comparison> {
  const [byNode, byUs] = await Promise.all([said(nodePort, requests, patience), said(ourPort, requests, patience)])
  // A malformed request keeps Node, but not the gateway, from answering the request just before it.
  const isMalformed = byNode.endsWith(MALFORMED) && byUs.endsWith(MALFORMED)
  const expected = isMalformed ? byNode.slice(0, -MALFORMED.length) : byNode
  const actual = isMalformed ? byUs.slice(0, expected.length) : byUs
  if (actual === expected || patience >= MOST_PATIENCE) return { expected, actual }
  return compareServers([nodePort, ourPort], requests, patience * 8)
}

/**
 * Everything that a server sends for these requests, each in its pieces. The last request closes the connection, if it
 * gets that far.
 */
async function said(port: number, requests: Conversation, patience: number): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  // A reset is an end like any other.
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  for (const pieces of [...requests, [LAST]]) {
    const before = chunks.length
    for (const piece of pieces) {
      socket.write(piece, 'latin1')
      await nextTurn()
      await nextTurn()
    }
    // Some requests wait for something that never comes.
    for (let wait = 0; chunks.length === before && !socket.closed && wait < 20; wait += 1) await delay(2 * patience)
    for (let seen = -1; seen !== chunks.length && !socket.closed; await delay(4 * patience)) seen = chunks.length
  }
  socket.destroy()
  return Buffer.concat(chunks)
    .toString('latin1')
    .replaceAll(/\r\nDate: [^\r]*/g, '')
}
