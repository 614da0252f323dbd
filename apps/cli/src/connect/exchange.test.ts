import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type RequestListener, createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { exchange } from './exchange.ts'

let cleanUp: AsyncDisposableStack
let socketPath: string
beforeEach(async () => {
  cleanUp = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'thv-x-'))
  cleanUp.defer(() => rm(folder, { recursive: true, force: true }))
  socketPath = join(folder, 's')
})
afterEach(() => cleanUp.disposeAsync())

async function serve(answer: RequestListener): Promise<void> {
  const server = createServer(answer).listen(socketPath)
  cleanUp.defer(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server, 'listening')
}

const GET = { method: 'GET', path: '/', headers: { host: 'localhost' } }
const unhurried = AbortSignal.timeout(30_000)

test('a request reaches the server whole, and so does the answer, whatever its size and letters', async () => {
  await serve(async (request, response) => {
    const body = await text(request)
    response.writeHead(409, { 'content-type': 'text/plain; charset=utf-8' })
    response.write(`${request.method} ${request.url} ${String(request.headers['x-mine'])} `)
    response.end(body)
  })
  const body = 'größe '.repeat(100_000)
  const headers = { ...GET.headers, 'x-mine': 'yes', 'content-length': `${Buffer.byteLength(body)}` }
  const answer = await exchange({ socketPath }, { method: 'POST', path: '/a?b=c', headers, body }, unhurried)
  expect(answer.status).toBe(409)
  expect(answer.type).toBe('text/plain; charset=utf-8')
  expect(answer.text === `POST /a?b=c yes ${body}`).toBe(true)
})

test('an answer that breaks off does not count as one', async () => {
  await serve((_request, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('half of it', () => response.socket?.end())
  })
  await expect(exchange({ socketPath }, GET, unhurried)).rejects.toThrow('in the middle of its answer')
})

test('a server that ends the connection without a word is not taken for one that said nothing', async () => {
  await serve((request) => request.socket.end())
  await expect(exchange({ socketPath }, GET, unhurried)).rejects.toThrow('in the middle of its answer')
})

test('nobody listening is the error of the system', async () => {
  await expect(exchange({ socketPath }, GET, unhurried)).rejects.toMatchObject({ code: 'ENOENT' })
})

test('waiting is given up when asked to', async () => {
  const arrived = Promise.withResolvers<void>()
  await serve(() => arrived.resolve())
  const abort = new AbortController()
  const waiting = exchange({ socketPath }, GET, abort.signal)
  void arrived.promise.then(() => abort.abort())
  await expect(waiting).rejects.toMatchObject({ name: 'AbortError' })
})
