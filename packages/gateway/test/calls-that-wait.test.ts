import { expect, it } from 'vitest'
import { startGateway, type TestGateway } from './support/gateway.ts'
import { openSession } from './support/raw-server.ts'
import { connectScripted } from './support/scripted-server.ts'

const NOT_ECHO = ['permit(principal, action, resource) unless { resource == Tool::"echo" };']

async function open(spec: Parameters<TestGateway['open']>[0] = {}): Promise<TestGateway> {
  const test = await startGateway()
  await test.open(spec)
  return test
}

/** Sends a request while the server is away, as in the restart that an edit brings. Resolves when it waits. */
async function askMeanwhile(test: TestGateway, method: string, params: object) {
  const session = await openSession(test)
  test.gateway.disconnect('fixture', 'the workload is restarting', true)
  const answer = session(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })).then((came) => came.text())
  // Another connection that came later has been answered.
  for (let i = 0; i < 5; i++) await (await fetch(`${test.origin}/health`)).text()
  return { answer }
}

it.each([10, 1_000_000])('a list of %i bytes is shown by the rules in force when it comes', async (bytes) => {
  await using test = await open()
  const description = 'x'.repeat(bytes)
  const tools = ['echo', 'add'].map((name) => ({ name, description, inputSchema: { type: 'object' } }))
  const script = ({ method }: { [key: string]: unknown }) => (method === 'tools/list' ? { result: { tools } } : undefined)
  await connectScripted(test, script)
  const { answer } = await askMeanwhile(test, 'tools/list', {})
  await test.open({ authorization: { policies: NOT_ECHO } })
  await connectScripted(test, script)
  expect(await answer).toContain('"name":"add"')
  expect(await answer).not.toContain('"name":"echo"')
})

it('a call is judged by the tool that it is for, though another has its name by now', async () => {
  await using test = await open({ toolsOverride: { echo: { name: 'say' } } })
  const script = ({ params }: { [key: string]: unknown }) => ({
    result: { content: [{ type: 'text', text: `called ${JSON.stringify(params)}` }] },
  })
  await connectScripted(test, script)
  const { answer } = await askMeanwhile(test, 'tools/call', { name: 'say', arguments: {} })
  await test.open({ toolsOverride: { add: { name: 'say' } }, authorization: { policies: NOT_ECHO } })
  await connectScripted(test, script)
  expect(await answer).toContain('do not allow you to call the tool echo')
  expect(await answer).not.toContain('called')
})

it('a call goes on when its tool has another name by now', async () => {
  await using test = await open({ toolsOverride: { echo: { name: 'say' } } })
  const script = ({ params }: { [key: string]: unknown }) => ({
    result: { content: [{ type: 'text', text: `called ${JSON.stringify(params)}` }] },
  })
  await connectScripted(test, script)
  const { answer } = await askMeanwhile(test, 'tools/call', { name: 'say', arguments: {} })
  await test.open({ toolsOverride: { echo: { name: 'tell' } }, toolsFilter: ['echo'] })
  await connectScripted(test, script)
  expect(await answer).toContain(String.raw`called {\"name\":\"echo\"`)
})
