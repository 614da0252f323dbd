import {
  defaultTextMapGetter,
  ROOT_CONTEXT,
  trace,
  type Context,
  type Link,
  type SpanContext,
} from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { isObject, WrittenRequest, type JsonObject, type RpcRequest } from '../../../messages/json-rpc.ts'

type Headers = Readonly<Record<string, string>>

export interface TraceOrigin {
  parent: Context
  links: Link[]
  baggage: string | undefined
}

/** https://www.w3.org/TR/baggage/#limits */
const MAX_BAGGAGE = 8192

const propagator = new W3CTraceContextPropagator()

/**
 * Which trace a request belongs to. The message counts. What its HTTP request says is linked then, because one HTTP
 * request may carry messages of many traces.
 */
export function traceOrigin({ params }: RpcRequest, headers: JsonObject): TraceOrigin {
  const meta = params?.['_meta']
  const said = isObject(meta) ? carrierOf(meta) : {}
  // Most clients know nothing about traces.
  if (said['traceparent'] === undefined && headers['traceparent'] === undefined)
    return { parent: ROOT_CONTEXT, links: [], baggage: said['baggage'] ?? carrierOf(headers)['baggage'] }
  const ofMessage = propagator.extract(ROOT_CONTEXT, said, defaultTextMapGetter)
  const ofTransport = propagator.extract(ROOT_CONTEXT, carrierOf(headers), defaultTextMapGetter)
  const transport = trace.getSpanContext(ofTransport)
  if (trace.getSpanContext(ofMessage) === undefined)
    return { parent: ofTransport, links: [], baggage: said['baggage'] ?? carrierOf(headers)['baggage'] }
  return {
    parent: ofMessage,
    links: transport === undefined ? [] : [{ context: transport }],
    baggage: said['baggage'],
  }
}

/** The message and headers as the server gets them: our span is the parent of the server's spans. */
export function passOn(
  span: SpanContext,
  baggage: string | undefined,
  request: RpcRequest,
  headers: () => Headers,
): { request: RpcRequest; headers: () => Headers } {
  const carried = carriedBy(span, baggage)
  return {
    request: withMeta(request, carried),
    headers: () => {
      const { traceparent: _p, tracestate: _s, baggage: _b, ...otherHeaders } = headers()
      return { ...otherHeaders, ...carried }
    },
  }
}

/** https://www.w3.org/TR/trace-context/#traceparent-header. The library's own way makes a context for each call. */
function carriedBy(span: SpanContext, baggage: string | undefined): Record<string, string> {
  const { traceId, spanId, traceFlags, traceState } = span
  const carried: Record<string, string> = {
    traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
  }
  if (traceState !== undefined) carried['tracestate'] = traceState.serialize()
  if (baggage !== undefined) carried['baggage'] = baggage
  return carried
}

function withMeta(request: RpcRequest, carried: Record<string, string>): RpcRequest {
  const given = request.params?.['_meta'] ?? {}
  // Not valid in the protocol: the server answers the client's own message.
  if (!isObject(given)) return request
  const { traceparent: _p, tracestate: _s, baggage: _b, ...other } = given
  const params = { ...request.params, _meta: { ...other, ...carried } }
  return new WrittenRequest(request, { ...request.body, params }, params)
}

function carrierOf(from: JsonObject): Record<string, string> {
  const carrier: Record<string, string> = {}
  const { traceparent, tracestate, baggage } = from
  if (typeof traceparent === 'string') carrier['traceparent'] = traceparent
  if (typeof tracestate === 'string') carrier['tracestate'] = tracestate
  if (typeof baggage === 'string' && baggage.length <= MAX_BAGGAGE) carrier['baggage'] = baggage
  return carrier
}
