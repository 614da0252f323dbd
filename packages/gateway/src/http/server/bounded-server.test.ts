import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { BoundedServer } from './bounded-server.ts'
import { AllPorts, type WaitingLimits } from './connections.ts'
import type { Answer } from './exchange.ts'
import { PlainServer } from './plain-server.ts'

const HEAD = 'POST / HTTP/1.1\r\nhost: here\r\ncontent-length: 4\r\n'

type Kind = typeof BoundedServer | typeof PlainServer

async function open(
  Kind: Kind,
  limits: WaitingLimits,
  answer: Answer = (_request, response) => void response.end('here'),
) {
  const server = new Kind(answer, {}, limits).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP listener has a port')
  const { port } = address
  const join = async (says = '') => {
    // A client may learn from a reset that its connection was ended.
    const socket = connect(port, '127.0.0.1')
      .on('error', () => undefined)
      .resume()
    await once(socket, 'connect')
    if (says !== '') socket.write(says)
    return socket
  }
  return { url: `http://127.0.0.1:${port}/`, join }
}

const ended = async (socket: Socket) => {
  if (!socket.closed) await once(socket, 'close')
}

describe.each<[string, Kind]>([
  ['read by Node', BoundedServer],
  ['read by us', PlainServer],
])('%s', (_name, Kind) => {
  test.each([
    ['say nothing', ''],
    ['send half a head', HEAD],
    ['send half a body', `${HEAD}\r\nab`],
  ])('ends those that %s, the longest waiting first, and answers others', async (_what, says) => {
    const { join, url } = await open(Kind, { most: 2, graceMs: 0 })
    const slow = [await join(says), await join(says), await join(says), await join(says)]
    await Promise.all(slow.slice(0, 2).map(ended))
    expect(await (await fetch(url)).text()).toBe('here')
  })

  test('ends those at the fullest port first, before the files of the process are used up', async () => {
    const all = new AllPorts(20)
    const full = await open(Kind, { most: 512, graceMs: 60_000, all })
    const other = await open(Kind, { most: 512, graceMs: 60_000, all })
    const waiting = await other.join()
    const slow: Socket[] = []
    for (let i = 0; i < 60; i++) slow.push(await full.join(HEAD))
    await Promise.all(slow.slice(0, 40).map(ended))
    expect(waiting.closed).toBe(false)
    expect(await (await fetch(other.url)).text()).toBe('here')
    expect(await (await fetch(full.url)).text()).toBe('here')
  })

  test('leaves answers alone, however long they take and whether their request is read or not', async () => {
    const { join, url } = await open(Kind, { most: 1, graceMs: 0 }, (request, response) => {
      if (request.url === '/') return void response.end('here')
      response.writeHead(200)
      response.flushHeaders()
    })
    const streams: Socket[] = []
    for (const says of ['GET /1 HTTP/1.1\r\nhost: here\r\n\r\n', `${HEAD.replace('/', '/2')}\r\nabcd`]) {
      const stream = await join(says)
      await once(stream, 'data')
      streams.push(stream)
    }
    const idle = [await join(), await join(), await join()]
    await Promise.all(idle.slice(0, 2).map(ended))
    expect(await (await fetch(url)).text()).toBe('here')
    expect(streams.map(({ closed }) => closed)).toEqual([false, false])
  })

  test('a crowd that comes at once is served; those of it that still wait after a while go without a reminder', async () => {
    const { join, url } = await open(Kind, { most: 2, graceMs: 1000 })
    const crowd = await Promise.all(Array.from({ length: 20 }, () => join()))
    const answers = crowd.slice(10).map(async (socket) => {
      const [data] = await once(socket.end('GET / HTTP/1.1\r\nhost: here\r\nconnection: close\r\n\r\n'), 'data')
      return String(data)
    })
    expect((await Promise.all(answers)).every((text) => text.startsWith('HTTP/1.1 200'))).toBe(true)
    await Promise.all(crowd.slice(0, 8).map(ended))
    await delay(50)
    expect(crowd.slice(8, 10).map(({ closed }) => closed)).toEqual([false, false])
    expect(await (await fetch(url)).text()).toBe('here')
  })
})
