import { expect, it } from 'vitest'
import { BATCH_VERSION } from '../src/messages/protocol-versions.ts'
import { NAME, never, startGateway, type TestGateway } from './support/gateway.ts'
import { RawClient } from './support/raw-client.ts'
import { connectScripted } from './support/scripted-server.ts'

/** More calls than those that the gateway remembers as cancelled. */
const MANY = 1_010
const AT_A_TIME = 101

/** A server that sends nothing on its own initiative, and answers only a call named `end`. */
async function open(test: TestGateway) {
  await test.open()
  const server = await connectScripted(test, (message) => {
    const isEnd = JSON.stringify(message).includes('"name":"end"')
    return isEnd || message['method'] === 'tools/list' ? { result: { tools: [], content: [] } } : undefined
  })
  const [a, b] = [new RawClient(test, 'http', 'a'), new RawClient(test, 'http', 'b')]
  for (const client of [a, b]) {
    await client.connect({ sampling: {} }, BATCH_VERSION)
    test.defer(() => client.leave())
  }
  const heardCalls = () => server.heard.filter(({ method }) => method === 'tools/call').length
  /** Resolves when the server has it. */
  const call = async (client: RawClient, ids: readonly string[], name = 'work') => {
    const before = heardCalls()
    void client.sendTogether(ids.map((id) => ({ id, method: 'tools/call', params: { name, arguments: {} } })))
    await expect.poll(heardCalls).toBe(before + ids.length)
  }
  const cancel = (client: RawClient, ids: readonly string[]) =>
    client.sendTogether(ids.map((requestId) => ({ method: 'notifications/cancelled', params: { requestId } })))
  const ask = async (id: number) => {
    const content = { type: 'text', text: 'a question' }
    server.say({
      id,
      method: 'sampling/createMessage',
      params: { messages: [{ role: 'user', content }], maxTokens: 1 },
    })
    const answer = () => server.heard.find((message) => message['id'] === id && message['method'] === undefined)
    await expect.poll(answer).toBeDefined()
    return JSON.stringify(answer())
  }
  return { server, a, b, call, cancel, ask }
}

it('a question about a cancelled call reaches nobody else, whatever was cancelled since', async () => {
  await using test = await startGateway()
  const { a, b, call, cancel, ask } = await open(test)
  await call(b, ['of-b'])
  await cancel(b, ['of-b'])
  for (let n = 0; n < MANY; n += AT_A_TIME) {
    const ids = Array.from({ length: AT_A_TIME }, (_, at) => `a-${n + at}`)
    await call(a, ids)
    await cancel(a, ids)
  }
  await call(a, ['open'])
  expect(await ask(1)).toContain('several clients share this server')
  expect([...a.questions, ...b.questions]).toEqual([])
})

it('log lines about a cancelled call, or of a client that left, reach nobody else', async () => {
  await using test = await startGateway()
  const { server, a, b, call, cancel } = await open(test)
  const log = (data: string) => server.say({ method: 'notifications/message', params: { level: 'error', data } })
  await call(a, ['of-a'])
  log('of a')
  await a.until(() => a.logs.length > 0)
  await cancel(a, ['of-a'])
  await call(b, ['of-b'])
  log('of one of the two')
  await b.leave()
  log('of one of the two')
  // Whatever the server sent before its answer has arrived with it.
  await call(a, ['end'], 'end')
  await a.until(() => a.responses.some(({ id }) => id === 'end'))
  expect([a.logs, b.logs]).toEqual([['of a'], []])
})

it('a server that a former daemon used asks nobody about calls that nobody knows', async () => {
  await using test = await startGateway()
  const { server, a, b, call, ask } = await open(test)
  await call(a, ['of-a'])
  await test.gateway.connect(NAME, { kind: 'stdio', channel: server.channel, processId: 'p' }, never)
  await call(b, ['of-b'])
  expect(await ask(1)).toContain('several clients share this server')
  expect([...a.questions, ...b.questions]).toEqual([])
})
