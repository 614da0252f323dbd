import type { TelemetrySpec } from '@toolhaven/core/ports/gateway'
import { obedientServer } from '@toolhaven/testing/mcp-servers/obedient-channel'
import { startOtlpReceiver, type OtlpReceiver } from '@toolhaven/testing/telemetry/otlp-receiver'
import { parsePrometheusText } from '@toolhaven/testing/telemetry/prometheus-text'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { freePort } from '@toolhaven/testing/free-port'
import { CLIENTS, connectClient, NAME, never, startGateway, type TestGateway } from './support/gateway.ts'

const QUICK = { metricsEveryMs: 2_000, spanDelayMs: 10, exportTimeoutMs: 2_000, closeMs: 10_000 }
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const PARENT = `00-${TRACE}-00f067aa0ba902b7-01`
const OTHER_PARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

let receiver: OtlpReceiver
let test: TestGateway
let logged: string[]
beforeEach(async () => {
  receiver = await startOtlpReceiver()
})
afterEach(async () => {
  await test[Symbol.asyncDispose]()
  await receiver[Symbol.asyncDispose]()
})

async function start(spec: Partial<TelemetrySpec> = {}, times: Partial<typeof QUICK> = {}): Promise<void> {
  logged = []
  const note = (message: string) => void logged.push(message)
  const quiet = () => {}
  test = await startGateway({
    telemetryTimes: { ...QUICK, ...times },
    logger: { debug: quiet, info: note, warn: note, error: note },
  })
  await test.open({
    telemetry: {
      endpoint: `http://${receiver.address}`,
      serviceName: 'shop',
      samplingRate: 1,
      attributes: {},
      hasMetricsPath: false,
      ...spec,
    },
  })
  const child = obedientServer()
  test.defer(() => child.kill())
  await test.gateway.connect(NAME, { kind: 'stdio', channel: child.channel, processId: 'p', start: child.start }, never)
}

async function raw(message: object, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${test.origin}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', ...message }),
  })
}

async function openSession(): Promise<string> {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } }
  const response = await raw({ id: 0, method: 'initialize', params })
  await response.text()
  return response.headers.get('mcp-session-id') ?? ''
}

/** What the server got as `_meta`. */
async function metaAtServer(meta: object | undefined, headers: Record<string, string> = {}): Promise<object> {
  const session = await openSession()
  const params = { name: 'obey', arguments: { tag: 'x' }, ...(meta && { _meta: meta }) }
  const response = await raw({ id: 1, method: 'tools/call', params }, { 'mcp-session-id': session, ...headers })
  const { result } = JSON.parse(await response.text())
  return JSON.parse(result.content[0].text).meta
}

/** This takes time on a busy machine. */
const AWAY = 'telemetry cannot be delivered and is dropped'
const SOON = { timeout: 30_000 }
const spanOf = (name: string) => receiver.spans.find((span) => span.name === name)
const countOf = (points: { count?: string | number | undefined }[] = []) =>
  points.reduce((sum, { count }) => sum + Number(count ?? 0), 0)

describe('a call', () => {
  it('is a server span with the names of the MCP conventions', async () => {
    await start({ serviceVersion: '2.0', attributes: { 'environment.REGION': 'north' } })
    const client = await connectClient(test, 'v2 http')
    await client.call('obey', { tag: 'x' })
    await expect.poll(() => spanOf('tools/call obey'), SOON).toBeDefined()
    const span = spanOf('tools/call obey')
    expect(span?.kind).toBe(2)
    expect(span?.attributes).toMatchObject({
      'mcp.method.name': 'tools/call',
      'gen_ai.tool.name': 'obey',
      'gen_ai.operation.name': 'execute_tool',
      'mcp.protocol.version': '2025-11-25',
      'network.transport': 'tcp',
    })
    expect(span?.attributes).not.toHaveProperty('error.type')
    expect(span?.resource).toEqual({
      'service.name': 'shop',
      'service.namespace': 'toolhaven',
      'service.version': '2.0',
      'toolhaven.workload.name': NAME,
      'environment.REGION': 'north',
    })
    expect(BigInt(span?.endTimeUnixNano ?? 0)).toBeGreaterThanOrEqual(BigInt(span?.startTimeUnixNano ?? 1))
    expect(spanOf('initialize')).toBeDefined()
  })

  it.each(CLIENTS)('of a %s client is a span', async (kind) => {
    await start()
    const client = await connectClient(test, kind)
    await client.call('obey', { tag: 'x' })
    await expect.poll(() => spanOf('tools/call obey'), SOON).toBeDefined()
  })

  it('that fails says how, and not in whose words', async () => {
    await start()
    const session = { 'mcp-session-id': await openSession() }
    const call = async (id: number, name: string) =>
      (await raw({ id, method: 'tools/call', params: { name } }, session)).text()
    await call(1, 'fail')
    await call(2, 'hunter2')
    await expect.poll(() => receiver.spans.filter(({ name }) => name === 'tools/call'), SOON).toHaveLength(2)
    const [inResult, byCode] = receiver.spans.filter(({ name }) => name === 'tools/call')
    expect(inResult?.attributes).toMatchObject({ 'error.type': 'tool_error' })
    expect(byCode?.attributes).toMatchObject({ 'error.type': '-32602', 'rpc.response.status_code': '-32602' })
    expect([inResult?.status, byCode?.status]).toEqual([{ code: 2 }, { code: 2 }])
  })

  it('tells neither arguments nor results nor a session id that could be used', async () => {
    await start()
    const session = await openSession()
    const params = { name: 'obey', arguments: { tag: 'hunter2' } }
    await (await raw({ id: 1, method: 'tools/call', params }, { 'mcp-session-id': session })).text()
    const uri = 'https://ann:hunter2@host/file?token=hunter2#hunter2'
    await (await raw({ id: 2, method: 'resources/read', params: { uri } }, { 'mcp-session-id': session })).text()
    await expect.poll(() => spanOf('resources/read'), SOON).toBeDefined()
    expect(spanOf('resources/read')?.attributes).toMatchObject({ 'mcp.resource.uri': 'https://host/file' })
    const sent = JSON.stringify(receiver.spans)
    expect(sent).not.toContain('hunter2')
    expect(sent).not.toContain(session)
  })
})

describe('the trace of a client', () => {
  it('goes on to the server when its message names it, and its HTTP request is linked', async () => {
    await start()
    const meta = await metaAtServer(
      { traceparent: PARENT, tracestate: 'a=1', baggage: 'user=ann', mine: 7 },
      { traceparent: OTHER_PARENT },
    )
    await expect.poll(() => spanOf('tools/call obey'), SOON).toBeDefined()
    const span = spanOf('tools/call obey')
    expect(span?.traceId).toBe(TRACE)
    expect(span?.parentSpanId).toBe('00f067aa0ba902b7')
    expect(span?.links?.map(({ spanId }) => spanId)).toEqual(['b7ad6b7169203331'])
    const traceparent = `00-${TRACE}-${span?.spanId}-01`
    expect(meta).toEqual({ mine: 7, traceparent, tracestate: 'a=1', baggage: 'user=ann' })
  })

  it('goes on to the server when only the HTTP request names it', async () => {
    await start()
    const meta = await metaAtServer(undefined, { traceparent: PARENT, baggage: 'user=ann' })
    await expect.poll(() => spanOf('tools/call obey'), SOON).toBeDefined()
    const span = spanOf('tools/call obey')
    expect(span?.parentSpanId).toBe('00f067aa0ba902b7')
    expect(meta).toEqual({ traceparent: `00-${TRACE}-${span?.spanId}-01`, baggage: 'user=ann' })
  })

  it('begins here when what is said is not a trace', async () => {
    await start()
    const meta = await metaAtServer({ traceparent: 'nonsense', tracestate: 'a=1' })
    await expect.poll(() => spanOf('tools/call obey'), SOON).toBeDefined()
    expect(spanOf('tools/call obey')?.parentSpanId ?? '').toBe('')
    expect(meta).not.toHaveProperty('tracestate')
  })

  it('is kept or left as the client decided, whatever the sampling rate', async () => {
    await start({ samplingRate: 0 })
    expect(await metaAtServer(undefined)).toEqual({ traceparent: expect.stringMatching(/-00$/) })
    await metaAtServer({ traceparent: PARENT })
    await expect.poll(() => receiver.metrics.get('mcp.server.operation.duration'), SOON).toBeDefined()
    await expect.poll(() => receiver.spans.map(({ name }) => name), SOON).toEqual(['tools/call obey'])
  })
})

describe('metrics', () => {
  it('count and time calls and sessions, with the headers that were asked for', async () => {
    await start({ headers: { 'x-api-key': 'k' } })
    const session = await openSession()
    const params = { name: 'obey', arguments: { tag: 'x' } }
    await (await raw({ id: 1, method: 'tools/call', params }, { 'mcp-session-id': session })).text()
    await fetch(`${test.origin}/mcp`, { method: 'DELETE', headers: { 'mcp-session-id': session } })
    await expect
      .poll(() => countOf(receiver.metrics.get('mcp.server.session.duration')?.histogram?.dataPoints), SOON)
      .toBe(1)
    const calls = receiver.metrics.get('mcp.server.operation.duration')
    expect(calls?.unit).toBe('s')
    expect(calls?.histogram?.dataPoints.map((point) => point.attributes)).toEqual([
      { 'mcp.method.name': 'initialize' },
      { 'mcp.method.name': 'tools/call', 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'obey' },
    ])
    expect(receiver.headers.every((headers) => headers['x-api-key'] === 'k')).toBe(true)
  })

  it('have no more labels than the server has tools, whatever clients call', async () => {
    await start({ hasMetricsPath: true })
    const headers = { 'mcp-session-id': await openSession() }
    const junk = Array.from({ length: 20 }, (_, i) => raw({ id: i, method: `x/${i}` }, headers))
    const calls = Array.from({ length: 20 }, (_, i) =>
      raw({ id: `c${i}`, method: 'tools/call', params: { name: `junk-${i}` } }, headers),
    )
    await Promise.all([...junk, ...calls].map(async (response) => (await response).text()))
    await (await raw({ id: 'list', method: 'tools/list' }, headers)).text()
    await (
      await raw({ id: 'obey', method: 'tools/call', params: { name: 'obey', arguments: { tag: 'x' } } }, headers)
    ).text()
    const samples = parsePrometheusText(await (await fetch(`${test.origin}/metrics`)).text())
    const counts = samples.filter(({ name }) => name === 'mcp_server_operation_duration_count')
    expect(new Set(counts.map(({ labels }) => labels['gen_ai_tool_name']))).toEqual(
      new Set([undefined, '_OTHER', 'obey']),
    )
    expect(counts.find(({ labels }) => labels['gen_ai_tool_name'] === '_OTHER')?.value).toBe(20)
    expect(counts).toHaveLength(5)
  })

  it('are a page for Prometheus where that was asked for, and nothing is sent without an endpoint', async () => {
    await start({ endpoint: undefined, hasMetricsPath: true })
    expect(await metaAtServer({ traceparent: PARENT })).toEqual({ traceparent: PARENT })
    const page = await fetch(`${test.origin}/metrics`)
    expect(page.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    const samples = parsePrometheusText(await page.text())
    const valueOf = (name: string) => samples.find((sample) => sample.name === name)?.value
    expect(valueOf('toolhaven_sessions_active')).toBe(1)
    expect(valueOf('toolhaven_calls_active')).toBe(0)
    const buckets = samples.filter(
      ({ name, labels }) => name.endsWith('operation_duration_bucket') && labels['gen_ai_tool_name'] === 'obey',
    )
    expect(buckets.find(({ labels }) => labels['le'] === '+Inf')?.value).toBe(1)
    expect((await fetch(`${test.origin}/metrics`, { method: 'HEAD' })).status).toBe(405)
    expect(receiver.headers).toEqual([])
  })

  it('are no page where it was not asked for, nor for strangers', async () => {
    await start()
    expect((await fetch(`${test.origin}/metrics`)).status).toBe(404)
    await test[Symbol.asyncDispose]()
    test = await startGateway({ identityFetch: () => () => Promise.reject(new Error('nobody asks')) })
    const telemetry = { serviceName: 'x', samplingRate: 1, attributes: {}, hasMetricsPath: true }
    await test.open({ telemetry, authentication: { issuer: 'https://id.example.com' } })
    expect((await fetch(`${test.origin}/metrics`)).status).toBe(401)
  })
})

describe('a collector', () => {
  it('that is away costs no call, is complained of once, and welcomed back', async () => {
    receiver.answerWith(503)
    await start()
    const client = await connectClient(test, 'v2 http')
    for (let i = 0; i < 3; i++) await client.call('obey', { tag: 'x' })
    await expect.poll(() => receiver.headers.length, SOON).toBeGreaterThan(4)
    await expect.poll(() => logged, SOON).toEqual([AWAY])
    receiver.answerWith(200)
    await client.call('obey', { tag: 'x' })
    await expect.poll(() => logged.slice(0, 2), SOON).toEqual([AWAY, 'telemetry is delivered again'])
  })

  it('where nobody listens costs no call either', async () => {
    await start({ endpoint: `http://127.0.0.1:${await freePort()}` })
    const client = await connectClient(test, 'v1 http')
    expect(await client.call('obey', { tag: 'x' })).toContain('x')
    await expect.poll(() => logged, SOON).toEqual([AWAY])
  })

  it('gets what was held back when the endpoint closes, or gets another configuration', async () => {
    await start({}, { spanDelayMs: 60_000, metricsEveryMs: 60_000 })
    const client = await connectClient(test, 'v2 http')
    await client.call('obey', { tag: 'x' })
    expect(receiver.spans).toEqual([])
    await test.open({})
    expect(spanOf('tools/call obey')).toBeDefined()
    expect(receiver.metrics.has('mcp.server.operation.duration')).toBe(true)
    expect(await client.call('obey', { tag: 'y' })).toContain('y')
  })

  it('that never answers does not keep an endpoint from closing', async () => {
    await start({}, { spanDelayMs: 60_000, exportTimeoutMs: 30_000, metricsEveryMs: 30_000, closeMs: 50 })
    receiver.answerWith(0)
    const client = await connectClient(test, 'v2 http')
    await client.call('obey', { tag: 'x' })
    const closing = test.gateway.close(NAME)
    await expect(
      Promise.race([closing, new Promise((resolve) => setTimeout(resolve, 10_000, 'late'))]),
    ).resolves.not.toBe('late')
  })
})
