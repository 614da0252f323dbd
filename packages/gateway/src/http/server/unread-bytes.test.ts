import { createServer, get } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { KeptBytes } from '../../sessions/kept-bytes.ts'
import { Outbox } from '../../sessions/outbox.ts'
import { EventStream } from './event-stream.ts'
import { addressOf } from '../../../test/support/servers.ts'
import { countUnreadOf } from './unread-bytes.ts'

const CLIENTS = 10
const QUEUE = { maxQueuedMessages: 256, maxQueuedBytes: 32_000_000 }

/** This many clients that read all they get, each from the stream of an outbox. */
async function readers(kept: KeptBytes) {
  const outboxes: Outbox[] = []
  let [closed, got] = [0, 0]
  const server = createServer((_request, response) => {
    const outbox = new Outbox(QUEUE)
    outbox.whole = kept
    outbox.attach(new EventStream(response, QUEUE.maxQueuedBytes), undefined)
    outboxes.push(outbox)
    response.once('close', () => closed++)
  })
  server.on('connection', (socket) => countUnreadOf(socket, kept))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  for (let i = 0; i < CLIENTS; i++) {
    const request = get({ port: addressOf(server).port, host: '127.0.0.1', agent: false }, (response) => {
      response.on('data', (chunk: Buffer) => (got += chunk.length))
      response.on('error', () => {})
    })
    request.on('error', () => {})
  }
  await expect.poll(() => outboxes.length).toBe(CLIENTS)
  return { outboxes, closed: () => closed, got: () => got }
}

it.each([1_000, 60_000])('clients that read at once are not cut off (%i bytes)', async (size) => {
  // Room for one message of each, and no more.
  const { outboxes, closed, got } = await readers(new KeptBytes(CLIENTS * size + size))
  for (let round = 1; round <= 5; round++) {
    for (const outbox of outboxes) outbox.push('x'.repeat(size))
    await expect.poll(() => closed() > 0 || got() >= CLIENTS * size * round, { timeout: 30_000 }).toBe(true)
    expect(closed()).toBe(0)
  }
})

it('what clients have read counts no longer', async () => {
  const kept = new KeptBytes(100_000_000)
  const { outboxes, got } = await readers(kept)
  for (const outbox of outboxes) outbox.push('x'.repeat(1_000))
  await expect.poll(got, { timeout: 30_000 }).toBeGreaterThanOrEqual(CLIENTS * 1_000)
  for (const outbox of outboxes) outbox.empty()
  await expect.poll(() => kept.bytes, { timeout: 30_000 }).toBe(0)
})
