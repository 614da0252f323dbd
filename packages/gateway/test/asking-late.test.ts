import { describe, expect, it } from 'vitest'
import { NAME, never, startGateway, type TestGateway } from './support/gateway.ts'
import { postModern } from './support/modern-post.ts'
import { RawClient } from './support/raw-client.ts'
import { callsOf, connectScriptedAuto, question, usual, type ScriptedProcess } from './support/scripted-auto.ts'
import { scriptedServer } from './support/scripted-server.ts'

const CAN_ANSWER = { 'io.modelcontextprotocol/clientCapabilities': { sampling: {}, roots: {} } }

/** A call of a stateless client. `note` tells it from others. */
function modernCall(
  test: TestGateway,
  name: string,
  note: string,
  change: { signal?: AbortSignal; meta?: object } = {},
) {
  const meta = { ...CAN_ANSWER, ...change.meta }
  const posted = postModern(test, 'tools/call', { name, arguments: { note } }, { ...change, meta })
  return posted.then((response) => response.text())
}

const serverOf = (servers: readonly ScriptedProcess[], note: string) =>
  servers.find((server) => JSON.stringify(callsOf(server)).includes(`"${note}"`))

async function hasCall(servers: readonly ScriptedProcess[], note: string): Promise<ScriptedProcess> {
  const found = () => serverOf(servers, note)
  await expect.poll(found).toBeDefined()
  const server = found()
  if (server === undefined) throw new Error(`no server has ${note}`)
  return server
}

const answer = (server: ScriptedProcess, note: string, text: string) => {
  const call = callsOf(server).find((message) => JSON.stringify(message).includes(`"${note}"`))
  server.say({ id: call?.['id'], result: { content: [{ type: 'text', text }] } })
}

const log = (data: string) => ({ method: 'notifications/message', params: { level: 'error', data } })

async function client(test: TestGateway, name: string): Promise<RawClient> {
  const raw = new RawClient(test, 'http', name)
  await raw.connect({ sampling: {} })
  test.defer(() => raw.leave())
  return raw
}

async function call(raw: RawClient, servers: readonly ScriptedProcess[], name: string): Promise<ScriptedProcess> {
  const note = `${name} of ${raw.name}`
  void raw.send({ id: note, method: 'tools/call', params: { name, arguments: { note } } })
  const server = await hasCall(servers, note)
  if (name === 'end') await raw.until(() => raw.responses.some(({ id }) => id === note))
  return server
}

async function opened(): Promise<TestGateway> {
  const test = await startGateway()
  await test.open()
  return test
}

describe('a client without a session', () => {
  it.each(['end', 'hold'])('is not asked about the call of another that is over (%s)', async (how) => {
    await using test = await opened()
    const { servers } = await connectScriptedAuto(test, { needsOwn: true })
    const gone = new AbortController()
    const first = modernCall(test, how, 'of a', { signal: gone.signal }).catch(() => 'gone')
    const late = await hasCall(servers, 'of a')
    if (how === 'hold') gone.abort()
    await first
    const second = modernCall(test, 'hold', 'of b', { meta: { 'io.modelcontextprotocol/logLevel': 'debug' } })
    const server = await hasCall(servers, 'of b')
    late.say(log('about the call of a'))
    late.say(question('late', 'about the call of a'))
    answer(server, 'of b', 'for b')
    const text = await second
    expect(text).toContain('for b')
    expect(text).not.toContain('about the call of a')
  })

  it('is asked what its own process wants to know from the start, with each of its calls', async () => {
    await using test = await opened()
    const { servers } = await connectScriptedAuto(test, { needsOwn: true }, (server) => ({ method }) => {
      if (method === 'notifications/initialized') server.say({ id: 'roots', method: 'roots/list' })
      return undefined
    })
    for (const note of ['one', 'two', 'three']) {
      expect(await modernCall(test, 'hold', note)).toContain('roots/list')
      await hasCall(servers, note)
    }
    expect(new Set(['one', 'two', 'three'].map((note) => serverOf(servers, note))).size).toBe(3)
  })

  it('finds a process that is ready for its next call', async () => {
    await using test = await opened()
    const { servers } = await connectScriptedAuto(test, { needsOwn: true })
    await modernCall(test, 'end', 'one')
    const isReady = () => servers.some((server) => !server.isEnded && callsOf(server).length === 0)
    await expect.poll(isReady).toBe(true)
    expect(servers.filter(({ isEnded }) => !isEnded)).toHaveLength(1)
  })
})

describe('a call that waits for a process', () => {
  it('gets the room of a client that closed its connections', async () => {
    await using test = await opened()
    const own = { maxSessions: 1, idleMs: 600_000 }
    const { servers } = await connectScriptedAuto(test, { needsOwn: true, own })
    const a = await client(test, 'a')
    await call(a, servers, 'end')
    const waiting = modernCall(test, 'end', 'of b')
    // Its request is with the gateway, which answers one that comes later.
    await postModern(test, 'server/discover')
    expect(serverOf(servers, 'of b')).toBeUndefined()
    a.hangUp()
    expect(await waiting).toContain('"content":[]')
    expect((await hasCall(servers, 'of b')).isEnded).toBe(true)
    expect((await hasCall(servers, 'end of a')).isEnded).toBe(true)
  })
})

describe('a workload that is stopped', () => {
  const stop = async (test: TestGateway) => {
    test.gateway.disconnect(NAME, 'the workload was stopped', true)
    // Longer than a process takes to start here.
    await new Promise((resolve) => setTimeout(resolve, 200))
  }

  it('has no process started after that', async () => {
    await using test = await opened()
    const { servers } = await connectScriptedAuto(test, { needsOwn: true })
    const held = modernCall(test, 'hold', 'one')
    await hasCall(servers, 'one')
    const before = servers.length
    await stop(test)
    expect(await held).toContain('the workload was stopped')
    expect(servers).toHaveLength(before)
    expect(servers.filter(({ isEnded }) => !isEnded)).toEqual([])
  })

  it('tells the calls that wait for a process', async () => {
    await using test = await startGateway({ limits: { handshakeMs: 3_600_000 } })
    await test.open()
    const own = { maxSessions: 1, idleMs: 600_000 }
    const { servers } = await connectScriptedAuto(test, { needsOwn: true, own })
    const held = modernCall(test, 'hold', 'one')
    await hasCall(servers, 'one')
    const waiting = modernCall(test, 'hold', 'two')
    // Its request is with the gateway, which answers one that comes later.
    await postModern(test, 'server/discover')
    const before = servers.length
    await stop(test)
    for (const call of [held, waiting]) expect(await call).toContain('the workload was stopped')
    expect(servers).toHaveLength(before)
  })
})

describe('a client that is asked first', () => {
  it('is not asked if another client used the process lately, and has a fresh one for its next call', async () => {
    await using test = await opened()
    const { servers } = await connectScriptedAuto(test)
    const [a, b] = [await client(test, 'a'), await client(test, 'b')]
    await call(b, servers, 'end')
    const first = await call(a, servers, 'hold')
    first.say(question('q', 'about the call of b'))
    await expect.poll(() => JSON.stringify(first.heard)).toContain('several clients share this server')
    answer(first, 'hold of a', 'done')
    await a.until(() => a.responses.length === 1)
    const next = await call(a, servers, 'end')
    expect(next).not.toBe(first)
    await expect.poll(() => first.isEnded).toBe(true)
    next.say(question('mine', 'about the call of a'))
    await a.until(() => a.questions.length === 1)
    expect([a.questions, b.questions]).toEqual([['about the call of a'], []])
  })

  it('is the only one to have used it, if it is asked while it calls nothing', async () => {
    await using test = await opened()
    const { servers } = await connectScriptedAuto(test)
    const b = await client(test, 'b')
    const first = await call(b, servers, 'end')
    await b.leave()
    const a = await client(test, 'a')
    first.say(log('about the call of b'))
    first.say(question('late', 'about the call of b'))
    await expect.poll(() => JSON.stringify(first.heard)).toContain('several clients share this server')
    await call(a, servers, 'end')
    expect([a.questions, a.logs]).toEqual([[], []])
  })

  it('does not get a process that clients of a former daemon used', async () => {
    await using test = await opened()
    const { servers, connectAgain } = await connectScriptedAuto(test)
    const first = await call(await client(test, 'b'), servers, 'end')
    await connectAgain({ needsOwn: true })
    const a = await client(test, 'a')
    expect(await call(a, servers, 'end')).not.toBe(first)
  })
})

describe('a process that clients share for good', () => {
  /** A server that asks a second after it has answered the tool `later`. */
  async function connectLate(test: TestGateway): Promise<ScriptedProcess> {
    const scripted = scriptedServer((message) => {
      const isLater = JSON.stringify(message).includes('"name":"later"')
      if (!isLater) return usual(message)
      setTimeout(() => scripted.say(question('late', 'about the call of b')), 1_000)
      return { result: { content: [] } }
    })
    const backend = { kind: 'stdio', channel: scripted.channel, processId: 'p', start: async () => {} } as const
    await test.gateway.connect(NAME, backend, never)
    return { ...scripted, isEnded: false }
  }

  it('asks no other client about a call that it has answered', async () => {
    await using test = await opened()
    const server = await connectLate(test)
    const [a, b] = [await client(test, 'a'), await client(test, 'b')]
    await call(b, [server], 'later')
    await b.until(() => b.responses.length === 1)
    await call(a, [server], 'hold')
    await expect.poll(() => JSON.stringify(server.heard), { timeout: 20_000 }).toContain('several clients share')
    answer(server, 'hold of a', 'done')
    await a.until(() => a.responses.length === 1)
    expect([a.questions, b.questions]).toEqual([[], []])
  })

  it('asks the only client that has used it, as long after a call as it likes', async () => {
    await using test = await opened()
    const server = await connectLate(test)
    const b = await client(test, 'b')
    await call(b, [server], 'later')
    await call(b, [server], 'hold')
    await b.until(() => b.questions.length === 1)
    expect(b.questions).toEqual(['about the call of b'])
  })
})
