import { once } from 'node:events'
import { type Server, createServer } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import { serveAfterEarlier } from './serve-after-earlier.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

async function serveText(port: number, text: string, asked?: () => void): Promise<Server> {
  const server = createServer((_request, response) => {
    response.setHeader('connection', 'close').end(text)
    asked?.()
  })
  servers.push(server)
  server.listen(port)
  await once(server, 'listening')
  return server
}

const portOf = (server: Server): number => Object(server.address()).port

test('the documentation of an earlier start is followed once it has ended', async () => {
  const asked = Promise.withResolvers<void>()
  const earlier = await serveText(0, '<title>Toolhaven</title>', asked.resolve)
  const port = portOf(earlier)
  const served = serveAfterEarlier({ port, serve: () => serveText(port, 'the new one') })
  await asked.promise
  earlier.close()
  await served
  expect(await (await fetch(`http://localhost:${port}/`)).text()).toBe('the new one')
})

test('another program on the port is told at once', async () => {
  const port = portOf(await serveText(0, 'something else'))
  const served = serveAfterEarlier({ port, serve: () => serveText(port, 'the new one') })
  await expect(served).rejects.toMatchObject({ code: 'EADDRINUSE' })
})
