import { expect, it } from 'vitest'
import { startGateway } from './support/gateway.ts'
import { connectServer, openSession } from './support/raw-server.ts'

const LARGE = 'é\\" "id":7,'.repeat(2000)
const RESULT = { content: [{ type: 'text', text: LARGE }] }
const callOf = (id: unknown) =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'echo', arguments: { text: LARGE } } })

it.each([
  ['first', (id: unknown) => JSON.stringify({ jsonrpc: '2.0', id, result: RESULT })],
  ['last', (id: unknown) => JSON.stringify({ result: RESULT, jsonrpc: '2.0', id })],
  [
    'first, on a line as Windows ends it',
    (id: unknown) => `${JSON.stringify({ jsonrpc: '2.0', id, result: RESULT })}\r`,
  ],
])('a large answer with its id %s reaches its asker under the id it gave', async (_where, answer) => {
  await using test = await startGateway()
  await test.open()
  const heard = await connectServer(test, answer)
  const post = await openSession(test)
  for (const id of [7, 'seven', '"']) {
    expect(await (await post(callOf(id))).json()).toEqual({ jsonrpc: '2.0', id, result: RESULT })
    const { id: _given, ...told } = JSON.parse(heard.at(-1) ?? '')
    expect(told).toEqual({ jsonrpc: '2.0', method: 'tools/call', params: { name: 'echo', arguments: { text: LARGE } } })
  }
})

it('a second answer to a call goes nowhere, however large', async () => {
  await using test = await startGateway()
  await test.open()
  const text = (id: unknown) => JSON.stringify({ jsonrpc: '2.0', id, result: RESULT })
  await connectServer(test, (id) => `${text(id)}\n${text(id)}`)
  const post = await openSession(test)
  const answers = await Promise.all([1, 2, 3].map(async (id) => (await post(callOf(id))).json()))
  expect(answers).toEqual([1, 2, 3].map((id) => ({ jsonrpc: '2.0', id, result: RESULT })))
})

it('what somebody looks at is read, however large', async () => {
  await using test = await startGateway()
  await test.open({ toolsFilter: ['echo'] })
  const tools = ['echo', 'hidden'].map((name) => ({ name, description: LARGE, inputSchema: { type: 'object' } }))
  await connectServer(test, (id) => JSON.stringify({ jsonrpc: '2.0', id, result: { tools } }))
  const post = await openSession(test)
  const listed = await (await post(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }))).json()
  expect(listed).toEqual({ jsonrpc: '2.0', id: 1, result: { tools: [tools[0]] } })
})
