import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client'
import { childServer, modernServer } from '@toolhaven/testing/mcp-servers/child-channel'
import { describe, expect, it } from 'vitest'
import { connectClient, memoryStore, NAME, never, startGateway, type TestGateway } from './support/gateway.ts'
import { runIsolated } from './support/isolated.ts'
import { scriptedServer, type Script } from './support/scripted-server.ts'

const ROOMY = { isolated: { maxSessions: 10, idleMs: 60_000 } }
const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
const INITIALIZE = {
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: { roots: {} }, clientInfo: { name: 'raw', version: '1' } },
}

async function opened(options: Parameters<typeof startGateway>[0] = {}, spec: object = ROOMY): Promise<TestGateway> {
  const test = await startGateway(options)
  await test.open(spec)
  return test
}

async function post(test: TestGateway, message: object, session?: string | null, signal?: AbortSignal) {
  const response = await fetch(`${test.origin}/mcp`, {
    method: 'POST',
    headers: { ...HEADERS, ...(session && { 'mcp-session-id': session }) },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
    ...(signal && { signal }),
  })
  const text = await response.text()
  return { status: response.status, session: response.headers.get('mcp-session-id'), text }
}

const call = (name: string, args = {}) => ({ method: 'tools/call', params: { name, arguments: args } })

describe('sessions with servers of their own', () => {
  it('have one each, whatever client opened them, and the first has the one that was there', async () => {
    await using test = await opened()
    const { started } = await runIsolated(test)
    const pids: string[] = []
    for (const kind of ['v1 http', 'v1 sse', 'v2 http', 'v2 sse'] as const) {
      const client = await connectClient(test, kind)
      pids.push(await client.call('pid'), await client.call('pid'))
    }
    const expected = started.map(({ pid }) => String(pid))
    expect(expected).toHaveLength(4)
    expect(pids).toEqual(expected.flatMap((pid) => [pid, pid]))
  })

  it('also share no server that speaks without sessions', async () => {
    await using test = await opened({ limits: { probeMs: 50_000 } })
    const { started } = await runIsolated(test, () => modernServer(['--era=modern']))
    const clients = [await connectClient(test, 'v1 http'), await connectClient(test, 'v2 http')]
    for (const client of clients) expect(await client.call('echo', { text: 'x' })).toBe('x')
    expect(started).toHaveLength(2)
  })

  it('are asked by their own server only', async () => {
    await using test = await opened()
    await runIsolated(test)
    const asked: string[] = []
    const clients = await Promise.all(
      ['a', 'b', 'c'].map((name) =>
        connectClient(test, 'v1 http', (_method, text) => {
          asked.push(name)
          return `${name} heard ${text.includes(name)}`
        }),
      ),
    )
    const answers = await Promise.all(clients.map((client, at) => client.call('sample', { text: 'abc'[at] })))
    expect(answers.map((answer) => answer.includes('heard true'))).toEqual([true, true, true])
    expect(asked.toSorted()).toEqual(['a', 'b', 'c'])
  })

  it('end with their servers, and their servers with them', async () => {
    await using test = await opened()
    const { started, live } = await runIsolated(test)
    const [first, second] = [await post(test, INITIALIZE), await post(test, INITIALIZE)]
    expect(live.size).toBe(2)
    await fetch(`${test.origin}/mcp`, { method: 'DELETE', headers: { 'mcp-session-id': first.session ?? '' } })
    await expect.poll(() => [...live]).toEqual([started[1]])

    const third = await post(test, INITIALIZE)
    const lost = await post(test, call('crash'), second.session)
    expect(lost.text).toContain('process ended')
    await expect.poll(async () => (await post(test, call('pid'), second.session)).status).toBe(404)
    await expect.poll(() => [...live]).toEqual([started[2]])
    expect((await post(test, call('pid'), third.session)).text).toContain(String(started[2]?.pid))
    expect(test.lost).toEqual([])
  })

  it('end when the workload is taken away, and with the daemon', async () => {
    await using test = await opened()
    const { live, backend } = await runIsolated(test)
    const { session } = await post(test, INITIALIZE)
    await post(test, INITIALIZE)
    test.gateway.disconnect(NAME, 'the workload was stopped')
    await expect.poll(() => live.size, { timeout: 20_000 }).toBe(0)
    expect((await post(test, call('pid'), session)).status).toBe(404)

    const again = await backend.startAnother(never)
    await test.gateway.connect(NAME, { ...backend, first: again.server, claimFirst: () => again.end }, never)
    await post(test, INITIALIZE)
    await post(test, INITIALIZE)
    expect(live.size).toBe(2)
    await test.gateway.shutdown(0)
    await expect.poll(() => live.size, { timeout: 20_000 }).toBe(0)
  })

  it('end after their idle time, but not while their client listens', async () => {
    // Long enough for the listener's stream to open on a busy machine.
    await using test = await opened({ limits: { keepAliveMs: 10 } }, { isolated: { maxSessions: 10, idleMs: 3000 } })
    const { live } = await runIsolated(test)
    const listener = await connectClient(test, 'v1 http')
    const { session } = await post(test, INITIALIZE)
    expect(live.size).toBe(2)
    await expect.poll(() => live.size, { timeout: 30_000 }).toBe(1)
    expect((await post(test, call('pid'), session)).status).toBe(404)
    expect(await listener.call('echo', { text: 'still here' })).toBe('still here')
  })

  it('end when their server no longer answers, and only those', async () => {
    await using test = await opened()
    const { started, live } = await runIsolated(test)
    await post(test, INITIALIZE)
    const healthy = await post(test, INITIALIZE)
    process.kill(started[0]?.pid ?? 0, 'SIGSTOP')
    for (const _time of [1, 2]) await test.gateway.ping(NAME, AbortSignal.timeout(300))
    expect(live.size).toBe(2)
    await test.gateway.ping(NAME, AbortSignal.timeout(300))
    await expect.poll(() => [...live]).toEqual([started[1]])
    expect((await post(test, call('pid'), healthy.session)).status).toBe(200)
  })

  it('are refused beyond the limit, with what to do, until one ends', async () => {
    await using test = await opened({}, { isolated: { maxSessions: 2, idleMs: 60_000 } })
    const { started } = await runIsolated(test)
    const { session } = await post(test, INITIALIZE)
    await post(test, INITIALIZE)
    for (const refused of [
      await post(test, INITIALIZE),
      await fetch(`${test.origin}/sse`).then(async (got) => ({ status: got.status, text: await got.text() })),
    ]) {
      expect(refused.status).toBe(503)
      expect(refused.text).toMatch(/all 2 are taken.*limits\.max_sessions/)
    }
    expect(started).toHaveLength(2)
    await fetch(`${test.origin}/mcp`, { method: 'DELETE', headers: { 'mcp-session-id': session ?? '' } })
    expect((await post(test, INITIALIZE)).status).toBe(200)
  })

  it('are not known to the next daemon', async () => {
    const sessionStore = memoryStore()
    await using test = await opened({ sessionStore, limits: { saveDelayMs: 1 } })
    await runIsolated(test)
    const { session } = await post(test, INITIALIZE)
    await expect.poll(() => sessionStore.data.size).toBe(1)
    expect(sessionStore.data.get(NAME)).not.toContain(session)
  })

  it('end when the workload changes to a shared server, and the other way round', async () => {
    await using test = await startGateway()
    await test.open()
    await test.run()
    const shared = await post(test, INITIALIZE)
    await test.open(ROOMY)
    expect((await post(test, call('pid'), shared.session)).status).toBe(404)
  })

  it('have their output told apart', async () => {
    await using test = await opened()
    await runIsolated(test, () => childServer(['--behaviour=chatty']))
    await post(test, INITIALIZE)
    await post(test, INITIALIZE)
    await expect.poll(() => test.output.some((line) => line.includes(': [tag2] '))).toBe(true)
    expect(test.output.some((line) => !line.includes('[tag'))).toBe(true)
  })
})

describe('the handshake with a server of one’s own', () => {
  const RESULT = { result: { protocolVersion: '2025-06-18', capabilities: { tasks: {} }, serverInfo: { name: 's' } } }

  /** Scripted servers, and what each of them heard. */
  async function scripted(test: TestGateway, script: (server: number) => Script) {
    const heard: { [key: string]: unknown }[][] = []
    const ended: number[] = []
    const another = () => {
      const at = heard.length
      const server = scriptedServer(script(at))
      heard.push(server.heard)
      return {
        tag: `t${at}`,
        server: { kind: 'stdio', channel: server.channel, processId: `p${at}`, start: async () => {} } as const,
        end: async () => void ended.push(at),
      }
    }
    const first = another()
    const backend = { kind: 'isolated', first: first.server, claimFirst: () => first.end } as const
    await test.gateway.connect(NAME, { ...backend, startAnother: async () => another() }, never)
    return { heard, ended }
  }

  it('is the client’s own, and so is all the server offers', async () => {
    await using test = await opened()
    const { heard } = await scripted(
      test,
      () =>
        ({ method, id }) =>
          id === undefined
            ? undefined
            : method === 'server/discover'
              ? { error: { code: -32_601, message: 'no' } }
              : RESULT,
    )
    for (const _each of ['the first server', 'another one']) {
      const { session, text } = await post(test, INITIALIZE)
      expect(JSON.parse(text)).toMatchObject({ id: 1, ...RESULT })
      await post(test, { id: undefined, method: 'notifications/initialized' }, session)
      expect((await post(test, { method: 'tasks/list' }, session)).text).toContain('result')
    }
    const own = [{ ...INITIALIZE }, { method: 'notifications/initialized' }, { method: 'tasks/list' }]
    expect(heard[0]?.slice(-3)).toMatchObject(own)
    expect(heard[0]?.filter(({ method }) => method === 'notifications/initialized')).toHaveLength(1)
    expect(heard[1]).toHaveLength(3)
    expect(heard[1]).toMatchObject(own)
  })

  it('is made with another server when the first takes initialize only once', async () => {
    await using test = await opened()
    const { heard, ended } = await scripted(test, () => {
      let times = 0
      return ({ method, id }) =>
        id === undefined
          ? undefined
          : method === 'initialize' && ++times === 1
            ? RESULT
            : { error: { code: 1, message: 'no' } }
    })
    expect(JSON.parse((await post(test, INITIALIZE)).text)).toMatchObject(RESULT)
    expect(heard).toHaveLength(2)
    expect(ended).toEqual([0])
  })

  it('that fails leaves nothing behind, and its client can try again', async () => {
    await using test = await opened({}, { isolated: { maxSessions: 1, idleMs: 60_000 } })
    const { ended } = await scripted(test, (server) => ({ method, id }) => {
      if (id === undefined) return undefined
      return method === 'initialize' && server !== 1 ? RESULT : { error: { code: -32_600, message: 'not today' } }
    })
    const { session } = await post(test, INITIALIZE)
    await fetch(`${test.origin}/mcp`, { method: 'DELETE', headers: { 'mcp-session-id': session ?? '' } })
    const refused = await post(test, INITIALIZE)
    expect(refused).toMatchObject({ status: 200, session: null })
    expect(refused.text).toContain('not today')
    expect(ended).toEqual([0, 1])
    expect((await post(test, INITIALIZE)).session).not.toBeNull()
  })
})

describe('a server that cannot be had', () => {
  it('is explained to the client', async () => {
    await using test = await opened()
    const { backend } = await runIsolated(test)
    const startAnother = () => Promise.reject(new Error('the image is gone'))
    const again = await backend.startAnother(never)
    await test.gateway.connect(
      NAME,
      { ...backend, first: again.server, claimFirst: () => again.end, startAnother },
      never,
    )
    expect((await post(test, INITIALIZE)).status).toBe(200)
    const { text, session } = await post(test, INITIALIZE)
    expect(text).toContain('No server could be started for this session: the image is gone')
    expect(session).toBeNull()
  })

  it('is given up when its client goes while it starts', async () => {
    await using test = await opened()
    const { backend, live } = await runIsolated(test)
    const gate = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    const slow = async (signal: AbortSignal) => {
      asked.resolve()
      await gate.promise
      return backend.startAnother(signal)
    }
    const first = await backend.startAnother(never)
    await test.gateway.connect(
      NAME,
      { ...backend, first: first.server, claimFirst: () => first.end, startAnother: slow },
      never,
    )
    await post(test, INITIALIZE)
    const gone = new AbortController()
    const waiting = post(test, INITIALIZE, null, gone.signal).catch(() => 'gone')
    await asked.promise
    const before = live.size
    gone.abort()
    expect(await waiting).toBe('gone')
    gate.resolve()
    // It is started, and then ended with the session that nobody knows.
    await expect.poll(() => live.size, { timeout: 20_000 }).toBe(before)
    const next = await post(test, INITIALIZE)
    expect(next.status).toBe(200)
    await expect.poll(() => live.size, { timeout: 20_000 }).toBe(before + 1)
  })

  it('before any client came is the workload’s loss', async () => {
    await using test = await opened()
    const { started } = await runIsolated(test)
    await started[0]?.kill()
    await expect.poll(() => test.lost.length).toBe(1)
  })
})

describe('a client without sessions', () => {
  it('that knows nothing else is told what to do', async () => {
    await using test = await opened()
    await runIsolated(test)
    await expect(connectClient(test, 'v2 modern')).rejects.toThrow(/session/)
  })

  it('that also knows sessions goes on with one on its own', async () => {
    await using test = await opened()
    const { started } = await runIsolated(test)
    const client = new ClientV2({ name: 'both', version: '1' }, { versionNegotiation: { mode: 'auto' } })
    await client.connect(new HttpV2(new URL(`${test.origin}/mcp`)))
    test.defer(() => client.close())
    const { content } = await client.callTool({ name: 'pid', arguments: {} })
    expect(content).toEqual([{ type: 'text', text: String(started[0]?.pid) }])
  })
})
