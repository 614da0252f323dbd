import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { LastActivity } from './connections.ts'

test('a connection is still while its client takes nothing of what is written, and not while it does', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP listener has a port')
  const client = connect(address.port, '127.0.0.1').pause()
  const [socket] = await once(server, 'connection')
  onTestFinished(() => {
    client.destroy()
    socket.destroy()
    server.close()
  })
  const lastActivity = new LastActivity(socket)
  socket.write(Buffer.alloc(64 * 1024 * 1024))
  // The kernel takes some of it at first.
  let since = lastActivity.at
  await expect.poll(() => since === (since = lastActivity.at), { interval: 100 }).toBe(true)
  await delay(20)
  expect(lastActivity.at).toBe(since)
  client.resume()
  await expect.poll(() => lastActivity.at).toBeGreaterThan(since)
})
