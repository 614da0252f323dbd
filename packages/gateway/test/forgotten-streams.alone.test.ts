import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { queryObjects } from 'node:v8'
import { expect, it } from 'vitest'
import { EventStream } from '../src/http/server/event-stream.ts'
import { startGateway } from './support/gateway.ts'
import { openSession } from './support/raw-server.ts'
import { connectScripted } from './support/scripted-server.ts'

it('streams of calls that are cancelled after their client went are forgotten', async () => {
  await using test = await startGateway()
  await test.open()
  const { heard } = await connectScripted(test, () => undefined)
  const post = await openSession(test)
  const calls = () => heard.filter(({ method }) => method === 'tools/call').length
  for (let id = 1; id <= 20; id++) {
    const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'slow' } })
    const lines = { host: `127.0.0.1:${test.port}`, 'content-length': body.length, ...post.headers }
    const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`)
    const socket = connect(test.port, '127.0.0.1')
    socket.write(`POST /mcp HTTP/1.1\r\n${head.join('')}\r\n${body}`)
    await expect.poll(calls).toBe(id)
    socket.destroy()
    // Until the gateway has noticed.
    await delay(10)
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } }
    expect((await post(JSON.stringify(cancelled))).status).toBe(202)
  }
  expect(Number(queryObjects(EventStream))).toBeLessThan(5)
})

it('streams of clients that vanished are forgotten, though their sessions stay', async () => {
  await using test = await startGateway()
  await test.open()
  await connectScripted(test, () => ({ result: {} }))
  const sessions = await Promise.all(Array.from({ length: 20 }, () => openSession(test)))
  for (const { headers } of sessions) {
    const gone = new AbortController()
    await fetch(`${test.origin}/mcp`, { headers: { ...headers, accept: 'text/event-stream' }, signal: gone.signal })
    gone.abort()
  }
  await expect.poll(() => Number(queryObjects(EventStream)), { timeout: 20_000 }).toBeLessThan(5)
  const [first] = sessions
  // The connection of the first request may be closed as idle at this very moment.
  const list = () => first?.(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })).catch(() => undefined)
  await expect.poll(async () => (await list())?.status).toBe(200)
})
