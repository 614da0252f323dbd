import { once } from 'node:events'
import { createServer } from 'node:net'
import { afterEach, expect, it, vi } from 'vitest'
import { connectOverTcp } from './connect-over-tcp.ts'

afterEach(() => {
  vi.useRealTimers()
})

it('goes on to the next address of a name, and reads what comes from there', async () => {
  const server = createServer((socket) => socket.end('hello')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  let read = ''
  const buffer = Buffer.alloc(10)
  const callback = (length: number) => {
    read += buffer.toString('latin1', 0, length)
    return true
  }
  const socket = connectOverTcp(new URL(`http://two.example:${port}`), { buffer, callback }, (_host, _options, found) =>
    found(null, [
      { address: '::1', family: 6 },
      { address: '127.0.0.1', family: 4 },
    ]),
  )
  await once(socket, 'close')
  server.close()
  expect(read).toBe('hello')
})

it('gives a connection up that does not come about', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const socket = connectOverTcp(
    new URL('http://silent.example'),
    { buffer: Buffer.alloc(1), callback: () => true },
    () => {},
  )
  const failed = once(socket, 'close').catch((thrown: unknown) => thrown)
  vi.advanceTimersByTime(10_000)
  expect(await failed).toMatchObject({
    code: 'ETIMEDOUT',
    message: 'silent.example did not accept the connection in time',
  })
})
