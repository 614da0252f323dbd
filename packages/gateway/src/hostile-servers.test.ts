import { expect, it } from 'vitest'
import { NAME, never, startGateway, type TestGateway } from './test-gateway.ts'
import { modernRequest, postModern } from './test-modern-post.ts'
import { scriptedServer, type Script } from './test-scripted-server.ts'

const GREETING = {
  result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } },
}

/** A server of the era with sessions. */
async function connectServer(test: TestGateway, script: Script) {
  const server = scriptedServer((message) => {
    const { method } = message
    if (method === 'server/discover') return { error: { code: -32_601, message: 'no' } }
    return method === 'initialize' ? GREETING : script(message)
  })
  const { channel } = server
  await test.gateway.connect(NAME, { kind: 'stdio', channel, processId: 'p', start: async () => {} }, never)
  return server
}

it('a name that is no text is shown to nobody, and ends nothing', async () => {
  await using test = await startGateway()
  await test.open()
  const name = { toString: 1, valueOf: 1 }
  const tools = [{ name, inputSchema: { type: 'object', 'x-mcp-header': 'A' } }]
  await connectServer(test, ({ method }) => (method === 'tools/list' ? { result: { tools } } : { result: {} }))
  const listed = await postModern(test, modernRequest('tools/list'))
  expect(await listed.json()).toMatchObject({ id: 1, result: { tools: [] } })
})

it('what it says of a call is told to no other client that describes itself in the same way', async () => {
  await using test = await startGateway()
  await test.open()
  const calls: unknown[] = []
  const { channel } = await connectServer(test, ({ method, id }) => {
    if (method === 'tools/list') return { result: { tools: [] } }
    if (method === 'tools/call') calls.push(id)
    return method === 'tools/call' ? undefined : { result: {} }
  })
  const ask = (who: string) =>
    postModern(
      test,
      modernRequest('tools/call', { name: 'a', arguments: { who } }, { 'io.modelcontextprotocol/logLevel': 'info' }),
    ).then((response) => response.text())
  const alice = ask('alice')
  await expect.poll(() => calls.length).toBe(1)
  const bob = ask('bob')
  await expect.poll(() => calls.length).toBe(2)
  const say = (message: object) => channel.onStdout(Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`))
  say({ method: 'notifications/message', params: { level: 'info', data: 'the file of alice' } })
  for (const id of calls) say({ id, result: { content: [] } })
  expect(await bob).not.toContain('alice')
  await alice
})

it('a server that could not say which values are in headers is asked again, not believed', async () => {
  await using test = await startGateway()
  await test.open()
  const properties = { region: { type: 'string', 'x-mcp-header': 'Region' } }
  const tools = [{ name: 'a', inputSchema: { type: 'object', properties } }]
  let lists = 0
  await connectServer(test, ({ method }) => {
    if (method !== 'tools/list') return { result: { content: [{ type: 'text', text: 'done' }] } }
    lists += 1
    return lists === 1 ? { error: { code: -32_000, message: 'busy' } } : { result: { tools } }
  })
  const mismatch = () =>
    postModern(test, modernRequest('tools/call', { name: 'a', arguments: { region: 'us' } }), {
      'mcp-param-region': 'eu',
    })
  expect(await (await mismatch()).text()).not.toContain('done')
  const refused = await mismatch()
  expect(refused.status).toBe(400)
  expect(await refused.text()).toContain('differ')
})
