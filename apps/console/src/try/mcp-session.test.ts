import { expect, test } from 'vitest'
import { type QuestionAnswer, RpcFault, TransportFault } from './mcp-messages.ts'
import { McpSession } from './mcp-session.ts'

type Sent = { method: string; body: Record<string, unknown>; session: string | null }

/** Answers each method as it is told; sessions are counted. */
function serverThat(
  answer: (sent: Sent) => Response | Promise<Response>,
  ask: () => Promise<QuestionAnswer> = () => Promise.reject(new Error('nobody is asked')),
) {
  const sent: Sent[] = []
  let sessions = 0
  const session = new McpSession({
    answer: ask,
    fetch: async ({ method = '', body, headers }) => {
      const each = {
        method,
        body: JSON.parse(String(body ?? '{}')),
        session: new Headers(headers).get('mcp-session-id'),
      }
      sent.push(each)
      if (each.body['method'] === 'initialize')
        return json(
          { id: each.body['id'], result: { capabilities: { tools: {} } } },
          { 'mcp-session-id': `s${++sessions}` },
        )
      return each.body['method'] === 'notifications/initialized' ? new Response(null, { status: 202 }) : answer(each)
    },
  })
  return { session, sent }
}

const json = (message: object, headers: Record<string, string> = {}, status = 200) =>
  new Response(JSON.stringify(message), { status, headers: { 'content-type': 'application/json', ...headers } })
const events = (...messages: object[]) =>
  new Response(messages.map((message) => `data: ${JSON.stringify(message)}\n\n`).join(''), {
    headers: { 'content-type': 'text/event-stream' },
  })
const { signal: never } = new AbortController()
const CALL = { method: 'tools/call', params: { name: 'echo' } }

test('progress and questions come before the answer, and a question is answered in the same session', async () => {
  const { session, sent } = serverThat(
    ({ body }) =>
      body['method'] === 'tools/call'
        ? events(
            { method: 'notifications/progress', params: { progress: 1 } },
            { id: 'q', method: 'sampling/createMessage', params: {} },
            { id: 'r', method: 'roots/list' },
            { id: body['id'], result: { content: [] } },
          )
        : new Response(null, { status: 202 }),
    () => Promise.resolve({ result: { said: true } }),
  )
  const notices: unknown[] = []
  expect(await session.ask(CALL, { signal: never, onNotice: ({ method }) => notices.push(method) })).toEqual({
    content: [],
  })
  expect(notices).toEqual(['notifications/progress'])
  const refused = sent.find(({ body }) => body['id'] === 'r')
  expect(refused).toMatchObject({ session: 's1', body: { error: { code: -32_601 } } })
})

test('a session that the server forgot is opened again, and the call is made once in it', async () => {
  const { session, sent } = serverThat(({ body, session: id }) =>
    id === 's1'
      ? json({ error: { code: -32_000, message: 'no such session' } }, {}, 404)
      : json({ id: body['id'], result: {} }),
  )
  expect(await session.ask(CALL, { signal: never })).toEqual({})
  expect(sent.filter(({ body }) => body['method'] === 'tools/call').map((each) => each.session)).toEqual(['s1', 's2'])
})

test('an error of the protocol, a status and a stream that ends are told apart', async () => {
  const failing = async (answer: (sent: Sent) => Response) => {
    const { session } = serverThat(answer)
    return session.ask(CALL, { signal: never }).catch((error: unknown) => error)
  }
  expect(await failing(({ body }) => json({ id: body['id'], error: { code: -32_003, message: 'no' } }))).toMatchObject({
    ...{ name: RpcFault.name, code: -32_003, message: 'no' },
  })
  expect(await failing(() => new Response('log in', { status: 401 }))).toMatchObject({
    ...{ name: TransportFault.name, status: 401, message: 'log in' },
  })
  expect(await failing(() => events())).toMatchObject({ name: TransportFault.name, status: undefined })
})

test('a call that is cancelled tells the server which', async () => {
  const stop = new AbortController()
  const reason = new Error('enough')
  const { session, sent } = serverThat(({ body }) => {
    if (body['method'] !== 'tools/call') return new Response(null, { status: 202 })
    stop.abort(reason)
    throw reason
  })
  await expect(session.ask(CALL, { signal: stop.signal })).rejects.toBe(reason)
  const call = sent.find(({ body }) => body['method'] === 'tools/call')
  expect(sent.at(-1)?.body).toMatchObject({
    method: 'notifications/cancelled',
    params: { requestId: call?.body['id'] },
  })
})
