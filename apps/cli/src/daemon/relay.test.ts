import { once } from 'node:events'
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '@toolhaven/testing/free-port'
import { relay } from './relay.ts'

async function serverThat(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(answer)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return `http://127.0.0.1:${address.port}/mcp`
}

const NEVER = new AbortController().signal

test('a message reaches the workload without cookies and marks of the browser, and its answer comes back', async () => {
  const url = await serverThat((request, response) => {
    void text(request).then((body) => {
      response.writeHead(401, {
        'content-type': 'application/json',
        'mcp-session-id': 's1',
        'www-authenticate': 'Bearer',
        'set-cookie': 'theirs=1',
      })
      response.end(JSON.stringify({ body, method: request.method, headers: request.headers }))
    })
  })
  const headers = new Headers({
    ...{ 'content-type': 'application/json', 'mcp-protocol-version': '2025-06-18', authorization: 'Bearer theirs' },
    ...{ cookie: 'toolhaven-console-8080=secret', origin: 'http://localhost:8080', 'sec-fetch-site': 'same-origin' },
    'x-toolhaven-console': 'secret',
  })
  const { body } = new Request('http://localhost', { method: 'POST', body: '{"id":1}' })
  const answer = await relay({ url, method: 'POST', headers, body }, NEVER)
  expect(answer.status).toBe(401)
  expect(Object.fromEntries(answer.headers)).toMatchObject({ 'mcp-session-id': 's1', 'www-authenticate': 'Bearer' })
  expect(answer.headers.has('set-cookie')).toBe(false)
  const seen = await answer.text()
  expect(JSON.parse(seen)).toMatchObject({
    ...{ body: '{"id":1}', method: 'POST' },
    headers: { authorization: 'Bearer theirs', 'mcp-protocol-version': '2025-06-18' },
  })
  expect(seen).not.toMatch(/secret|sec-fetch|localhost:8080/)
})

test('events come as the workload sends them, and it learns that the page left', async () => {
  const left = Promise.withResolvers<void>()
  const url = await serverThat((_request, response) => {
    response.once('close', () => left.resolve())
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('data: one\n\n')
  })
  const answer = await relay({ url, method: 'GET', headers: new Headers(), body: null }, NEVER)
  const reader = answer.body!.getReader()
  expect(new TextDecoder().decode((await reader.read()).value)).toBe('data: one\n\n')
  await reader.cancel()
  await left.promise
})

test('a workload that does not answer is an error that says so', async () => {
  const url = await serverThat((request) => request.socket.destroy())
  const call = relay({ url, method: 'GET', headers: new Headers(), body: null }, NEVER)
  await expect(call).rejects.toThrow(/did not answer/)
})

test('an upload ends when nothing listens at the port any more', async () => {
  const url = `http://127.0.0.1:${await freePort()}/mcp`
  const cancelled = Promise.withResolvers<void>()
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start: (controller) => controller.enqueue(new Uint8Array(10)),
    cancel: () => cancelled.resolve(),
  })
  const call = relay({ url, method: 'POST', headers: new Headers(), body }, NEVER)
  await expect(call).rejects.toThrow(/did not answer/)
  await cancelled.promise
})

test('a workload that wants to switch to another protocol is an error', async () => {
  const url = await serverThat((request) => {
    request.socket.end('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: other\r\n\r\n')
  })
  const call = relay({ url, method: 'GET', headers: new Headers(), body: null }, NEVER)
  await expect(call).rejects.toThrow(/did not answer/)
})

test('an answer that asks to reset the form is empty', async () => {
  const url = await serverThat((_request, response) => void response.writeHead(205).end())
  const answer = await relay({ url, method: 'GET', headers: new Headers(), body: null }, NEVER)
  expect([answer.status, await answer.text()]).toEqual([205, ''])
})
