import { describe, expect, it } from 'vitest'
import { startGateway } from './support/gateway.ts'
import { connectServer, openSession } from './support/raw-server.ts'

const SMALL = JSON.stringify({ content: [] })
const LARGE = JSON.stringify({ content: [{ type: 'text', text: 'x'.repeat(8000) }] })
const PLAIN = '{"content":[]}'

const messageOf = (id: number, method: string) =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params: { name: 'echo' } })

/**
 * A server that answers calls with exactly this, and everything else as it should. Id 1 is the session's list of tools.
 */
async function askServerThatSays(answer: (id: number) => string, headers: Record<string, string> = {}) {
  await using test = await startGateway()
  await test.open({ toolsFilter: ['echo'] })
  const told = await connectServer(test, (id) =>
    told.at(-1)?.includes('tools/list') === true
      ? ''
      : `${answer(Number(id))}\n{"jsonrpc":"2.0","id":${Number(id)},"result":${PLAIN}}`,
  )
  const post = await openSession(test)
  const leave = new AbortController()
  const listed = post(messageOf(1, 'tools/list'), {}, leave.signal).catch(() => undefined)
  const answered = await (await post(messageOf(2, 'tools/call'), headers)).text()
  leave.abort()
  await listed
  return answered
}

describe.each([
  ['small', SMALL],
  ['large', LARGE],
])('a %s answer to a call is not one to another call of its client', (_size, result) => {
  it.each([
    ['with another id behind', (id: number) => `{"jsonrpc":"2.0","id":${id},"result":${result},"id":1}`],
    ['in disguise', (id: number) => `{"jsonrpc":"2.0","id":${id},"result":${result},"\\u0069d":1}`],
  ])('%s', async (_how, answer) => {
    expect(JSON.parse(await askServerThatSays(answer))).toEqual({ jsonrpc: '2.0', id: 2, result: JSON.parse(PLAIN) })
  })

  it.each([
    ['its own', (id: number) => `{"jsonrpc":"2.0","id":${id},"result":${result},"id":${id}}`],
    ['its own in disguise', (id: number) => `{"jsonrpc":"2.0","id":${id},"result":${result},"\\u0069d":${id}}`],
    ['its own in front', (id: number) => `{"id":${id},"result":${result},"jsonrpc":"2.0","id":${id}}`],
  ])('by %s id twice, which may be that of the other', async (_how, answer) => {
    expect(JSON.parse(await askServerThatSays(answer))).toEqual({ jsonrpc: '2.0', id: 2, result: JSON.parse(result) })
  })
})

it('a large answer with a request to the client in it is read before anybody gets it', async () => {
  const request = '"method":"sampling/createMessage","params":{}'
  const answered = await askServerThatSays((id) => `{"jsonrpc":"2.0","id":${id},"result":${LARGE},${request}}`)
  expect(JSON.parse(answered)).toEqual({ jsonrpc: '2.0', id: 2, result: JSON.parse(PLAIN) })
})

it.each([
  ['small', SMALL],
  ['large', LARGE],
])('of a %s answer the client gets what an answer has, not what some readers take for it', async (_size, result) => {
  const more = `"Result":{"content":[{"type":"text","text":"unseen"}]},"METHOD":"sampling/createMessage"`
  const answered = await askServerThatSays((id) => `{"jsonrpc":"2.0","id":${id},"result":${result},${more}}`)
  expect(JSON.parse(answered)).toEqual({ jsonrpc: '2.0', id: 2, result: JSON.parse(result) })
})

it('a large answer does not become several events', async () => {
  const forged = JSON.stringify({ jsonrpc: '2.0', id: 9, method: 'sampling/createMessage', params: {} })
  const answered = await askServerThatSays(
    (id) => `{"jsonrpc":"2.0","id":${id},"result":${LARGE}\r\revent: message\rid: 9\rdata: ${forged}\r\r}`,
    { accept: 'text/event-stream' },
  )
  expect(answered).not.toContain('sampling/createMessage')
  expect(answered).toContain('"message":"the answer is not JSON')
})

it('a notification comes whole, whatever stands between its words', async () => {
  const notification = '{"jsonrpc":"2.0",\r\r"method":"notifications/message","params":{"level":"error","data":"x"}}'
  expect(await askServerThatSays(() => notification)).toContain(`data: ${JSON.stringify(JSON.parse(notification))}\n`)
})

it.each([
  ['nested too deeply', (id: number) => `{"jsonrpc":"2.0","id":${id},"result":${'['.repeat(500)}${']'.repeat(500)}}`],
  ['cut off', (id: number) => `{"jsonrpc":"2.0","id":${id},"result":{"content":[`],
])('a call whose answer is %s fails, instead of waiting for another', async (_how, answer) => {
  expect(JSON.parse(await askServerThatSays(answer))).toMatchObject({
    id: 2,
    error: { message: expect.stringContaining('not JSON, or nested more than 400 levels deep') },
  })
})
