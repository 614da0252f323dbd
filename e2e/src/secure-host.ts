import { once } from 'node:events'
import { createServer } from 'node:https'
import { testCertificate } from '@toolhaven/testing/testbed/certificate'

/** An https server of this machine that answers every path with the same document. */
export async function serveSecurely(document: object, port: number): Promise<AsyncDisposable> {
  const server = createServer(testCertificate, (_request, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(document))
  })
  server.listen(port, 'localhost')
  await once(server, 'listening')
  return {
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
