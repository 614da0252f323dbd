import { describe, expect, it } from 'vitest'
import { startGateway, type TestGateway } from './support/gateway.ts'
import { ask, AUTHENTICATION, sessionOf, startWithIdentities } from './support/identities.ts'
import { postModern } from './support/modern-post.ts'
import { connectScripted, type Script } from './support/scripted-server.ts'

const NOT_ECHO = ['permit(principal, action, resource) unless { resource == Tool::"echo" };']

/** Reports its arguments. */
const telling: Script = ({ method, params }) =>
  method === 'tools/call'
    ? { result: { content: [{ type: 'text', text: `called ${JSON.stringify(params)}` }] } }
    : { result: { tools: [] } }

const request = (method: string, params: object) => ({ jsonrpc: '2.0', id: 1, method, params })

/** Sends something while the server is away, as in the restart after an edit. Resolves when it waits. */
async function sendMeanwhile(test: TestGateway, send: () => Promise<Response>): Promise<{ answer: Promise<string> }> {
  test.gateway.disconnect('fixture', 'the workload is restarting', true)
  const answer = send().then((response) => response.text())
  // Later connections have been answered.
  for (let i = 0; i < 5; i++) await (await fetch(`${test.origin}/health`)).text()
  return { answer }
}

async function startAs(spec: Parameters<TestGateway['open']>[0], script: Script) {
  const test = await startGateway()
  await test.open(spec)
  await connectScripted(test, script)
  const headers = await sessionOf(test, undefined)
  return { test, send: (method: string, params: object) => ask(test, request(method, params), headers) }
}

it.each([10, 1_000_000])('a list of %i bytes is shown by the rules in force when it comes', async (bytes) => {
  const description = 'x'.repeat(bytes)
  const tools = ['echo', 'add'].map((name) => ({ name, description, inputSchema: { type: 'object' } }))
  const { test, send } = await startAs({}, () => ({ result: { tools } }))
  await using _ended = test
  const { answer } = await sendMeanwhile(test, () => send('tools/list', {}))
  await test.open({ authorization: { policies: NOT_ECHO } })
  await connectScripted(test, () => ({ result: { tools } }))
  expect(await answer).toContain('"name":"add"')
  expect(await answer).not.toContain('"name":"echo"')
})

describe('a call by a name that was given to its tool', () => {
  it('is judged by the tool that it is for, though another has the name by now', async () => {
    const { test, send } = await startAs({ toolsOverride: { echo: { name: 'say' } } }, telling)
    await using _ended = test
    const { answer } = await sendMeanwhile(test, () => send('tools/call', { name: 'say', arguments: {} }))
    await test.open({ toolsOverride: { add: { name: 'say' } }, authorization: { policies: NOT_ECHO } })
    await connectScripted(test, telling)
    expect(await answer).toContain('do not allow you to call the tool echo')
    expect(await answer).not.toContain('called')
  })

  it('goes on when the tool has another name by now', async () => {
    const { test, send } = await startAs({ toolsOverride: { echo: { name: 'say' } } }, telling)
    await using _ended = test
    const { answer } = await sendMeanwhile(test, () => send('tools/call', { name: 'say', arguments: {} }))
    await test.open({ toolsOverride: { echo: { name: 'tell' } }, toolsFilter: ['echo'] })
    await connectScripted(test, telling)
    expect(await answer).toContain(String.raw`called {\"name\":\"echo\"`)
  })
})

const INITIALIZE = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } }
const REQUESTS: Record<string, (test: TestGateway, headers: Record<string, string>) => Promise<Response>> = {
  'call in a session': (test, headers) => ask(test, request('tools/call', { name: 'echo' }), headers),
  'call without a session': (test) => postModern(test, 'tools/call', { name: 'echo', arguments: {} }),
  'server/discover': (test) => postModern(test, 'server/discover'),
  handshake: (test) => ask(test, request('initialize', INITIALIZE), {}),
}

describe.each(Object.entries(REQUESTS))('a %s of a caller without a name', (_what, send) => {
  it('comes to nothing when callers have to say who they are by the time the server is there', async () => {
    await using test = await startWithIdentities()
    await test.open()
    await connectScripted(test, telling)
    const headers = await sessionOf(test, undefined)
    const { answer } = await sendMeanwhile(test, () => send(test, headers))
    await test.open(AUTHENTICATION)
    const server = await connectScripted(test, telling)
    expect(await answer).toContain('The rules for who may use this workload changed')
    expect(server.heard.filter(({ method }) => method === 'tools/call')).toEqual([])
  })

  it('goes on when only something else was changed', async () => {
    await using test = await startWithIdentities()
    await test.open()
    await connectScripted(test, telling)
    const headers = await sessionOf(test, undefined)
    const { answer } = await sendMeanwhile(test, () => send(test, headers))
    await test.open({ limits: { requestsPerMinute: 1000 } })
    await connectScripted(test, telling)
    expect(await answer).toContain('"result"')
  })
})

it('a call of a caller in good standing goes on when the rules for callers were changed', async () => {
  await using test = await startWithIdentities()
  await connectScripted(test, telling)
  const headers = await sessionOf(test, { sub: 'u1' })
  const { answer } = await sendMeanwhile(test, () => ask(test, request('tools/call', { name: 'echo' }), headers))
  await test.open({ ...AUTHENTICATION, limits: { requestsPerMinute: 1000 } })
  await connectScripted(test, telling)
  expect(await answer).toContain('called')
})
