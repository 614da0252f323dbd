import { once } from 'node:events'
import { createServer, request } from 'node:http'

export interface ShiftingRegistry extends AsyncDisposable {
  host: string
  /** Called when somebody asks for a signature, before they get it. */
  whenSignatureIsAsked: () => Promise<void>
}

/** Another address of a registry, at which something can happen between one request and the next. */
export async function openShiftingRegistry(behind: string): Promise<ShiftingRegistry> {
  const [hostname = '', port = ''] = behind.split(':')
  const registry: ShiftingRegistry = {
    host: '',
    whenSignatureIsAsked: async () => {},
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
  const server = createServer((asked, answer) => {
    const forward = () => {
      const { method, url: path, headers } = asked
      const passed = request({ hostname, port, method, path, headers, agent: false }, (found) => {
        answer.writeHead(found.statusCode ?? 502, found.headers)
        found.pipe(answer)
      })
      passed.on('error', () => answer.destroy())
      asked.pipe(passed)
    }
    const before = asked.url?.endsWith('.sig') ? registry.whenSignatureIsAsked() : Promise.resolve()
    before.then(forward, () => answer.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP listener has a port')
  registry.host = `127.0.0.1:${address.port}`
  return registry
}
