import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import type { Answer, HttpResponse } from './exchange.ts'
import { PlainServer } from './plain-server.ts'
import { readBody } from './read-body.ts'
import { addressOf, openServer } from '../../../test/support/servers.ts'

const post = (body: string, length = body.length) =>
  `POST / HTTP/1.1\r\nhost: here\r\ncontent-length: ${length}\r\n\r\n${body}`
/** Long enough on a busy machine. */
const SOON = { timeout: 10_000 }
const GET = 'GET / HTTP/1.1\r\nhost: here\r\n\r\n'

async function open(options: Parameters<typeof openServer>[1] = {}) {
  const server = await openServer(PlainServer, options)
  const join = async () => {
    const socket = connect(addressOf(server).port, '127.0.0.1').on('error', () => undefined)
    onTestFinished(() => void socket.destroy())
    await once(socket, 'connect')
    return socket
  }
  return { server, join }
}

/** Reads until it has seen `text` this many times. */
async function seen(socket: Socket, text: string, times = 1): Promise<string> {
  let all = ''
  for await (const chunk of socket) {
    all += String(chunk)
    if (all.split(text).length > times) return all
  }
  throw new Error(`the connection ended after ${JSON.stringify(all.slice(-500))}`)
}

const bodies = (text: string) => [...text.matchAll(/"body":"([^"]*)"/g)].map(([, body]) => body)

test('thousands of requests at once are answered in their order', async () => {
  const { join } = await open()
  const socket = await join()
  const asked = Array.from({ length: 5000 }, (_, at) => String(at))
  socket.write(asked.map((body) => post(body)).join(''))
  expect(bodies(await seen(socket, '"body"', 5000))).toEqual(asked)
})

test('who asks without reading is not asked again until they read', async () => {
  let answered = 0
  const answer: Answer = (_request, response) => {
    answered += 1
    response.end('x'.repeat(1_000_000))
  }
  const { join } = await open({ answer })
  const socket = await join()
  socket.pause()
  socket.write(post('').repeat(60))
  await expect.poll(() => answered, SOON).toBeGreaterThan(0)
  await delay(200)
  expect(answered).toBeLessThan(30)
  socket.resume()
  await expect.poll(() => answered, SOON).toBe(60)
})

test('Node goes on where something else than a plain POST comes, with what came with it', async () => {
  const { join } = await open()
  const socket = await join()
  socket.write(`${post('one')}${post('two')}${GET}${post('three')}`)
  const all = await seen(socket, '"body":"three"')
  expect([...all.matchAll(/"method":"(\w+)"/g)].map(([, method]) => method)).toEqual(['POST', 'POST', 'GET', 'POST'])
})

test('Node goes on as well with what came before its turn', async () => {
  const waiting: HttpResponse[] = []
  const answer: Answer = (request, response) => {
    if (request.method === 'POST') waiting.push(response)
    else response.end('by Node')
  }
  const { join } = await open({ answer })
  const socket = await join()
  socket.write(post(''))
  await expect.poll(() => waiting.length, SOON).toBe(1)
  socket.write(GET)
  await delay(20)
  waiting[0]?.end('by us')
  expect(await seen(socket, 'by Node')).toMatch(/by us[^]*by Node/)
})

test('a body that is answered before it is read is passed over', async () => {
  const answer: Answer = (_request, response) => void response.end('"body":"?"')
  const { join } = await open({ answer })
  const socket = await join()
  socket.write(post('ab', 200_000))
  await delay(20)
  socket.write(`${'x'.repeat(199_998)}${post('')}`)
  expect(bodies(await seen(socket, '"body"', 2))).toEqual(['?', '?'])
})

test('who goes in the middle of a body, or before the answer, is told of', async () => {
  const told: string[] = []
  const answer: Answer = (request, response) => {
    response.once('close', () => told.push(`closed ${response.destroyed} ${response.writableFinished}`))
    readBody(request, { maxBytes: 1000 }, (body) => told.push(String(body)))
  }
  const { join } = await open({ answer })
  const first = await join()
  first.write(post('ab', 10))
  const second = await join()
  second.write(post('whole'))
  await expect.poll(() => told, SOON).toEqual(['whole'])
  first.destroy()
  second.end()
  await expect.poll(() => told.toSorted(), SOON).toEqual(['aborted', 'closed true false', 'closed true false', 'whole'])
})

test('an answer says that it is closed once it is out, and a failed one too', async () => {
  const responses: HttpResponse[] = []
  const closed: boolean[] = []
  const answer: Answer = (_request, response) => {
    responses.push(response)
    response.once('close', () => closed.push(response.writableFinished))
    response.end('x'.repeat(20_000_000))
  }
  const { join } = await open({ answer })
  const reader = await join()
  reader.write(post(''))
  const lazy = await join()
  lazy.pause()
  lazy.write(post(''))
  await expect.poll(() => responses.length, SOON).toBe(2)
  expect(closed).toEqual([])
  reader.resume()
  await expect.poll(() => closed, SOON).toEqual([true])
  lazy.destroy()
  await expect.poll(() => closed, SOON).toEqual([true, false])
})

test('a header that would end its line is refused, and the answer can be another', async () => {
  const answer: Answer = (_request, response) => {
    expect(() => response.writeHead(200, { 'x-a': 'b\r\nx-c: d' })).toThrow('x-a')
    response.writeHead(500, { 'content-length': 4 })
    response.end('none')
  }
  const { join } = await open({ answer })
  const socket = await join()
  socket.write(post(''))
  expect(await seen(socket, 'none')).toMatch(/^HTTP\/1\.1 500 [^]*\r\n\r\nnone$/)
})

test.each([
  // A client that sends its first request at that moment would take a 408 for the answer.
  ['never asks', '', /^$/],
  ['does not go on with its body', post('ab', 10), /HTTP\/1\.1 408/],
  ['asks nothing more', post('ab'), /"body":"ab"/],
])('a client that %s is let go of after its time', async (_who, says, hears) => {
  const times = { headersTimeout: 50, requestTimeout: 50, keepAliveTimeout: 100, connectionsCheckingInterval: 20 }
  const { join } = await open({ times })
  const socket = await join()
  if (says !== '') socket.write(says)
  let all = ''
  for await (const chunk of socket) all += String(chunk)
  expect(all).toMatch(hears)
})

test('a server that closes lets idle clients go and waits for the others', async () => {
  const waiting: HttpResponse[] = []
  const { server, join } = await open({ answer: (_request, response) => void waiting.push(response) })
  const [idle, busy] = [await join(), await join()]
  busy.write(post(''))
  await expect.poll(() => waiting.length, SOON).toBe(1)
  const closed = once(server, 'close')
  server.close()
  await once(idle.resume(), 'close')
  waiting[0]?.end('done')
  await seen(busy, 'done')
  busy.destroy()
  await closed
})

test.each([
  ['nothing', ''],
  ['a line', '\r\n'],
  ['half a request', post('').slice(0, 20)],
  ['many requests', post('').repeat(100)],
])('who goes while it is answered is missed, with %s in advance', async (_what, early) => {
  const gone = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  const answer: Answer = (_request, response) => {
    response.once('close', () => gone.resolve())
    asked.resolve()
  }
  const { join } = await open({ answer })
  const socket = await join()
  socket.write(post('') + early)
  await asked.promise
  socket.write(early)
  await delay(50)
  socket.destroy()
  await gone.promise
})

test('who sends more in advance than is kept is one of those who wait', async () => {
  const answer: Answer = () => {}
  const limits = { most: 2, graceMs: 0 }
  const { server, join } = await open({ answer, limits })
  const pushy = await Promise.all([1, 2, 3].map(() => join()))
  for (const socket of pushy) socket.write(post('') + post('').repeat(20_000))
  await delay(100)
  for (const socket of pushy) socket.destroy()
  const counted = () => new Promise((resolve) => server.getConnections((_error, count) => resolve(count)))
  await expect
    .poll(async () => {
      await join()
      return counted()
    }, SOON)
    .toBeLessThanOrEqual(3)
})

test('an answer that is still being read is not cut when the idle are', async () => {
  const large = 'x'.repeat(64 * 1024 * 1024)
  const answered = Promise.withResolvers<void>()
  const answer: Answer = (_request, response) => {
    response.end(large)
    answered.resolve()
  }
  const { server, join } = await open({ answer })
  const socket = await join()
  socket.pause()
  socket.write(post(''))
  await answered.promise
  server.closeIdleConnections()
  let size = 0
  for await (const chunk of socket) {
    size += Buffer.byteLength(chunk)
    if (size > large.length) return
  }
  throw new Error(`the connection ended after ${size} bytes`)
})
