import { expect, it } from 'vitest'
import { startGateway, type TestGateway } from './test-gateway.ts'
import { postModern } from './test-modern-post.ts'
import { connectScripted } from './test-scripted-server.ts'

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
  // Whether it is let through or refused is not the question here: nobody waits for ever.
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
