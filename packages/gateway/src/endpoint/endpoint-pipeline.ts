import type { EndpointSpec } from '@toolhaven/core/ports/gateway'
import type { GatewayLimits, GatewayOptions } from './options.ts'
import { createPipeline, type Pipeline } from '../policy/pipeline.ts'
import type { PipelineContext } from '../policy/pipeline-context.ts'

/** What every request to this endpoint passes through. */
export function endpointPipeline(
  options: GatewayOptions,
  limits: GatewayLimits,
  spec: EndpointSpec,
  live: Pick<PipelineContext, 'sessions' | 'toolWatch' | 'tasks'>,
): Promise<Pipeline> {
  const { allowedHosts, allowPeer, identityFetch, tokenTimes, telemetryTimes, openAuditLog, logger } = options
  const host = spec.host.includes(':') ? `[${spec.host}]` : spec.host
  const { toolsFilter = [] } = spec
  const tools = toolsFilter.length === 0 ? undefined : new Set(toolsFilter)
  return createPipeline({
    ...live,
    allowedTools: () => tools,
    workload: spec.name,
    allowedHosts: allowedHosts ?? (() => []),
    allowPeer: allowPeer ?? (() => true),
    ...spec.limits,
    maxMessageBytes: spec.limits?.maxMessageBytes ?? limits.maxMessageBytes,
    authentication: spec.authentication,
    authorization: spec.authorization,
    toolsOverride: spec.toolsOverride,
    toolsChanged: spec.toolsChanged,
    audit: spec.audit,
    debug: spec.debug ? (line) => options.events.onOutput(spec.name, 'stderr', line) : undefined,
    openAuditLog,
    mask: options.events.mask,
    origin: `http://${host}:${spec.port}`,
    identityFetch,
    tokenTimes,
    telemetry: spec.telemetry,
    telemetryTimes,
    logger,
  })
}
