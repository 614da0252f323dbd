import { createServer, type RequestListener } from 'node:http'
import type { TestGateway } from './gateway.ts'

/** Serves until the gateway of the test ends, and returns its address. */
export async function serveHttp(test: TestGateway, answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  test.defer(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return `http://127.0.0.1:${address.port}`
}
