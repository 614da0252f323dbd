import { createServer } from 'node:http'
import { EndedEarly } from '@toolhaven/core/workloads/ended-early'
import { describe, expect, it } from 'vitest'
import { connectClient, memoryStore, NAME, never, startGateway, type TestGateway } from './support/gateway.ts'
import { DISCOVERED, scriptedServer, type Script } from './support/scripted-server.ts'

type Json = { [key: string]: unknown }

const INITIALIZED = {
  result: { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'old', version: '1' } },
}
const refusal = (code: number, data?: Json) => ({ error: { code, message: 'no', ...(data && { data }) } })

let processes = 0

/** Connects a scripted process: the server's name, and the methods it heard. */
async function greet(test: TestGateway, script: Script) {
  const { channel, heard } = scriptedServer(script)
  const processId = `scripted-${++processes}`
  const connecting = test.gateway.connect(NAME, { kind: 'stdio', channel, processId, start: async () => {} }, never)
  const [outcome, error] = await connecting.then(
    ({ serverName }) => [serverName],
    (reason: unknown) => [String(reason), reason],
  )
  // This server answers within a turn of the event loop, in which only one write is made.
  await new Promise(setImmediate)
  return { outcome, error, methods: heard.map(({ method }) => method) }
}

describe('a process is first asked with server/discover', () => {
  it.each<[string, Json]>([
    ['an unknown method', refusal(-32_601)],
    ['invalid parameters', refusal(-32_602)],
    ['a want of initialize', refusal(-32_000)],
    ['a result of another kind', { result: {} }],
    ['the older revisions it knows', refusal(-32_022, { supported: ['2025-11-25'] })],
  ])('and one that answers with %s gets initialize', async (_what, answer) => {
    await using test = await startGateway()
    await test.open()
    const { outcome, methods } = await greet(test, ({ method }) =>
      method === 'initialize' ? INITIALIZED : method === 'server/discover' ? answer : undefined,
    )
    expect(outcome).toBe('old')
    expect(methods).toEqual(['server/discover', 'initialize', 'notifications/initialized'])
  })

  it('and one that answers it never gets initialize', async () => {
    await using test = await startGateway()
    await test.open()
    const { outcome, methods } = await greet(test, () => DISCOVERED)
    expect(outcome).toBe('new')
    expect(methods).toEqual(['server/discover'])
  })

  it('and one that says nothing gets initialize as well, and after its next start only that', async () => {
    await using test = await startGateway({ limits: { probeMs: 20 } })
    await test.open()
    const silent: Script = ({ method }) => (method === 'initialize' ? INITIALIZED : undefined)
    expect((await greet(test, silent)).methods).toEqual(['server/discover', 'initialize', 'notifications/initialized'])
    expect(await greet(test, silent)).toMatchObject({
      outcome: 'old',
      methods: ['initialize', 'notifications/initialized'],
    })
  })

  it('and one that is only slow is known by its later answer', async () => {
    await using test = await startGateway({ limits: { probeMs: 20 } })
    await test.open()
    const { channel, heard } = scriptedServer(({ method }) =>
      method === 'initialize' ? refusal(-32_022, { supported: ['2026-07-28'] }) : undefined,
    )
    const connecting = test.gateway.connect(
      NAME,
      { kind: 'stdio', channel, processId: 'slow', start: async () => {} },
      never,
    )
    await expect.poll(() => heard.length).toBe(2)
    channel.onStdout(Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', id: heard[0]?.['id'], ...DISCOVERED })}\n`))
    expect(await connecting).toMatchObject({ serverName: 'new', protocolVersion: '2026-07-28' })
  })

  it('and one that exits on it gets initialize at its next start, in the next life of the daemon too', async () => {
    const sessionStore = memoryStore()
    const nervous: Script = ({ method }) => {
      if (method === 'server/discover') return 'exits'
      return method === 'initialize' ? INITIALIZED : undefined
    }
    await using test = await startGateway({ sessionStore })
    await test.open()
    const first = await greet(test, nervous)
    expect(first.outcome).toContain('process ended')
    expect(first.error).toBeInstanceOf(EndedEarly)
    expect((await greet(test, nervous)).outcome).toBe('old')
    expect((await greet(test, nervous)).methods).toEqual(['initialize', 'notifications/initialized'])
    await test.gateway.shutdown(0)
    await using next = await startGateway({ sessionStore })
    await next.open()
    expect((await greet(next, nervous)).outcome).toBe('old')
  })

  it('and a program that writes text and answers nothing is told apart from a slow server', async () => {
    await using test = await startGateway({ limits: { probeMs: 20 } })
    await test.open()
    const { channel } = scriptedServer(() => undefined)
    const backend = { kind: 'stdio', channel, processId: 'text', start: async () => {} } as const
    const connecting = test.gateway.connect(NAME, backend, never)
    channel.onStdout(Buffer.from('Serving HTTP on port 8000\n'))
    await expect(connecting).rejects.toThrow(/is not an MCP server .*"Serving HTTP on port 8000"/)
  })

  it('and one that ends whatever it hears is a failure the second time', async () => {
    await using test = await startGateway()
    await test.open()
    const doomed: Script = () => 'exits'
    expect((await greet(test, doomed)).error).toBeInstanceOf(EndedEarly)
    for (const _again of [2, 3]) expect((await greet(test, doomed)).error).not.toBeInstanceOf(EndedEarly)
  })

  it('also when it was replaced by one that no longer knows initialize', async () => {
    await using test = await startGateway({ limits: { probeMs: 20 } })
    await test.open()
    await greet(test, ({ method }) => (method === 'initialize' ? INITIALIZED : undefined))
    const { outcome, methods } = await greet(test, ({ method }) =>
      method === 'initialize' ? refusal(-32_601) : DISCOVERED,
    )
    expect(outcome).toBe('new')
    expect(methods).toEqual(['initialize', 'server/discover'])
  })

  it('and one that takes neither is named as such', async () => {
    await using test = await startGateway()
    await test.open()
    const { outcome } = await greet(test, () => refusal(-32_601))
    expect(outcome).toContain('neither server/discover nor initialize')
  })

  it('and one of a later revision is told apart, with what both sides know', async () => {
    await using test = await startGateway()
    await test.open()
    const { outcome, methods } = await greet(test, () => refusal(-32_022, { supported: ['2027-01-01'] }))
    expect(outcome).toMatch(/2027-01-01.*2026-07-28/)
    expect(methods).toEqual(['server/discover'])
  })

  it('but not again by the next daemon while it runs on', async () => {
    const sessionStore = memoryStore()
    const { channel, heard } = scriptedServer(({ method }) =>
      method === 'server/discover'
        ? DISCOVERED
        : { result: { resultType: 'complete', content: [{ type: 'text', text: 'x' }] } },
    )
    const before = await startGateway({ sessionStore })
    await before.open()
    await before.gateway.connect(NAME, { kind: 'stdio', channel, processId: 'kept', start: async () => {} }, never)
    await before.gateway.shutdown(0)
    await using after = await startGateway({ sessionStore })
    await after.open()
    await after.gateway.connect(NAME, { kind: 'stdio', channel, processId: 'kept' }, never)
    const client = await connectClient(after, 'v1 http')
    expect(await client.call('echo')).toBe('x')
    expect(heard.filter(({ method }) => method === 'server/discover')).toHaveLength(1)
  })
})

describe('an HTTP server is first sent a request without a session', () => {
  /** Answers each POST with what the script says: a status and a body. */
  async function connectTo(script: (method: unknown) => [number, unknown]) {
    await using test = await startGateway()
    await test.open({ transport: 'streamable-http' })
    const methods: unknown[] = []
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      const { method, id } = JSON.parse(Buffer.concat(chunks).toString())
      methods.push(method)
      const [status, body] = script(method)
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(body === undefined ? '' : JSON.stringify({ jsonrpc: '2.0', id, ...Object(body) }))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    test.defer(() => server.close())
    const address = server.address()
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/mcp`
    const outcome = await test.gateway
      .connect(NAME, { kind: 'http', transport: 'streamable-http', url, processId: 'p' }, AbortSignal.timeout(20_000))
      .then(
        ({ serverName }) => serverName,
        (error: unknown) => String(error),
      )
    return { outcome, methods }
  }

  it.each<[string, number, unknown]>([
    ['400 and nothing', 400, undefined],
    ['400 and an error of the older era', 400, refusal(-32_000)],
    ['404 and nothing', 404, undefined],
    ['404 and an unknown session', 404, refusal(-32_001)],
    ['405', 405, undefined],
    ['500', 500, undefined],
    ['200 and an unknown method', 200, refusal(-32_601)],
  ])('and one that answers with %s gets initialize', async (_what, status, body) => {
    const { outcome, methods } = await connectTo((method) =>
      method === 'server/discover' ? [status, body] : [200, INITIALIZED],
    )
    expect(outcome).toBe('old')
    expect(methods.slice(0, 2)).toEqual(['server/discover', 'initialize'])
  })

  it('and one that answers it never gets initialize', async () => {
    const { outcome, methods } = await connectTo(() => [200, DISCOVERED])
    expect(outcome).toBe('new')
    expect(methods).toEqual(['server/discover'])
  })

  it.each([401, 403])('and %i says nothing about its era', async (status) => {
    const { outcome, methods } = await connectTo(() => [status, refusal(-32_000)])
    expect(outcome).toContain(`status ${status}`)
    expect(methods).toEqual(['server/discover'])
  })

  it('and one of a later revision is told apart, with what both sides know', async () => {
    const { outcome, methods } = await connectTo(() => [400, refusal(-32_022, { supported: ['2027-01-01'] })])
    expect(outcome).toMatch(/2027-01-01.*2026-07-28/)
    expect(methods).toEqual(['server/discover'])
  })

  it('and one that takes neither is named as such', async () => {
    const { outcome } = await connectTo(() => [200, refusal(-32_601)])
    expect(outcome).toContain('neither server/discover nor initialize')
  })
})
