import type { ServerResponse } from 'node:http'
import { queryObjects } from 'node:v8'
import { expect, it } from 'vitest'
import { connectClient, NAME, never, startGateway, type TestGateway } from './support/gateway.ts'
import { serveHttp } from './support/http-server.ts'

/** How many of these objects are still referenced. */
const alive = (kind: typeof AbortSignal) => Number(queryObjects(kind))

const EVENTS = { 'content-type': 'text/event-stream' }

/** A server that closes the stream of each call, and what it heard. `comeBack` answers requests for the rest. */
async function pollingServer(test: TestGateway, comeBack: (response: ServerResponse, id: unknown) => void) {
  const heard: string[] = []
  let called: unknown
  const origin = await serveHttp(test, async (request, response) => {
    if (request.method !== 'POST') {
      const from = request.headers['last-event-id']
      if (from === undefined) return response.writeHead(405).end()
      heard.push(`from ${String(from)}`)
      return comeBack(response, called)
    }
    let text = ''
    for await (const chunk of request) text += String(chunk)
    const { id, method } = JSON.parse(text)
    heard.push(method)
    if (id === undefined) return response.writeHead(202).end()
    if (method === 'tools/call') {
      called = id
      return response.writeHead(200, EVENTS).end('id: first\nretry: 1\ndata: \n\n')
    }
    const result = {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 's', version: '1' },
    }
    response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 's' })
    return response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
  })
  await test.open({ transport: 'streamable-http' })
  const url = `${origin}/mcp`
  await test.gateway.connect(NAME, { kind: 'http', transport: 'streamable-http', url, processId: 'p' }, never)
  return { heard: () => heard.filter((what) => what === 'tools/call' || what.startsWith('from')) }
}

it('comes back for the answer when the server closes the stream of a call', async () => {
  await using test = await startGateway()
  let visits = 0
  const { heard } = await pollingServer(test, (response, id) => {
    response.writeHead(200, EVENTS)
    if (++visits === 1) return response.end('id: second\ndata: \n\n')
    const answer = { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'at last' }] } }
    return response.end(`id: third\ndata: ${JSON.stringify(answer)}\n\n`)
  })
  const client = await connectClient(test, 'v1 http')
  expect(await client.call('slow')).toBe('at last')
  expect(heard()).toEqual(['tools/call', 'from first', 'from second'])
})

it('gives one error, and calls once, when the server does not know the rest', async () => {
  await using test = await startGateway()
  const { heard } = await pollingServer(test, (response) => response.writeHead(404).end())
  const client = await connectClient(test, 'v1 http')
  await expect(client.call('slow')).rejects.toThrow('without an answer')
  expect(heard()).toEqual(['tools/call', 'from first'])
})

it('stops coming back when the call is cancelled', async () => {
  await using test = await startGateway()
  const left = Promise.withResolvers<void>()
  const cancel = new AbortController()
  await pollingServer(test, (response) => {
    response.once('close', () => left.resolve())
    response.writeHead(200, EVENTS).flushHeaders()
    cancel.abort('enough')
  })
  const client = await connectClient(test, 'v1 http')
  await expect(client.call('slow', {}, { signal: cancel.signal })).rejects.toThrow()
  await left.promise
})

it('comes back with the id of the event as it was, whatever letters it has', async () => {
  await using test = await startGateway()
  let visits = 0
  const { heard } = await pollingServer(test, (response, id) => {
    response.writeHead(200, EVENTS)
    if (++visits === 1) return response.end('id: →é\ndata: \n\n')
    return response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result: { content: [] } })}\n\n`)
  })
  const client = await connectClient(test, 'v1 http')
  await client.call('slow')
  // Node reads headers byte by byte.
  expect(heard()).toEqual(['tools/call', 'from first', `from ${Buffer.from('→é').toString('latin1')}`])
})

it('keeps nothing of the times it came back for an answer', async () => {
  await using test = await startGateway()
  let visits = 0
  let kept = 0
  await pollingServer(test, (response, id) => {
    response.writeHead(200, EVENTS)
    visits += 1
    if (visits === 5) kept = alive(AbortSignal)
    if (visits < 25) return response.end(`id: ${visits}\nretry: 1\ndata: \n\n`)
    kept = alive(AbortSignal) - kept
    return response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result: { content: [] } })}\n\n`)
  })
  const client = await connectClient(test, 'v1 http')
  await client.call('slow')
  expect(kept).toBeLessThan(10)
})
