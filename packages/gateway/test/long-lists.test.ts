import { expect, it } from 'vitest'
import { startGateway, type TestGateway } from './support/gateway.ts'
import { openSession } from './support/raw-server.ts'
import { connectScripted } from './support/scripted-server.ts'

/** It looks at arguments, so each tool of a list has to be judged without knowing them. */
const POLICY =
  'permit(principal, action == Action::"call_tool", resource) when { resource.name like "good*" && context.arg_a < 10 };'
const LIST = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })

async function start(count: number, onList: () => void): Promise<TestGateway> {
  const test = await startGateway()
  await test.open({ authorization: { policies: [POLICY] } })
  const tools = Array.from({ length: count }, (_, at) => ({ name: `${at % 2 ? 'good' : 'bad'}-${at}` }))
  await connectScripted(test, ({ method }) => {
    if (method === 'tools/list') onList()
    return { result: method === 'tools/list' ? { tools } : { content: [{ type: 'text', text: 'called' }] } }
  })
  return test
}

it('others are served while the policies judge a long list', async () => {
  const order: string[] = []
  let health: Promise<unknown> | undefined
  await using test = await start(300, () => {
    health = fetch(`${test.origin}/health`)
      .then((response) => response.text())
      .then(() => order.push('health'))
  })
  const post = await openSession(test)
  const { result } = await (await post(LIST)).json()
  order.push('list')
  await health
  expect(order).toEqual(['health', 'list'])
  expect(result.tools).toHaveLength(150)
  expect(result.tools.every(({ name }: { name: string }) => name.startsWith('good-'))).toBe(true)
})

it('a list that is too long to be judged is refused, and its server can be called all the same', async () => {
  await using test = await start(5001, () => {})
  const post = await openSession(test)
  const { error } = await (await post(LIST)).json()
  expect(error.message).toContain('more than 5000')
  const params = { name: 'good-1', arguments: { a: 1 } }
  expect(await (await post(JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/call', params }))).text()).toContain(
    'called',
  )
})
