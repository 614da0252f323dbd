import { describe, expect, it } from 'vitest'
import type { AutoBackend } from '@toolhaven/core/ports/gateway'
import { NAME, never, startGateway, type TestGateway } from './support/gateway.ts'
import { RawClient } from './support/raw-client.ts'
import { scriptedServer, type Script } from './support/scripted-server.ts'

type Json = { [key: string]: unknown }
type Scripted = ReturnType<typeof scriptedServer>

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null

/** Lists one tool for each thing that its client can be asked, and asks for roots after the handshake. */
function tailored(capabilities: Json, say: () => Scripted['say']): Script {
  let client: Json = {}
  return ({ id, method, params }) => {
    if (method === 'server/discover') return { error: { code: -32_601, message: 'no' } }
    if (method === 'initialize') {
      const declared = isObject(params) ? params['capabilities'] : undefined
      client = isObject(declared) ? declared : {}
      return { result: { protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 's', version: '1' } } }
    }
    if (method === 'notifications/initialized' && isObject(client['roots']))
      say()({ id: 'roots', method: 'roots/list' })
    if (id === undefined || method === undefined) return undefined
    if (method === 'tools/list') return { result: { tools: Object.keys(client).map((name) => ({ name })) } }
    return { result: { by: method } }
  }
}

async function connectAuto(test: TestGateway, capabilities: Json, needsOwn = false) {
  const servers: Scripted[] = []
  const another = () => {
    const server: Scripted = scriptedServer(tailored(capabilities, () => server.say))
    servers.push(server)
    const { channel } = server
    return { kind: 'stdio', channel, processId: `p${servers.length}`, start: async () => {} } as const
  }
  const end = async () => {}
  const backend: AutoBackend = {
    ...{ kind: 'auto', needsOwn, own: { maxSessions: 10, idleMs: 60_000 }, first: another(), claimFirst: () => end },
    startAnother: async () => ({ tag: 't', server: another(), end }),
  }
  await test.gateway.connect(NAME, backend, never)
  return servers
}

async function client(test: TestGateway, name: string, capabilities: Json) {
  const raw = new RawClient(test, 'http', name)
  const greeting = await raw.connect(capabilities)
  test.defer(() => raw.leave())
  await raw.send({ method: 'notifications/initialized' })
  const ask = async (method: string) => {
    const id = `${method} of ${name}`
    const came = raw.until(() => raw.responses.some((response) => response.id === id))
    await raw.send({ id, method })
    await came
    return raw.responses.find((response) => response.id === id)
  }
  const tools = async () => {
    const listed = (await ask('tools/list'))?.result?.['tools']
    return Array.isArray(listed) ? listed.map((tool: unknown) => (isObject(tool) ? tool['name'] : '')) : []
  }
  return { raw, greeting, ask, tools }
}

const ALL = { roots: {}, sampling: {}, elicitation: {} }

describe('a server that asks is seen as over a connection of its own', () => {
  it.each([false, true])('by clients with and without capabilities; known before: %s', async (needsOwn) => {
    await using test = await startGateway()
    await test.open()
    await connectAuto(test, { tools: {} }, needsOwn)
    const some = await client(test, 'some', { sampling: {} })
    const none = await client(test, 'none', {})
    const all = await client(test, 'all', ALL)
    expect(await some.tools()).toEqual(['sampling'])
    expect(await none.tools()).toEqual([])
    expect(await all.tools()).toEqual(['roots', 'sampling', 'elicitation'])
  })

  it('with its tasks, which are not seen by others', async () => {
    await using test = await startGateway()
    await test.open()
    const servers = await connectAuto(test, { tools: {}, tasks: { list: {} } })
    const [one, other] = [await client(test, 'one', {}), await client(test, 'other', {})]
    expect(one.greeting).toMatchObject({ capabilities: { tools: {}, tasks: { list: {} } } })
    expect(await one.ask('tasks/list')).toMatchObject({ result: { by: 'tasks/list' } })
    await other.tools()
    const heard = servers.map((server) => server.heard.filter(({ method }) => method === 'tasks/list').length)
    expect(heard.filter((count) => count > 0)).toEqual([1])
  })

  it('with what it asks outside of calls', async () => {
    await using test = await startGateway()
    await test.open()
    const servers = await connectAuto(test, { tools: {} })
    const one = await client(test, 'one', { roots: {} })
    const other = await client(test, 'other', { roots: {} })
    await one.raw.until(() => one.raw.others.length === 1)
    await other.raw.until(() => other.raw.others.length === 1)
    for (const [index, { raw }] of [one, other].entries())
      await raw.send({ id: raw.others[0]?.id, result: { roots: [{ uri: `file:///${index}` }] } })
    // The server that asked before there was a client does not become a client's server.
    const answers = () => servers.slice(1).map(({ heard }) => heard.find(({ id }) => id === 'roots'))
    await expect
      .poll(answers)
      .toMatchObject([{ result: { roots: [{ uri: 'file:///0' }] } }, { result: { roots: [{ uri: 'file:///1' }] } }])
  })
})

it('a session goes on with another server when its own is lost', async () => {
  await using test = await startGateway()
  await test.open()
  const servers = await connectAuto(test, { tools: {} }, true)
  const { raw, tools } = await client(test, 'one', { sampling: {} })
  expect(await tools()).toEqual(['sampling'])
  raw.responses.length = 0
  servers[0]?.channel.onClose(new Error('exit code 1'))
  expect(test.lost).toEqual([])
  expect(await tools()).toEqual(['sampling'])
  const methods = servers[1]?.heard.map(({ method }) => method)
  expect(methods).toEqual(['initialize', 'notifications/initialized', 'tools/list'])
})
