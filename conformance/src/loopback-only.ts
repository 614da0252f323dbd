import { createServer, type RequestListener } from 'node:http'

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Serves on a loopback port, for callers who use it on purpose: a foreign name that resolves to it is refused. */
export function serveLoopback(port: number, onRequest: RequestListener): void {
  const server = createServer((request, response) => {
    const { host = '', origin } = request.headers
    const names = [nameOf(`http://${host}`), ...(origin === undefined ? [] : [nameOf(origin)])]
    if (names.every((name) => name !== undefined && LOOPBACK.has(name))) return onRequest(request, response)
    response.writeHead(403).end('This server is for callers on its own machine.')
  })
  server.listen(port, '127.0.0.1', () => {
    const address = server.address()
    process.stderr.write(`listening on ${typeof address === 'object' ? address?.port : address}\n`)
  })
}

function nameOf(address: string): string | undefined {
  return URL.canParse(address) ? new URL(address).hostname : undefined
}
