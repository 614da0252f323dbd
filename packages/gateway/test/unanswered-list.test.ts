import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { NAME, never, startGateway, type TestGateway } from './support/gateway.ts'
import { serveHttp } from './support/http-server.ts'
import { postModern } from './support/modern-post.ts'
import { RawClient } from './support/raw-client.ts'
import { connectScripted, DISCOVERED } from './support/scripted-server.ts'

async function callTool(test: TestGateway, id: number, region: string): Promise<unknown> {
  const params = { name: 'weather', arguments: { region: 'us' } }
  return (await postModern(test, 'tools/call', params, { id, headers: { 'mcp-param-region': region } })).json()
}

it('a list of tools that a server does not answer holds up calls for a while only, and is asked for again', async () => {
  await using test = await startGateway({ limits: { ownRequestMs: 100 } })
  await test.open()
  const marked = { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } }
  let isSilent = true
  await connectScripted(test, ({ method }) => {
    if (method !== 'tools/list') return { result: { content: [] } }
    return isSilent ? undefined : { result: { tools: [{ name: 'weather', inputSchema: marked }] } }
  })
  // Whether it is let through or refused does not matter here: nobody may wait for ever.
  expect(await Promise.all([callTool(test, 1, 'us'), callTool(test, 2, 'us')])).toMatchObject([{ id: 1 }, { id: 2 }])
  isSilent = false
  expect(await callTool(test, 3, 'us')).toMatchObject({ id: 3, result: { content: [] } })
  expect(await callTool(test, 4, 'eu')).toMatchObject({ id: 4, error: { code: -32_020 } })
})

it('a list of tools that comes late holds up no call for long, and serves the next', async () => {
  await using test = await startGateway({ limits: { toolsWaitMs: 100 } })
  await test.open()
  const server = await connectScripted(test, ({ method }) => (method === 'tools/list' ? undefined : { result: {} }))
  const late = expect.objectContaining({ message: expect.stringContaining('has not listed its tools yet') })
  expect(await callTool(test, 1, 'us')).toMatchObject({ id: 1, error: late })
  const lists = server.heard.filter(({ method }) => method === 'tools/list')
  expect(lists).toHaveLength(1)
  server.say({ id: lists[0]?.['id'], result: { tools: [] } })
  expect(await callTool(test, 2, 'us')).toMatchObject({ id: 2, result: {} })
})

it('a call that nothing could be marked in does not wait for the list of tools', async () => {
  await using test = await startGateway()
  await test.open()
  const server = await connectScripted(test, ({ method }) => (method === 'tools/list' ? undefined : { result: {} }))
  for (const params of [{ name: 'weather' }, { name: 'weather', arguments: {} }]) {
    const answer = await postModern(test, 'tools/call', params, { signal: AbortSignal.timeout(10_000) })
    expect(await answer.json()).toMatchObject({ result: {} })
  }
  // A header may claim what the arguments do not say.
  expect(server.heard.map(({ method }) => method)).not.toContain('tools/list')
  const headers = { 'mcp-param-region': 'us' }
  const claims = postModern(test, 'tools/call', { name: 'weather', arguments: {} }, { headers })
  await expect.poll(() => server.heard.some(({ method }) => method === 'tools/list')).toBe(true)
  const tools = [
    { name: 'weather', inputSchema: { properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } } },
  ]
  const answerLists = () => {
    for (const { id } of server.heard.splice(0).filter(({ method }) => method === 'tools/list'))
      server.say({ id, result: { tools } })
  }
  answerLists()
  // It looks once more before it refuses.
  await expect.poll(() => server.heard.some(({ method }) => method === 'tools/list')).toBe(true)
  answerLists()
  expect(await (await claims).json()).toMatchObject({ error: { code: -32_020 } })
})

it('a client with a session waits shortly for the list of tools of a server without', async () => {
  await using test = await startGateway({ limits: { toolsWaitMs: 100 } })
  await test.open()
  const origin = await serveHttp(test, async (request, response) => {
    const { id, method }: { id: number; method: string } = JSON.parse(await text(request))
    if (method === 'tools/list' || method === 'subscriptions/listen') return
    const { result } = method === 'server/discover' ? DISCOVERED : { result: { resultType: 'complete', content: [] } }
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id, result }))
  })
  const backend = { kind: 'http', transport: 'streamable-http', url: `${origin}/mcp`, processId: 'p' } as const
  await test.gateway.connect(NAME, backend, never)
  const client = new RawClient(test, 'http', 'patient')
  test.defer(() => client.leave())
  await client.connect({})
  const params = { name: 'weather', arguments: { region: 'us' } }
  void client.send({ id: 7, method: 'tools/call', params })
  // The gateway's own limit is 30 s.
  client.patienceMs = 20_000
  await client.until(() => client.responses.some(({ id }) => id === 7))
  expect(client.responses).toMatchObject([{ id: 7, result: { content: [] } }])
})
