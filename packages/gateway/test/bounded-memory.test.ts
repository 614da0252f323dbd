import { connect, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { KeptBytes } from '../src/sessions/kept-bytes.ts'
import { startGateway, type TestGateway } from './support/gateway.ts'
import { openSession } from './support/raw-server.ts'
import { connectScripted } from './support/scripted-server.ts'

const MIB = 1024 * 1024
const FOR_A_WORKLOAD = 128 * MIB
const FOR_ALL = 256 * MIB
const NEWS = { method: 'notifications/resources/list_changed', params: { text: 'x'.repeat(100_000) } }

interface Scene {
  test: TestGateway
  kept: KeptBytes
  /** The most that was kept at any time. */
  most: () => number
  /** Makes its server send 100 KB to all clients, this many times. */
  tell: (times: number) => Promise<void>
}

async function start(limits: object = {}): Promise<Scene> {
  const kept = new KeptBytes(FOR_ALL)
  const test = await startGateway({ kept, limits })
  await test.open()
  const { say } = await connectScripted(test, () => ({ result: {} }), { resources: { listChanged: true } })
  let most = 0
  const tell = async (times: number) => {
    for (let i = 0; i < times; i++) {
      say(NEWS)
      most = Math.max(most, kept.bytes)
      await nextTurn()
    }
  }
  return { test, kept, most: () => most, tell }
}

/** Opens a stream with a plain connection, which the test may read from or not. */
async function openStream(test: TestGateway, path: string, headers: Record<string, string> = {}): Promise<Socket> {
  const socket = connect(test.port, '127.0.0.1')
  // The gateway may end it in any way.
  socket.on('error', () => {})
  test.defer(() => socket.destroy())
  const lines = { host: `127.0.0.1:${test.port}`, accept: 'text/event-stream', ...headers }
  const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`GET ${path} HTTP/1.1\r\n${head.join('')}\r\n`)
  await new Promise((resolve) => socket.once('readable', resolve))
  return socket
}

type Session = Awaited<ReturnType<typeof openSession>>

/** This many clients that had a stream and whose connections are gone. */
async function vanished({ test, tell }: Scene, count: number): Promise<{ session: Session; lastEventId: string }[]> {
  const clients: { session: Session; socket: Socket }[] = []
  for (let i = 0; i < count; i++) {
    const session = await openSession(test)
    clients.push({ session, socket: await openStream(test, '/mcp', session.headers) })
  }
  await tell(1)
  return Promise.all(
    clients.map(async ({ session, socket }) => {
      let text = ''
      while (!/^id: \S+$/m.test(text)) {
        text += String(socket.read() ?? '')
        await nextTurn()
      }
      const closed = new Promise((resolve) => socket.once('close', resolve))
      socket.destroy()
      await closed
      return { session, lastEventId: /^id: (\S+)$/m.exec(text)?.[1] ?? '' }
    }),
  )
}

function comeBack(test: TestGateway, session: Session, lastEventId?: string): Promise<Response> {
  const place = lastEventId === undefined ? {} : { 'last-event-id': lastEventId }
  const gone = new AbortController()
  test.defer(() => gone.abort())
  const headers = { ...session.headers, accept: 'text/event-stream', ...place }
  return fetch(`${test.origin}/mcp`, { headers, signal: gone.signal })
}

it('clients that vanished cost a bounded number of bytes, and learn what they lost', { timeout: 120_000 }, async () => {
  const scene = await start()
  const { test, kept, tell, most } = scene
  await using _ = test
  const clients = await vanished(scene, 60)
  await tell(300)
  await vanished(scene, 80)
  await tell(300)
  expect(kept.bytes).toBeGreaterThan(FOR_A_WORKLOAD / 2)
  expect(most()).toBeLessThanOrEqual(FOR_A_WORKLOAD)
  const [first] = clients
  if (first === undefined) throw new Error('no client')
  const refused = await comeBack(test, first.session, first.lastEventId)
  expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('no longer kept')])
  // Its session is unchanged, and what is left is its own.
  expect((await comeBack(test, first.session)).status).toBe(200)
  const answer = await first.session(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }))
  expect(await answer.json()).toMatchObject({ result: {} })
})

it('so do clients of the older transport that do not read', { timeout: 120_000 }, async () => {
  const { test, kept, tell, most } = await start()
  await using _ = test
  for (let i = 0; i < 130; i++) await openStream(test, '/sse')
  const reader = await openStream(test, '/sse')
  let got = 0
  reader.on('data', (chunk: Buffer) => (got += chunk.length))
  await tell(300)
  expect(kept.bytes).toBeGreaterThan(0)
  expect(most()).toBeLessThanOrEqual(FOR_A_WORKLOAD)
  // A client that reads gets all of it.
  await expect.poll(() => got, { timeout: 60_000 }).toBeGreaterThan(300 * 100_000)
})

it('answers that nobody reads count as well', { timeout: 60_000 }, async () => {
  const kept = new KeptBytes(FOR_ALL)
  await using test = await startGateway({ kept, limits: { maxKeptBytes: 24 * MIB } })
  await test.open()
  let asked = 0
  await connectScripted(test, () => {
    asked++
    return { result: { text: 'x'.repeat(15 * MIB) } }
  })
  const session = await openSession(test)
  for (let id = 1; id <= 6; id++) {
    const socket = connect(test.port, '127.0.0.1')
    socket.on('error', () => {})
    test.defer(() => socket.destroy())
    const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'large' } })
    const lines = { host: `127.0.0.1:${test.port}`, 'content-length': body.length, ...session.headers }
    const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.write(`POST /mcp HTTP/1.1\r\n${head.join('')}\r\n${body}`)
    await expect.poll(() => asked, { timeout: 30_000 }).toBe(id)
  }
  await expect.poll(() => kept.bytes, { timeout: 30_000 }).toBeGreaterThan(0)
  expect(kept.bytes).toBeLessThanOrEqual(24 * MIB)
})

it('what waits for a client without a connection is dropped after a time, and its session stays', async () => {
  const { test, kept, tell, most } = await start({ keepUnreadMs: 200, keepAliveMs: 20 })
  await using _ = test
  const session = await openSession(test)
  await tell(10)
  // On a busy machine the first of them may be gone before the last one comes.
  expect(most()).toBeGreaterThan(100_000)
  await expect.poll(() => kept.bytes, { timeout: 30_000 }).toBe(0)
  const answer = await session(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }))
  expect(await answer.json()).toMatchObject({ result: {} })
})
