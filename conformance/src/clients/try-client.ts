import { isDeepStrictEqual } from 'node:util'
import { startHttpServer } from '@toolhaven/testing/mcp-servers/child-channel'
import { FIXTURE_SERVER } from '@toolhaven/testing/mcp-servers/fixture-source'
import { startProxied, type Way } from '../targets.ts'
import type { RealClient } from './real-clients.ts'

export const BACKS = ['stdio', 'sse', 'streamable-http'] as const satisfies readonly Way[]
export const FRONTS = ['http', 'sse'] as const

export interface ClientRow {
  client: string
  back: (typeof BACKS)[number]
  front: (typeof FRONTS)[number]
  isEqual: boolean
  direct: unknown
  proxied: unknown
}

/** What the client gets from the server itself, and from the same server through each front end of the gateway. */
export async function tryClient(client: RealClient, back: (typeof BACKS)[number]): Promise<ClientRow[]> {
  const direct = await askDirect(client, back)
  const rows: ClientRow[] = []
  for (const front of FRONTS) {
    await using target = await startProxied(FIXTURE_SERVER, back)
    const proxied = await client.ask({ kind: front, url: `${target.origin}/${front === 'sse' ? 'sse' : 'mcp'}` })
    rows.push({ client: client.name, back, front, isEqual: isDeepStrictEqual(direct, proxied), direct, proxied })
  }
  return rows
}

async function askDirect(client: RealClient, back: (typeof BACKS)[number]): Promise<unknown> {
  if (back === 'stdio') return client.ask({ kind: 'stdio', command: [process.execPath, FIXTURE_SERVER] })
  const server = await startHttpServer(back)
  try {
    return await client.ask({ kind: back === 'sse' ? 'sse' : 'http', url: server.url })
  } finally {
    await server.kill()
  }
}
