import type { AuditSpec } from '@toolhaven/core/ports/gateway'
import { describe, expect, it, vi } from 'vitest'
import { NAME, never, startGateway, type TestGateway } from './support/gateway.ts'
import { ask, AUTHENTICATION, bearer, sessionOf, startWithIdentities } from './support/identities.ts'
import { modernRequest, postModern } from './support/modern-post.ts'
import { connectScripted, DISCOVERED, scriptedServer } from './support/scripted-server.ts'

type Json = { [key: string]: unknown }

const ONE = bearer({ sub: 'one' })
const TWO = bearer({ sub: 'two' })
const CALL = { name: 'later', arguments: {} }
const STATE = { resultType: 'input_required', requestState: 'plain', inputRequests: {} }

/** A stateless server, and what it hears of calls and tasks. */
async function serve(test: TestGateway, result: Json, processId = 'p') {
  const server = scriptedServer(({ id, method }) => {
    if (method === 'server/discover') return DISCOVERED
    return id === undefined ? undefined : { result: method === 'tools/list' ? { tools: [] } : result }
  })
  const { channel } = server
  await test.gateway.connect(NAME, { kind: 'stdio', channel, processId, start: async () => {} }, never)
  return () => server.heard.filter(({ method }) => /^(tools\/call|tasks\/)/.test(String(method)))
}

/** A server with sessions. */
async function serveLegacy(test: TestGateway) {
  const { heard } = await connectScripted(test, () => ({ result: { content: [], tools: [] } }))
  return () => heard.filter(({ method }) => method === 'tools/call')
}

async function send(test: TestGateway, method: string, params: Json, headers: Record<string, string>) {
  return (await postModern(test, method, params, { headers })).json()
}

describe('the state of a server', () => {
  it.each([
    ['in another spelling', { RequestState: 'plain' }],
    ['in another spelling besides', { requestState: 'plain', requeststate: 'plain' }],
    ['as a list', { requestState: ['plain'] }],
    ['as an object', { requestState: { toString: 'plain' } }],
    ['as a number', { requestState: 1 }],
    ['as nothing', { requestState: null }],
    ['without a seal', { requestState: 'plain' }],
  ])('does not reach it %s', async (_how, more) => {
    await using test = await startWithIdentities()
    const heard = await serve(test, STATE)
    expect(await send(test, 'tools/call', { ...CALL, ...more }, ONE)).toHaveProperty('error')
    expect(heard()).toEqual([])
  })

  it.each(['list', 'object', 'number', 'boolean', 'null'] as const)(
    'begins no second call as a %s, whatever kind of server it is and whoever asks',
    async (type) => {
      await using known = await startWithIdentities()
      await using anonymous = await startGateway()
      await anonymous.open()
      const states = { list: ['plain'], object: { plain: 1 }, number: 1, boolean: true, null: null }
      const params = { ...CALL, requestState: states[type] }
      for (const test of [known, anonymous])
        for (const era of ['modern', 'legacy'] as const) {
          const heard = era === 'modern' ? await serve(test, STATE) : await serveLegacy(test)
          const { error } = await send(test, 'tools/call', params, ONE)
          expect(error).toMatchObject({ code: -32_602, message: expect.stringContaining('requestState') })
          expect(heard()).toEqual([])
        }
    },
  )

  it('does not reach it in a second envelope, nor from a client with a session', async () => {
    await using test = await startWithIdentities()
    const heard = await serve(test, STATE)
    const { headers, body } = modernRequest('tools/call', CALL, { headers: ONE })
    const twin = { ...JSON.parse(body), Params: { ...CALL, requestState: 'plain' } }
    expect(await (await ask(test, twin, headers)).json()).toHaveProperty('error')
    const session = await sessionOf(test, { sub: 'one' })
    const call = { jsonrpc: '2.0', id: 4, method: 'tools/call', params: { ...CALL, requestState: 'plain' } }
    expect(await (await ask(test, call, session)).json()).toHaveProperty('error')
    expect(heard()).toEqual([])
  })

  it('goes back with its seal, for its caller alone', async () => {
    await using test = await startWithIdentities()
    const heard = await serve(test, STATE)
    const { requestState } = (await send(test, 'tools/call', CALL, ONE)).result
    expect(await send(test, 'tools/call', { ...CALL, requestState }, TWO)).toHaveProperty('error')
    expect(heard()).toHaveLength(1)
    await send(test, 'tools/call', { ...CALL, requestState }, ONE)
    expect(heard()).toMatchObject([{}, { params: { requestState: 'plain' } }])
  })

  it.each(['modern', 'legacy'] as const)('leaves a record when a %s server is not given it', async (era) => {
    const records: { outcome: string; metadata: { extra: Json } }[] = []
    const audit: AuditSpec = {
      ...{ component: 'w', eventTypes: [], excludeEventTypes: [], hasRequestData: false, hasResponseData: false },
      maxDataBytes: 100,
    }
    const openAuditLog = async () => ({
      write: (line: string) => void records.push(JSON.parse(line)),
      close: async () => {},
    })
    await using test = await startWithIdentities({ audit }, { openAuditLog })
    if (era === 'modern') await serve(test, STATE)
    else await connectScripted(test, () => ({ result: {} }))
    await send(test, 'tools/call', { ...CALL, requestState: 'made up' }, ONE)
    await vi.waitFor(() =>
      expect(records).toMatchObject([
        { outcome: 'denied', subjects: { user: 'one' }, metadata: { extra: { refused_by: 'request-state' } } },
      ]),
    )
  })
})

it('a call whose server asked something does not go on once its tool may not be called', async () => {
  await using test = await startWithIdentities({
    authorization: { policies: ['permit(principal, action, resource);'] },
  })
  const server = await connectScripted(test, ({ id, method }) => {
    if (method === 'tools/call')
      queueMicrotask(() => server.say({ id: 'q', method: 'elicitation/create', params: { message: 'which?' } }))
    return method === 'tools/call' || id === undefined ? undefined : { result: { tools: [] } }
  })
  const meta = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } }
  const first = await postModern(test, 'tools/call', CALL, { headers: ONE, meta })
  const { requestState, inputRequests } = (await first.json()).result
  const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, { action: 'accept' }]))
  await test.open({
    ...AUTHENTICATION,
    authorization: { policies: ['permit(principal, action, resource == Tool::"x");'] },
  })
  const again = await postModern(test, 'tools/call', { ...CALL, requestState, inputResponses }, { headers: ONE, meta })
  expect(await again.json()).toMatchObject({ error: { code: -32_003 } })
  expect(server.heard.some(({ result }) => result !== undefined)).toBe(false)
})

describe('a task', () => {
  const started = { resultType: 'task', task: { taskId: 't-1', status: 'working' } }

  it('is for the caller who started it', async () => {
    await using test = await startWithIdentities()
    const heard = await serve(test, started)
    await send(test, 'tools/call', CALL, ONE)
    for (const method of ['tasks/get', 'tasks/cancel', 'tasks/update'])
      for (const params of [{ taskId: 't-1' }, { taskId: ['t-1'] }, { TaskId: 't-1' }, {}])
        expect(await send(test, method, params, TWO)).toHaveProperty('error')
    expect(await send(test, 'tasks/get', { taskId: 't-1', TASKID: 't-2' }, ONE)).toHaveProperty('error')
    expect(heard()).toHaveLength(1)
    expect(await send(test, 'tasks/get', { taskId: 't-1' }, ONE)).toHaveProperty('result')
    await test.open({ ...AUTHENTICATION, limits: { requestsPerMinute: 1000 } })
    expect(await send(test, 'tasks/get', { taskId: 't-1' }, ONE)).toHaveProperty('result')
    expect(await send(test, 'tasks/get', { taskId: 't-1' }, TWO)).toHaveProperty('error')
  })

  it('of the same id is for each caller whom the server told of it', async () => {
    await using test = await startWithIdentities()
    await serve(test, started)
    await send(test, 'tools/call', CALL, ONE)
    await send(test, 'tools/call', CALL, TWO)
    for (const caller of [ONE, TWO])
      expect(await send(test, 'tasks/get', { taskId: 't-1' }, caller)).toHaveProperty('result')
  })

  it('is forgotten with its process, not with a connection to it', async () => {
    await using test = await startWithIdentities()
    await serve(test, started)
    await send(test, 'tools/call', CALL, ONE)
    await serve(test, started)
    expect(await send(test, 'tasks/get', { taskId: 't-1' }, ONE)).toHaveProperty('result')
    await serve(test, started, 'another')
    expect(await send(test, 'tasks/get', { taskId: 't-1' }, ONE)).toHaveProperty('error')
  })
})
