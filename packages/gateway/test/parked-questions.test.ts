import type { ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { KeptBytes } from '../src/sessions/kept-bytes.ts'
import { KeptOfCallers } from '../src/sessions/kept-of-callers.ts'
import { NAME, never, startGateway, type TestGateway } from './support/gateway.ts'
import { serveHttp } from './support/http-server.ts'
import { postModern } from './support/modern-post.ts'

const MIB = 1024 * 1024
const META = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } }
const HANDSHAKE = {
  protocolVersion: '2025-11-25',
  capabilities: { tools: {} },
  serverInfo: { name: 's', version: '1' },
}
const message = z.looseObject({
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string().optional(),
  error: z.looseObject({ message: z.string() }).optional(),
})
const PARKED = z.looseObject({ result: z.looseObject({ requestState: z.string() }) })
const LARGE = { message: 'x'.repeat(300 * 1024), requestedSchema: {} }
/** Sent as 90 KB, it takes 2 MiB when parsed. */
const MANY_VALUES = { message: 'hi', requestedSchema: { list: Array.from({ length: 30_000 }, () => ({})) } }

/** A server over HTTP that asks `question` in the stream of each call, and ends the call with what it got. */
async function connectAsking(test: TestGateway, question: object): Promise<void> {
  const waiting = new Map<unknown, (text: string) => void>()
  const write = (stream: ServerResponse, said: object) =>
    stream.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...said })}\n\n`)
  const origin = await serveHttp(test, async (request, response) => {
    if (request.method !== 'POST') return response.writeHead(405).end()
    const { id, method, error } = message.parse(await json(request))
    const answer = (result: object) =>
      response
        .writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 's' })
        .end(JSON.stringify({ jsonrpc: '2.0', id, result }))
    if (method === 'initialize') return answer(HANDSHAKE)
    if (method === 'tools/list') return answer({ tools: [] })
    if (method === undefined) waiting.get(id)?.(error === undefined ? 'answered' : `refused: ${error.message}`)
    if (method !== 'tools/call') return response.writeHead(method === 'server/discover' ? 400 : 202).end()
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    waiting.set(`about ${id}`, (text) => {
      write(response, { id, result: { content: [{ type: 'text', text }] } })
      response.end()
    })
    return write(response, { id: `about ${id}`, method: 'elicitation/create', params: question })
  })
  const url = `${origin}/mcp`
  await test.gateway.connect(NAME, { kind: 'http', url, transport: 'streamable-http', processId: 'p' }, never)
}

const call = (test: TestGateway, note: number, more: object = {}) =>
  postModern(test, 'tools/call', { name: 'ask', arguments: { note }, ...more }, { meta: META })

async function start(question: object, limits: object): Promise<{ test: TestGateway; kept: KeptBytes }> {
  const kept = new KeptBytes(256 * MIB)
  const test = await startGateway({ kept, limits })
  await test.open()
  await connectAsking(test, question)
  return { test, kept }
}

it('questions that nobody answers are kept up to the bound of a workload, and their calls end', async () => {
  const { test, kept } = await start(LARGE, { maxKeptBytes: MIB })
  await using _ = test
  const states: string[] = []
  for (let note = 0; note < 6; note++) {
    const answer = await (await call(test, note)).json()
    const parked = PARKED.safeParse(answer)
    states.push(parked.success ? parked.data.result.requestState : '')
    expect(kept.bytes).toBeGreaterThan(200 * 1024)
    expect(kept.bytes).toBeLessThan(MIB)
  }
  // The client of a dropped question hears what the server did without an answer.
  const back = await Promise.all(
    states.map(async (requestState, note) => (await call(test, note, { requestState, inputResponses: {} })).text()),
  )
  expect(back.filter((text) => text.includes('Too many questions'))).toHaveLength(3)
  expect(back.filter((text) => text.includes('input_required'))).toHaveLength(3)
})

it('a question counts with the memory that it takes', async () => {
  const { test } = await start(MANY_VALUES, { maxKeptBytes: MIB })
  await using _ = test
  expect(await (await call(test, 1)).text()).toContain('Too many questions')
})

it('questions that are answered count no longer', async () => {
  const { test, kept } = await start(LARGE, {})
  await using _ = test
  const { requestState } = PARKED.parse(await (await call(test, 1)).json()).result
  expect(kept.bytes).toBeGreaterThan(200 * 1024)
  const inputResponses = { 'elicitation-1': { action: 'accept', content: {} } }
  expect(await (await call(test, 1, { requestState, inputResponses })).text()).toContain('answered')
  await expect.poll(() => kept.bytes).toBe(0)
})

it('a caller has a bound of their own, and takes no room from others', () => {
  const given: string[] = []
  const kept = new KeptOfCallers(100, new KeptBytes(1000))
  const keep = (owner: string | undefined, bytes: number) => {
    const keeper = {
      bytes,
      giveUp: () => {
        given.push(`${owner} ${bytes}`)
        keeper.bytes = 0
        kept.count(owner, keeper, -bytes)
      },
    }
    kept.count(owner, keeper, bytes)
  }
  keep('one', 60)
  keep('two', 90)
  keep('one', 50)
  expect(given).toEqual(['one 60'])
  // Nobody knows how many clients are behind this: they have only the limit of the workload.
  keep(undefined, 90)
  keep(undefined, 90)
  expect(given).toEqual(['one 60'])
})
