import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { type Server, createServer } from 'node:http'
import path from 'node:path'
import * as z from 'zod'
import { createRequestHandler } from './request-handler.ts'
import { securityHeaders } from './security-headers.ts'
import { readSiteFiles } from './site-files.ts'

export interface RunningSite {
  url: string
  server: Server
  [Symbol.asyncDispose](): Promise<void>
}

export interface ServeOptions {
  /** What `npm run build:site` made. */
  folder: string
  port: number
  host?: string
  /** Absent: the built-in search is not offered. */
  search?: (request: Request) => Promise<Response>
  /** See Encodings. */
  quality?: number
}

/** Left in the build by site/publish-plugin.ts. */
const builtWith = z.object({ searchOrigins: z.array(z.string()), tagManager: z.boolean() })

/** Serves a built site. Rejects with the system's error when the port is taken. */
export async function serveSite(options: ServeOptions): Promise<RunningSite> {
  const files = await readSiteFiles(options.folder)
  if (!files.has('/index.html')) throw new Error(`There is no built site in ${options.folder}: run npm run build:site.`)
  const outside = builtWith.parse(JSON.parse(await readFile(path.join(options.folder, '.site.json'), 'utf8')))
  const handle = createRequestHandler({
    files,
    headers: securityHeaders(files, outside),
    ...(options.search === undefined ? {} : { search: options.search }),
    quality: options.quality,
  })
  const server = createServer((request, response) => {
    handle(request, response).catch(() => {
      // The reader went away, or we are at fault; either way this answer is over.
      if (!response.headersSent) response.writeHead(500)
      response.end()
    })
  })
  server.listen(options.port, options.host)
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : options.port
  return {
    url: `http://localhost:${port}`,
    server,
    async [Symbol.asyncDispose]() {
      if (!server.listening) return
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
