import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { NAME, never, type TestGateway } from './gateway.ts'
import { serveHttp } from './http-server.ts'

type Json = { [key: string]: unknown }

export interface Heard extends Json {
  headers: IncomingHttpHeaders
}

type Outcome = Json | number | 'ends' | undefined

/** What a message causes: its response without the id, nothing, a status that refuses it, or the end of its stream. */
export type SseScript = (message: Heard, stream: ServerResponse) => Outcome | Promise<Outcome>

export const INITIALIZED = {
  result: {
    protocolVersion: '2025-11-25',
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: 'old', version: '1' },
  },
}

/** A server of the HTTP+SSE transport. `streams` are all that were ever opened. */
export async function startSseServer(test: TestGateway, script: SseScript) {
  const streams: ServerResponse[] = []
  const heard: Heard[] = []
  /** The requests that opened a stream. */
  const openings: IncomingHttpHeaders[] = []
  const origin = await serveHttp(test, async (request, response) => {
    if (request.method === 'GET') {
      streams.push(response)
      openings.push(request.headers)
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(`event: endpoint\ndata: /messages?stream=${streams.length - 1}\n\n`)
      return
    }
    const message: Heard = { ...JSON.parse(await text(request)), headers: request.headers }
    heard.push(message)
    const stream = streams[Number(request.url?.split('=')[1])]
    const outcome = stream && (await script(message, stream))
    response.writeHead(typeof outcome === 'number' ? outcome : 202).end()
    if (outcome === 'ends') stream?.end()
    else if (typeof outcome === 'object')
      stream?.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id: message['id'], ...outcome })}\n\n`)
  })
  const backend = { kind: 'http', transport: 'sse', url: `${origin}/sse`, processId: 'p' } as const
  return { streams, openings, heard, connect: () => test.gateway.connect(NAME, backend, never) }
}
