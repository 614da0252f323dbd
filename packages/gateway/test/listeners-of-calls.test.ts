import { expect, it } from 'vitest'
import { messagesOf } from './support/events.ts'
import { startGateway, type TestGateway } from './support/gateway.ts'
import { postModern } from './support/modern-post.ts'
import { connectScriptedAuto, type ScriptedProcess } from './support/scripted-auto.ts'
import type { Script } from './support/scripted-server.ts'

const GREETING = {
  protocolVersion: '2025-11-25',
  capabilities: { tools: { listChanged: true }, resources: { subscribe: true } },
  serverInfo: { name: 's', version: '1' },
}
const URIS = ['memo://one', 'memo://two']

/** A call changes the tools and a resource. Its process reports the resource only if it was asked to. */
function changingServer({ say, heard }: ScriptedProcess): Script {
  return (message) => {
    if (message['method'] === 'initialize') return { result: GREETING }
    if (message['method'] !== 'tools/call') return undefined
    const uri = URIS.find((each) => JSON.stringify(message).includes(each))
    const isSubscription = ({ method, ...rest }: object & { method?: unknown }) =>
      method === 'resources/subscribe' && JSON.stringify(rest).includes(`"${uri}"`)
    say({ method: 'notifications/tools/list_changed' })
    if (heard.some(isSubscription)) say({ method: 'notifications/resources/updated', params: { uri } })
    return { result: { content: [] } }
  }
}

const metaOf = (name: string) => ({
  'io.modelcontextprotocol/clientInfo': { name, version: '1' },
  'io.modelcontextprotocol/clientCapabilities': { sampling: {} },
})

async function listen(test: TestGateway, name: string) {
  const notifications = { toolsListChanged: true, resourceSubscriptions: URIS }
  const response = await postModern(test, 'subscriptions/listen', { notifications }, { meta: metaOf(name) })
  const messages = messagesOf(response)
  expect(await messages.next()).toMatchObject({ value: { method: 'notifications/subscriptions/acknowledged' } })
  return messages
}

async function change(test: TestGateway, name: string, uri: string): Promise<void> {
  const answer = await postModern(test, 'tools/call', { name: 'change', arguments: { uri } }, { meta: metaOf(name) })
  expect(await answer.json()).toMatchObject({ result: { content: [] } })
}

async function hearsChange(messages: ReturnType<typeof messagesOf>, uri: string): Promise<void> {
  expect(await messages.next()).toMatchObject({ value: { method: 'notifications/tools/list_changed' } })
  expect(await messages.next()).toMatchObject({ value: { method: 'notifications/resources/updated', params: { uri } } })
}

it('a client without a session hears once what each of its calls changes, though each has a process of its own', async () => {
  await using test = await startGateway()
  await test.open()
  const { servers } = await connectScriptedAuto(test, { needsOwn: true }, changingServer)
  // The process of the next call is started before anybody listens.
  await change(test, 'client', 'memo://one')
  const messages = await listen(test, 'client')
  for (const uri of URIS) {
    await change(test, 'client', uri)
    await hearsChange(messages, uri)
  }
  const called = servers.filter(({ heard }) => heard.some(({ method }) => method === 'tools/call'))
  expect(called).toHaveLength(3)
  for (const { heard } of called.slice(1))
    expect(heard.filter(({ method }) => method === 'resources/subscribe')).toHaveLength(URIS.length)
})

it('nobody else hears what changes in such a process', async () => {
  await using test = await startGateway()
  await test.open()
  await connectScriptedAuto(test, { needsOwn: true }, changingServer)
  const [one, two] = [await listen(test, 'one'), await listen(test, 'two')]
  await change(test, 'one', 'memo://one')
  await change(test, 'two', 'memo://two')
  await hearsChange(one, 'memo://one')
  await hearsChange(two, 'memo://two')
})
