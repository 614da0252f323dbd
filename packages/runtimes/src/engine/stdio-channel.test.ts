import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { openStdioChannel } from './stdio-channel.ts'

/** Two ends of a real connection: ours, and the engine's. */
async function connection(): Promise<{ ours: Socket; theirs: Socket } & Disposable> {
  const server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP listener has a port')
  const accepted: Promise<Socket> = new Promise((resolve) => server.once('connection', resolve))
  const ours = connect({ port: address.port, host: '127.0.0.1', allowHalfOpen: true })
  const theirs = await accepted
  return {
    ours,
    theirs,
    [Symbol.dispose]: () => {
      ours.destroy()
      theirs.destroy()
      server.close()
    },
  }
}

test('what was written before close still arrives', async () => {
  using pair = await connection()
  const channel = openStdioChannel(pair.ours, Buffer.alloc(0))
  const text = 'x'.repeat(4 << 20)
  // A writer that waits for room learns about the close. The bytes are sent all the same.
  const written = channel.write(text).catch((error: unknown) => error)
  channel.close()
  expect((await buffer(pair.theirs)).length).toBe(text.length)
  expect(await written).toMatchObject({ code: 'unavailable' })
})

test('parts arrive in order, between what was written before and after', async () => {
  using pair = await connection()
  const channel = openStdioChannel(pair.ours, Buffer.alloc(0))
  const parts = ['[', 'x'.repeat(1 << 20), ']'].map((text) => Buffer.from(text))
  const received = buffer(pair.theirs)
  await channel.write('before')
  await channel.write(parts)
  await channel.write('after')
  channel.close()
  expect((await received).toString() === `before${parts.join('')}after`).toBe(true)
})

test('a write that waits for room is rejected when the engine goes away', async () => {
  using pair = await connection()
  const channel = openStdioChannel(pair.ours, Buffer.alloc(0))
  const closed = new Promise<void>((resolve) => (channel.onClose = () => resolve()))
  const stuck = channel.write('x'.repeat(64 << 20)).catch((error: unknown) => error)
  pair.theirs.destroy()
  expect(await stuck).toMatchObject({ code: 'unavailable' })
  await closed
  await expect(channel.write('more')).rejects.toMatchObject({ code: 'unavailable' })
})

test('bytes that came right behind the answer are read first', async () => {
  using pair = await connection()
  const frame = (text: string) => Buffer.concat([Buffer.from([1, 0, 0, 0, 0, 0, 0, text.length]), Buffer.from(text)])
  const channel = openStdioChannel(pair.ours, frame('first '))
  let seen = ''
  const done = new Promise<void>((resolve) => {
    channel.onStdout = (chunk) => {
      seen += Buffer.from(chunk).toString()
      if (seen.endsWith('second')) resolve()
    }
  })
  pair.theirs.write(frame('second'))
  await done
  expect(seen).toBe('first second')
})
