import type { ServerResponse } from 'node:http'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { startGateway, type TestGateway } from './support/gateway.ts'
import { postModern } from './support/modern-post.ts'
import { question } from './support/scripted-auto.ts'
import { startSessionServer } from './support/session-server.ts'
import { INITIALIZED, startSseServer } from './support/sse-server.ts'

type Json = { [key: string]: unknown }

const META = {
  'io.modelcontextprotocol/clientCapabilities': { sampling: {} },
  'io.modelcontextprotocol/logLevel': 'debug',
}

async function call(test: TestGateway, note: string, more: Json = {}): Promise<string> {
  const params = { name: 'tool', arguments: { note }, ...more }
  return (await postModern(test, 'tools/call', params, { meta: META })).text()
}

const input = z.looseObject({
  result: z.looseObject({ requestState: z.string(), inputRequests: z.record(z.string(), z.unknown()) }),
})

/** Comes back with an answer that names the client. */
function answer(test: TestGateway, note: string, text: string): Promise<string> {
  const { result } = input.parse(JSON.parse(text))
  const given = { model: 'm', role: 'assistant', content: { type: 'text', text: `${note} answers` } }
  const inputResponses = Object.fromEntries(Object.keys(result.inputRequests).map((key) => [key, given]))
  return call(test, note, { requestState: result.requestState, inputResponses })
}

const write = (stream: ServerResponse | undefined, message: Json) =>
  stream?.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`)

const log = (data: string) => ({ method: 'notifications/message', params: { level: 'error', data } })

const DONE = { result: { content: [{ type: 'text', text: 'done' }] } }

const noteOf = (message: Json) => /"note":"(\w+)"/.exec(JSON.stringify(message))?.[1]

it('clients without sessions hear of their own calls alone at an HTTP+SSE server', async () => {
  await using test = await startGateway()
  await test.open()
  const held = new Map<string, { id: unknown; stream: ServerResponse }>()
  const answers: string[] = []
  const server = await startSseServer(test, (message, stream) => {
    const { id, method } = message
    if (method === 'initialize') return INITIALIZED
    if (method === 'tools/call') held.set(noteOf(message) ?? '', { id, stream })
    if (method === 'tools/list') return { result: { tools: [] } }
    if (method === undefined) answers.push(`${String(id)}: ${JSON.stringify(message['result'] ?? message['error'])}`)
    return method === 'tools/call' || id === undefined ? undefined : { error: { code: -32_601, message: 'no' } }
  })
  await server.connect()
  const begin = async (note: string) => {
    const text = call(test, note)
    await expect.poll(() => held.get(note)).toBeDefined()
    return { text, stream: held.get(note)?.stream, id: held.get(note)?.id }
  }
  const a = await begin('a')
  write(a.stream, { id: a.id, ...DONE })
  expect(await a.text).toContain('done')
  const [b, c] = [await begin('b'), await begin('c')]
  for (const stream of server.streams.filter((each) => each !== b.stream && each !== c.stream)) {
    write(stream, log('about the call of a'))
    write(stream, question('late', 'about the call of a'))
  }
  // Equal ids, because each session at a server has its own.
  write(b.stream, question('q', 'for b'))
  write(c.stream, question('q', 'for c'))
  const [askedB, askedC] = await Promise.all([b.text, c.text])
  expect(askedB).toContain('for b')
  expect(askedC).toContain('for c')
  expect(`${askedB}${askedC}`).not.toContain('about the call of a')
  const [lastB, lastC] = [answer(test, 'b', askedB), answer(test, 'c', askedC)]
  await expect.poll(() => answers.filter((text) => text.startsWith('q: '))).toHaveLength(2)
  expect(answers.join()).toMatch(/b answers.*c answers|c answers.*b answers/)
  write(b.stream, log('while b waits'))
  write(b.stream, { id: b.id, ...DONE })
  write(c.stream, { id: c.id, ...DONE })
  expect(await lastB).toContain('while b waits')
  expect(await lastC).not.toContain('while b waits')
  // The sessions at the server end with the calls.
  await expect.poll(() => [b.stream?.destroyed, c.stream?.destroyed]).toEqual([true, true])
})

it('a question outside the answer to a call is refused once, and then each call has a session at the server', async () => {
  await using test = await startGateway()
  await test.open()
  const held = new Map<string, PromiseWithResolvers<Json>>()
  const server = await startSessionServer(test, (message) => {
    if (message['method'] === 'tools/list') return { result: { tools: [] } }
    if (message['method'] !== 'tools/call') return { result: {} }
    const waiting = Promise.withResolvers<Json>()
    held.set(noteOf(message) ?? '', waiting)
    return waiting.promise
  })
  await server.connect()
  const a = call(test, 'a')
  await expect.poll(() => held.has('a')).toBe(true)
  await expect.poll(() => server.streams.size).toBe(1)
  held.get('a')?.resolve(DONE)
  await a
  const b = call(test, 'b')
  await expect.poll(() => held.has('b')).toBe(true)
  for (const stream of server.streams) write(stream, question('late', 'about the call of a'))
  const heard = () => server.heard.filter(({ id, method }) => id === 'late' && method === undefined)
  await expect.poll(heard).toMatchObject([{ error: { message: expect.stringContaining('outside the answer') } }])
  held.get('b')?.resolve(DONE)
  expect(await b).toContain('done')

  const before = new Set(server.streams)
  const sessions = server.sessions.size
  const c = call(test, 'c')
  await expect.poll(() => held.has('c')).toBe(true)
  for (const stream of server.streams) write(stream, question(before.has(stream) ? 'late' : 'q', 'for one of them'))
  const asked = await c
  expect(asked).toContain('for one of them')
  const last = answer(test, 'c', asked)
  await expect
    .poll(() => server.heard.find(({ id, method }) => id === 'q' && method === undefined))
    .toMatchObject({ result: { content: { text: 'c answers' } } })
  held.get('c')?.resolve(DONE)
  expect(await last).toContain('done')
  await expect.poll(() => server.sessions.size).toBe(sessions)
})
