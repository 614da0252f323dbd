import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { expect, it } from 'vitest'
import { freePort } from '../rig/server-process.ts'
import { PostConnection } from './load.ts'

const ANSWER = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}'

/** What it does with the requests of each connection, one after the other. */
async function serverThat(...connections: ('answers' | 'closes')[][]) {
  const server = createServer((socket: Socket) => {
    const turns = connections.shift() ?? []
    socket.on('data', () => (turns.shift() === 'answers' ? socket.write(ANSWER) : socket.destroy()))
  })
  const port = await freePort()
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return { url: new URL(`http://127.0.0.1:${port}/mcp`), [Symbol.dispose]: () => server.close() }
}

it('asks again where a kept connection was closed, once', async () => {
  using server = await serverThat(['answers', 'closes'], ['answers', 'closes'], ['closes'])
  const connection = new PostConnection(server.url, {})
  for (let i = 0; i < 2; i++) expect((await connection.post('{}')).toString()).toBe(ANSWER)
  await expect(connection.post('{}')).rejects.toThrow()
  connection.close()
})

it('does not ask again where a new connection was closed', async () => {
  using server = await serverThat(['closes'], ['answers'])
  const connection = new PostConnection(server.url, {})
  await expect(connection.post('{}')).rejects.toThrow()
  connection.close()
})
