import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import path from 'node:path'
import { consoleFolder } from '../../../tools/console-build.ts'

/** A page that needs more than this complains, and its test fails. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.webmanifest': 'application/manifest+json',
}

/** The built console before a daemon: its files, and every call passed on. A daemon that ends takes its answers along. */
export async function serveConsole(daemon: string) {
  const server = createServer((incoming, outgoing) => {
    if (incoming.url?.startsWith('/api/')) passOn(daemon, incoming, outgoing)
    else giveFile(new URL(incoming.url ?? '/', daemon).pathname, outgoing)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

function passOn(daemon: string, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { method, headers } = incoming
  const asked = request(new URL(incoming.url ?? '', daemon), { method, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
    answer.on('error', () => outgoing.destroy())
    answer.pipe(outgoing)
  })
  asked.on('error', () => outgoing.destroy())
  outgoing.on('close', () => asked.destroy())
  incoming.pipe(asked)
}

/** Every address that is not a file is a page of the console. */
function giveFile(pathname: string, outgoing: ServerResponse): void {
  const wanted = path.join(consoleFolder, pathname)
  const file = path.extname(wanted) !== '' && existsSync(wanted) ? wanted : path.join(consoleFolder, 'index.html')
  const type = TYPES[path.extname(file)] ?? 'application/octet-stream'
  outgoing.writeHead(200, { 'content-type': type, 'content-security-policy': POLICY }).end(readFileSync(file))
}
