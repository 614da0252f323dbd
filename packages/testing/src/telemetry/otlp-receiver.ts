import { createServer, type IncomingMessage } from 'node:http'
import { once } from 'node:events'
import * as z from 'zod'

const attribute = z.object({
  key: z.string(),
  value: z.object({
    stringValue: z.string().optional(),
    intValue: z.union([z.string(), z.number()]).optional(),
    boolValue: z.boolean().optional(),
    doubleValue: z.number().optional(),
  }),
})
const attributes = z
  .array(attribute)
  .transform((list) =>
    Object.fromEntries(
      list.map(({ key, value: v }) => [key, v.stringValue ?? v.intValue ?? v.boolValue ?? v.doubleValue]),
    ),
  )
const resource = z.object({ attributes })

const span = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  kind: z.number(),
  startTimeUnixNano: z.string(),
  endTimeUnixNano: z.string(),
  attributes,
  status: z.object({ code: z.number().optional(), message: z.string().optional() }),
  links: z.array(z.object({ traceId: z.string(), spanId: z.string() })).optional(),
})
export type ReceivedSpan = z.infer<typeof span> & { resource: Record<string, unknown> }

const traces = z.object({
  resourceSpans: z.array(z.object({ resource, scopeSpans: z.array(z.object({ spans: z.array(span) })) })),
})

const point = z.object({ attributes, count: z.union([z.string(), z.number()]).optional() })
const metric = z.object({
  name: z.string(),
  unit: z.string().optional(),
  histogram: z.object({ dataPoints: z.array(point) }).optional(),
  gauge: z.object({ dataPoints: z.array(point) }).optional(),
})
export type ReceivedMetric = z.infer<typeof metric>

const metrics = z.object({
  resourceMetrics: z.array(z.object({ resource, scopeMetrics: z.array(z.object({ metrics: z.array(metric) })) })),
})

export interface OtlpReceiver extends AsyncDisposable {
  /** host:port. */
  address: string
  spans: ReceivedSpan[]
  /** The newest report of each metric. */
  metrics: Map<string, ReceivedMetric>
  /** Headers of every delivery. */
  headers: IncomingMessage['headers'][]
  /** Answers with this status from now on. 0: not at all. */
  answerWith: (status: number) => void
}

/** A collector for OTLP over HTTP in JSON, as https://opentelemetry.io/docs/specs/otlp/ describes it. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const received: Pick<OtlpReceiver, 'spans' | 'metrics' | 'headers'> = { spans: [], metrics: new Map(), headers: [] }
  let status = 200
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(Buffer.from(chunk))
    received.headers.push(request.headers)
    if (status === 0) return
    const isKnown = status === 200 && request.headers['content-type'] === 'application/json'
    const taken = isKnown && take(received, request.url ?? '', JSON.parse(Buffer.concat(chunks).toString()))
    response.writeHead(status === 200 && !taken ? 400 : status, { 'content-type': 'application/json' })
    response.end('{}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const bound = server.address()
  if (bound === null || typeof bound === 'string') throw new Error('the receiver has no port')
  return {
    ...received,
    address: `127.0.0.1:${bound.port}`,
    answerWith: (code) => {
      status = code
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function take(received: Pick<OtlpReceiver, 'spans' | 'metrics'>, path: string, body: unknown): boolean {
  if (path === '/v1/traces') {
    for (const { resource: of, scopeSpans } of traces.parse(body).resourceSpans)
      for (const { spans } of scopeSpans)
        received.spans.push(...spans.map((each) => ({ ...each, resource: of.attributes })))
    return true
  }
  if (path !== '/v1/metrics') return false
  for (const { scopeMetrics } of metrics.parse(body).resourceMetrics)
    for (const scope of scopeMetrics) for (const each of scope.metrics) received.metrics.set(each.name, each)
  return true
}
