import { resourceFromAttributes } from '@opentelemetry/resources'
import type { TelemetrySpec } from '@toolhaven/core/ports/gateway'
import type { Logger } from '@toolhaven/core/ports/logger'
import type { HttpAnswer, HttpRefusal } from '../../http/server/reply.ts'
import type { JsonObject, RpcRequest } from '../../messages/json-rpc.ts'
import type { Session } from '../../sessions/session.ts'
import type { CallSpan } from './telemetry/call-span.ts'
import { DEFAULT_TIMES, type TelemetryTimes } from './telemetry/collector.ts'
import { failureOf, Labels, PublicIds, spanAttributes, spanName } from './telemetry/conventions.ts'
import { ExportHealth } from './telemetry/export-health.ts'
import { createMetering } from './telemetry/metering.ts'
import { passOn, traceOrigin } from './telemetry/trace-context.ts'
import { createTracing } from './telemetry/tracing.ts'
import type { Gate } from '../admission/gate.ts'
import type { Observer, Watch } from './observer.ts'

export interface TelemetryOptions {
  spec: TelemetrySpec
  workload: string
  sessions: () => number
  logger: Logger
  times?: Partial<TelemetryTimes> | undefined
}

/** Where Prometheus reads. */
const METRICS_PATH = '/metrics'

/**
 * Reports every request of a client: how long it took, how it ended and which trace it belongs to. Never its content.
 */
export function telemetry(options: TelemetryOptions): { observer: Observer; page: Gate[] } {
  const { spec, workload, logger, sessions } = options
  const times = { ...DEFAULT_TIMES, ...options.times }
  const collector = spec.endpoint === undefined ? undefined : { url: spec.endpoint, headers: spec.headers ?? {} }
  const health = new ExportHealth(logger, { workload, endpoint: spec.endpoint ?? '' })
  const about = { ...spec.attributes, ...identity(spec, workload) }
  const labels = new Labels()
  const started = new WeakMap<Session, number>()
  const ids = new PublicIds()
  let inFlight = 0
  const { samplingRate } = spec
  const tracing = collector && createTracing({ collector, health, about, samplingRate, times })
  const metering = createMetering({
    collector,
    health,
    resource: resourceFromAttributes(about),
    hasPage: spec.hasMetricsPath,
    sessions,
    callsInFlight: () => inFlight,
    times,
  })

  const ended = (request: RpcRequest, since: number, span?: CallSpan) => (response: JsonObject | undefined) => {
    inFlight--
    const failure = failureOf(request.method, response)
    if (response !== undefined && failure === undefined) labels.learn(request, response)
    const of = labels.of(request)
    const seconds = (performance.now() - since) / 1000
    metering.called(seconds, failure === undefined ? of : { ...of, ...labels.ofFailure(failure) })
    if (span?.isRecording !== true) return
    span.name = spanName(of)
    if (failure !== undefined) span.fail(errorOf(failure, response))
    tracing?.end(span)
  }
  const observer: Observer = {
    name: 'telemetry',
    watch(request, asker): Watch {
      const since = performance.now()
      inFlight++
      if (asker.session !== undefined && !started.has(asker.session)) started.set(asker.session, since)
      if (tracing === undefined) return { onEnd: ended(request, since) }
      const origin = traceOrigin(request, asker.from.headers)
      const span = tracing.start(origin)
      if (span.isRecording) span.attributes = spanAttributes(request, asker, ids)
      return {
        ...passOn(span.spanContext(), origin.baggage, request, asker.headers),
        onEnd: ended(request, since, span),
      }
    },
    sessionEnded(session): void {
      const since = started.get(session)
      if (since !== undefined && session.front !== 'modern') metering.sessionEnded((performance.now() - since) / 1000)
    },
    close: () =>
      within(times.closeMs, tracing === undefined ? [metering.close()] : [tracing.close(), metering.close()]),
  }
  return { observer, page: metering.page === undefined ? [] : [metricsPage(metering.page)] }
}

function metricsPage(page: () => Promise<string>): Gate {
  return {
    name: 'metrics-page',
    admit: (request) => {
      if ((request.url ?? '').split('?', 1)[0] !== METRICS_PATH) return undefined
      return request.method === 'GET' ? page().then(shown) : NOT_ALLOWED
    },
  }
}

function identity(spec: TelemetrySpec, workload: string): Record<string, string> {
  return {
    'service.name': spec.serviceName,
    'service.namespace': 'toolhaven',
    ...(spec.serviceVersion !== undefined && { 'service.version': spec.serviceVersion }),
    'toolhaven.workload.name': workload,
  }
}

/** The message of an error may quote the call, so only its code is used. */
function errorOf(failure: string, response: JsonObject | undefined): Record<string, string> {
  const isAnswer = response !== undefined && 'error' in response
  return { 'error.type': failure, ...(isAnswer && { 'rpc.response.status_code': failure }) }
}

function shown(text: string): HttpAnswer {
  return {
    status: 200,
    type: 'text/plain; version=0.0.4; charset=utf-8',
    text: `${text}\n`,
    headers: { 'cache-control': 'no-store' },
  }
}

const NOT_ALLOWED: HttpRefusal = { status: 405, message: 'This path accepts GET.', headers: { allow: 'GET' } }

/** What is not sent by then is lost: the gateway waits no longer for a collector that does not answer. */
async function within(ms: number, work: readonly Promise<void>[]): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const deadline = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([Promise.allSettled(work), deadline])
  clearTimeout(timer)
}
