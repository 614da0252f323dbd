import type { EndpointSpec } from '@toolhaven/core/ports/gateway'
import { expect, it } from 'vitest'
import { startGateway } from './support/gateway.ts'
import { postModern } from './support/modern-post.ts'
import { openSession } from './support/raw-server.ts'
import { connectScripted } from './support/scripted-server.ts'

it('a name that is not text is shown to nobody, and ends nothing', async () => {
  await using test = await startGateway()
  await test.open()
  const name = { toString: 1, valueOf: 1 }
  const tools = [{ name, inputSchema: { type: 'object', 'x-mcp-header': 'A' } }]
  await connectScripted(test, ({ method }) => (method === 'tools/list' ? { result: { tools } } : { result: {} }))
  const listed = await postModern(test, 'tools/list')
  expect(await listed.json()).toMatchObject({ id: 1, result: { tools: [] } })
})

it('what it says of a call is told to no other client that describes itself in the same way', async () => {
  await using test = await startGateway()
  await test.open()
  const calls: unknown[] = []
  const { say } = await connectScripted(test, ({ method, id }) => {
    if (method === 'tools/list') return { result: { tools: [] } }
    if (method === 'tools/call') calls.push(id)
    return method === 'tools/call' ? undefined : { result: {} }
  })
  const ask = (who: string) =>
    postModern(
      test,
      'tools/call',
      { name: 'a', arguments: { who } },
      { meta: { 'io.modelcontextprotocol/logLevel': 'info' } },
    ).then((response) => response.text())
  const alice = ask('alice')
  await expect.poll(() => calls.length).toBe(1)
  const bob = ask('bob')
  await expect.poll(() => calls.length).toBe(2)
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
  await connectScripted(test, ({ method }) => {
    if (method !== 'tools/list') return { result: { content: [{ type: 'text', text: 'done' }] } }
    lists += 1
    return lists === 1 ? { error: { code: -32_000, message: 'busy' } } : { result: { tools } }
  })
  const mismatch = () =>
    postModern(
      test,
      'tools/call',
      { name: 'a', arguments: { region: 'us' } },
      { headers: { 'mcp-param-region': 'eu' } },
    )
  expect(await (await mismatch()).text()).not.toContain('done')
  const refused = await mismatch()
  expect(refused.status).toBe(400)
  expect(await refused.text()).toContain('differ')
})

it('a client gets no message that it could read as another than the one that was judged', async () => {
  await using test = await startGateway()
  await test.open()
  const { say } = await connectScripted(test, () => {
    say({
      method: 'notifications/message',
      Method: 'sampling/createMessage',
      ID: 1,
      params: { level: 'error', data: 'a' },
    })
    say({ method: 'notifications/message', params: { level: 'error', data: 'b' } })
    return { result: { content: [] } }
  })
  const post = await openSession(test)
  const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'x' } })
  const heard = await (await post(call)).text()
  expect(heard).toContain('"data":"b"')
  expect(heard).not.toContain('sampling/createMessage')
})

it.each<[string, Partial<EndpointSpec>]>([
  ['a filter', { toolsFilter: ['shown'] }],
  ['overrides', { toolsOverride: { hidden: { name: 'other' } } }],
  ['policies', { authorization: { policies: ['permit(principal, action, resource == Tool::"shown");'] } }],
])('a list that %s did not see reaches nobody, however the server spells its key', async (_what, change) => {
  await using test = await startGateway()
  await test.open(change)
  const inputSchema = { type: 'object' }
  const tools = [{ name: 'shown', inputSchema }]
  await connectScripted(test, () => ({ result: { tools, Tools: [{ name: 'hidden', inputSchema }] } }))
  const post = await openSession(test)
  const listed = await (await post(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }))).text()
  expect(JSON.parse(listed)).toMatchObject({ result: { tools } })
  expect(listed).not.toContain('hidden')
})

it.each([
  ['that are no messages', 'x'],
  ['of the protocol', '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}'],
])('one that prints endless short lines %s lets others have their turn, and loses none', async (_what, line) => {
  await using test = await startGateway()
  await test.open()
  const { channel } = await connectScripted(test, () => undefined)
  const lines = 100_000
  let isPaused = false
  Object.assign(channel, { pause: () => (isPaused = true), resume: () => (isPaused = false) })
  let othersHadTheirTurn = false
  channel.onStdout(Buffer.from(`${line}\n`.repeat(lines)))
  channel.onStdout(Buffer.from('the last one\n'))
  setImmediate(() => (othersHadTheirTurn = !test.output.includes('stdout: the last one')))
  expect(isPaused).toBe(true)
  channel.onClose()
  await expect.poll(() => test.lost.length).toBe(1)
  expect(othersHadTheirTurn).toBe(true)
  expect(test.output).toHaveLength(line === 'x' ? lines + 1 : 1)
  expect(test.output.at(-1)).toBe('stdout: the last one')
  expect(isPaused).toBe(false)
})

it('a batch of more messages than any server has use for is one line of output', async () => {
  await using test = await startGateway()
  await test.open()
  const { channel } = await connectScripted(test, () => undefined)
  channel.onStdout(Buffer.from(`[${Array(1001).fill('{}').join()}]\n`))
  channel.onStdout(Buffer.from('[{},{},{}]\n'))
  expect(test.output.map((line) => line.slice(0, 20))).toEqual(['stdout: [{},{},{},{}', 'stdout: [{},{},{}]'])
})
