import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { sample } from '@toolhaven/testing/rotation'
import { rotationInside } from '@toolhaven/testing/turns'
import { describe, expect, it } from 'vitest'
import { pythonServer } from './src/python-server.ts'
import { proxy } from './src/targets.ts'

const GENERATIONS = [
  { sdk: '1.30.0', revision: '2025-11-25' },
  { sdk: '2.3.0', revision: '2026-07-28' },
] as const
const SERVERS = (['sse', 'stdio', 'streamable-http'] as const).flatMap((transport) =>
  GENERATIONS.map((generation) => ({ ...generation, transport })),
)

describe.each(sample(SERVERS, 1, rotationInside(import.meta.url)))(
  'a server made with the Python SDK $sdk, over $transport',
  (server) => {
    it(
      `is spoken to in ${server.revision}, and serves a client of its time or before`,
      { timeout: 900_000 },
      async () => {
        await using target = await proxy(await pythonServer(server.sdk, server.transport))
        expect(target.handshake).toMatchObject({ serverName: 'python', protocolVersion: server.revision })
        const client = new Client({ name: 'test', version: '1' })
        await client.connect(new StreamableHTTPClientTransport(new URL(`${target.origin}/mcp`)))
        const answer = await client.callTool({ name: 'greet', arguments: { name: 'Zoë' } })
        expect(answer.content).toEqual([{ type: 'text', text: 'Grüß Gott, Zoë' }])
        await client.close()
      },
    )
  },
)
