import { expect, it } from 'vitest'
import { NAME, never, startGateway, type TestGateway } from './test-gateway.ts'
import { scriptedServer } from './test-scripted-server.ts'

const VERSION = '2026-07-28'

async function callTool(test: TestGateway, id: number, region: string): Promise<unknown> {
  const params = {
    name: 'weather',
    arguments: { region: 'us' },
    _meta: {
      'io.modelcontextprotocol/protocolVersion': VERSION,
      'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '0' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  }
  const response = await fetch(`${test.origin}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': VERSION,
      'mcp-method': 'tools/call',
      'mcp-name': 'weather',
      'mcp-param-region': region,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params }),
  })
  return response.json()
}

it('a list of tools that a server does not answer holds up calls for a while only, and is asked for again', async () => {
  await using test = await startGateway({ limits: { ownRequestMs: 100 } })
  await test.open()
  const marked = { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } }
  let isSilent = true
  const { channel } = scriptedServer(({ id, method }) => {
    if (method === 'server/discover') return { error: { code: -32_601, message: 'no' } }
    const serverInfo = { name: 's', version: '1' }
    if (method === 'initialize')
      return { result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo } }
    if (method === 'tools/list')
      return isSilent ? undefined : { result: { tools: [{ name: 'weather', inputSchema: marked }] } }
    return id === undefined ? undefined : { result: { content: [] } }
  })
  await test.gateway.connect(NAME, { kind: 'stdio', channel, processId: 'p', start: async () => {} }, never)
  // Whether it is let through or refused is not the question here: nobody waits for ever.
  expect(await Promise.all([callTool(test, 1, 'us'), callTool(test, 2, 'us')])).toMatchObject([{ id: 1 }, { id: 2 }])
  isSilent = false
  expect(await callTool(test, 3, 'us')).toMatchObject({ id: 3, result: { content: [] } })
  expect(await callTool(test, 4, 'eu')).toMatchObject({ id: 4, error: { code: -32_020 } })
})
