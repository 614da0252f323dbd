import type { ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { NAME, never, startGateway, type TestGateway } from './support/gateway.ts'
import { serveHttp } from './support/http-server.ts'
import { postModern } from './support/modern-post.ts'
import { connectScripted } from './support/scripted-server.ts'

type Json = { [key: string]: unknown }

const HANDSHAKE = {
  protocolVersion: '2025-11-25',
  capabilities: { tools: {} },
  serverInfo: { name: 's', version: '1' },
}
const CAN_ANSWER = { roots: {}, sampling: {}, elicitation: {} }
const TOO_MANY = 'Too many questions are open. Wait until some are answered.'
const OVER = 'the call is over'
const QUESTION = { method: 'sampling/createMessage', params: {} }

const message = z.looseObject({
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string().optional(),
  error: z.looseObject({ message: z.string() }).optional(),
  result: z.looseObject({}).optional(),
})
type Message = z.infer<typeof message>

/** A server with sessions that answers only the handshake, and sends whatever it is told to. */
async function connectStdio(test: TestGateway) {
  const { heard, say } = await connectScripted(test, ({ method }) =>
    method === 'tools/list' ? { result: { tools: [] } } : undefined,
  )
  return { heard: () => heard.map((said) => message.parse(said)), say }
}

/** The same over HTTP. What it sends goes to the client's own stream, or before the answer to a call. */
async function connectHttp(test: TestGateway) {
  const heard: Message[] = []
  const streams: ServerResponse[] = []
  const calls: { id: unknown; stream: ServerResponse }[] = []
  const origin = await serveHttp(test, async (request, response) => {
    const isStream = request.method === 'GET'
    const said = request.method === 'POST' ? message.parse(await json(request)) : {}
    if (request.method === 'POST') heard.push(said)
    if (said.method === 'server/discover') return response.writeHead(400).end('no')
    if (said.method === 'initialize') {
      response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 's' })
      return response.end(JSON.stringify({ jsonrpc: '2.0', id: said.id, result: HANDSHAKE }))
    }
    if (said.method === 'tools/list') {
      response.writeHead(200, { 'content-type': 'application/json' })
      return response.end(JSON.stringify({ jsonrpc: '2.0', id: said.id, result: { tools: [] } }))
    }
    if (!isStream && said.method !== 'tools/call') return response.writeHead(202).end()
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    if (isStream) streams.push(response)
    else calls.push({ id: said.id, stream: response })
    return undefined
  })
  const url = `${origin}/mcp`
  await test.gateway.connect(NAME, { kind: 'http', url, transport: 'streamable-http', processId: 'p' }, never)
  return { heard, streams, calls }
}

const write = (stream: ServerResponse | undefined, said: Json) =>
  stream?.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...said })}\n\n`)

/** A client that can be asked anything, and everything it hears. */
async function openClient(test: TestGateway) {
  const heard: Message[] = []
  const gone = new AbortController()
  test.defer(() => gone.abort())
  const headers = new Headers({ 'content-type': 'application/json', accept: 'application/json, text/event-stream' })
  const read = async (response: Response) => {
    let rest = ''
    for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const events = (rest + text).split('\n\n')
      rest = events.pop() ?? ''
      for (const event of events)
        for (const [, data = ''] of event.matchAll(/^data: (.+)$/gm)) heard.push(message.parse(JSON.parse(data)))
    }
  }
  const post = async (said: Json) => {
    const body = JSON.stringify({ jsonrpc: '2.0', ...said })
    return fetch(`${test.origin}/mcp`, { method: 'POST', headers, body, signal: gone.signal })
  }
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: CAN_ANSWER,
    clientInfo: { name: 'c', version: '1' },
  }
  const opened = await post({ id: 0, method: 'initialize', params })
  headers.set('mcp-session-id', opened.headers.get('mcp-session-id') ?? '')
  const stream = await fetch(`${test.origin}/mcp`, { headers, signal: gone.signal })
  const quietly = (response: Response) => void read(response).catch(() => undefined)
  quietly(stream)
  return {
    heard,
    post,
    call: () => void post({ id: 1, method: 'tools/call', params: { name: 'a' } }).then(quietly, () => undefined),
  }
}

const refused = (heard: readonly Message[], why: string) =>
  heard.flatMap(({ id, error }) => (error?.message === why ? [id] : []))

const asked = (heard: readonly Message[]) => heard.filter(({ id, method }) => id !== undefined && method !== undefined)

it('a shared server has no more than a hundred questions open at one client', async () => {
  await using test = await startGateway()
  await test.open()
  const server = await connectStdio(test)
  const client = await openClient(test)
  for (let i = 0; i < 103; i++) server.say({ id: `q${i}`, method: 'roots/list' })
  await expect.poll(() => refused(server.heard(), TOO_MANY)).toEqual(['q100', 'q101', 'q102'])
  await expect.poll(() => asked(client.heard)).toHaveLength(100)
  await client.post({ id: client.heard[0]?.id, result: { roots: [] } })
  server.say({ id: 'again', method: 'roots/list' })
  await expect.poll(() => asked(client.heard)).toHaveLength(101)
})

it('a question of a shared server with an id that is too long to be kept is dropped', async () => {
  await using test = await startGateway()
  await test.open()
  const server = await connectStdio(test)
  const client = await openClient(test)
  server.say({ id: 'x'.repeat(1025), method: 'roots/list' })
  server.say({ id: 'x'.repeat(1024), method: 'roots/list', params: { isKept: true } })
  await expect.poll(() => asked(client.heard)).toMatchObject([{ params: { isKept: true } }])
})

it('what a shared server asked about a call is over with the call, what it asked about the client is not', async () => {
  await using test = await startGateway()
  await test.open()
  const server = await connectStdio(test)
  const client = await openClient(test)
  client.call()
  const callId = () => server.heard().find(({ method }) => method === 'tools/call')?.id
  await expect.poll(callId).toBeDefined()
  server.say({ id: 'sample', method: 'sampling/createMessage', params: {} })
  server.say({ id: 'roots', method: 'roots/list' })
  await expect.poll(() => asked(client.heard)).toHaveLength(2)
  server.say({ id: callId(), result: { content: [] } })
  await expect.poll(() => refused(server.heard(), OVER)).toEqual(['sample'])
  for (const { id } of asked(client.heard)) await client.post({ id, result: { isLate: true } })
  await expect
    .poll(() => server.heard().filter(({ result }) => result?.['isLate'] === true))
    .toMatchObject([{ id: 'roots' }])
})

it('an HTTP server has no more than a hundred questions open at one client, each with an id that can be kept', async () => {
  await using test = await startGateway()
  await test.open()
  const server = await connectHttp(test)
  const client = await openClient(test)
  await expect.poll(() => server.streams).toHaveLength(1)
  write(server.streams[0], { id: 'x'.repeat(1025), method: 'roots/list' })
  for (let i = 0; i < 103; i++) write(server.streams[0], { id: `q${i}`, method: 'roots/list' })
  await expect.poll(() => refused(server.heard, TOO_MANY).map(String).toSorted()).toEqual(['q100', 'q101', 'q102'])
  await expect.poll(() => asked(client.heard)).toHaveLength(100)
  write(server.streams[0], { method: 'notifications/cancelled', params: { requestId: 'q0' } })
  write(server.streams[0], { id: 'again', method: 'roots/list' })
  await expect.poll(() => asked(client.heard)).toHaveLength(101)
})

it('what an HTTP server asked about a call is over with the call', async () => {
  await using test = await startGateway()
  await test.open()
  const server = await connectHttp(test)
  const client = await openClient(test)
  client.call()
  await expect.poll(() => server.calls).toHaveLength(1)
  const [call] = server.calls
  write(call?.stream, { id: 'sample', method: 'sampling/createMessage', params: {} })
  write(call?.stream, { id: call?.id, result: { content: [] } })
  await expect.poll(() => refused(server.heard, OVER)).toEqual(['sample'])
  await expect.poll(() => asked(client.heard)).toHaveLength(1)
})

it('a call of a client without a session that is asked too much takes no room from the next call', async () => {
  await using test = await startGateway()
  await test.open()
  const server = await connectHttp(test)
  const meta = { 'io.modelcontextprotocol/clientCapabilities': CAN_ANSWER }
  const begin = async (id: number) => {
    const answer = postModern(test, 'tools/call', { name: 'a' }, { id, meta })
    await expect.poll(() => server.calls).toHaveLength(id)
    return { answer, ask: (name: string) => write(server.calls[id - 1]?.stream, { ...QUESTION, id: name }) }
  }
  const first = await begin(1)
  for (let i = 0; i < 101; i++) first.ask(`q${i}`)
  expect(await (await first.answer).json()).toMatchObject({ result: { resultType: 'input_required' } })
  await expect.poll(() => refused(server.heard, TOO_MANY)).toEqual(['q100'])
  const second = await begin(2)
  second.ask('other')
  expect(await (await second.answer).json()).toMatchObject({ result: { resultType: 'input_required' } })
  expect(refused(server.heard, TOO_MANY)).toEqual(['q100'])
})

it('what is asked of a client without a session is kept up to a limit', async () => {
  await using test = await startGateway({ limits: { maxQueuedBytes: 4_500_000 } })
  await test.open()
  const server = await connectStdio(test)
  const meta = { 'io.modelcontextprotocol/clientCapabilities': CAN_ANSWER }
  const called = postModern(test, 'tools/call', { name: 'a' }, { meta })
  await expect.poll(() => server.heard().some(({ method }) => method === 'tools/call')).toBe(true)
  const ask = (id: string, text: string) =>
    server.say({ id, method: 'elicitation/create', params: { message: text, requestedSchema: {} } })
  ask('first', 'who?')
  expect(await (await called).json()).toMatchObject({ result: { resultType: 'input_required' } })
  for (let i = 0; i < 5; i++) ask(`large-${i}`, 'x'.repeat(1_000_000))
  await expect.poll(() => refused(server.heard(), TOO_MANY)).toEqual(['large-4'])
})
