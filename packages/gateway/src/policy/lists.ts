import type { Callers } from '../oidc/caller.ts'
import type { Gate } from './admission/gate.ts'
import { guard } from './admission/guard.ts'
import { limits, type Limits } from './admission/limits.ts'
import { callerState } from './decisions/caller-state.ts'
import type { Decision } from './decisions/decision.ts'
import { toolFilter } from './decisions/tool-filter.ts'
import { shownName, toolsOverride, type ShownName } from './decisions/tools-override.ts'
import { debug } from './observers/debug.ts'
import type { Observer } from './observers/observer.ts'
import type { telemetry } from './observers/telemetry.ts'
import type { PipelineContext } from './pipeline-context.ts'

/**
 * Everything a request passes on its way to the server, in this order. Its answer passes the decisions in reverse
 * order.
 */
export interface Lists {
  /** Before all others: a web page or another user must not learn anything, cost anything or be recorded. */
  guard: Gate
  gates: readonly Gate[]
  observers: readonly Observer[]
  decisions: readonly Decision[]
}

export async function createLists(context: PipelineContext, callers: Callers): Promise<Lists> {
  const limited = limits({ ...context, callers })
  const told = await telemetryOf(context)
  const shown = shownName(context.toolsOverride)
  return {
    guard: guard(context),
    gates: [
      ...(await authenticationOf(context, callers, limited)), // before the body: strangers cost no memory
      limited, // once the caller is known: a message that is too large is not even read
      ...(told?.page ?? []), // for those who may call
    ],
    observers: [
      ...(await auditOf(context, callers)),
      ...(context.debug === undefined ? [] : [debug(context.debug)]),
      ...(told === undefined ? [] : [told.observer]), // last: the trace that it puts into a request is not recorded
    ],
    decisions: [
      ...limited.ofBatches, // before any decision: each request of a batch counts
      ...callerStateOf(context, callers),
      ...toolsOverrideOf(context), // before rights: they are for the server's tool, not for its name here
      ...(await authorizationOf(context, callers, shown)), // uses the server's names, like the filter
      toolFilter(context.allowedTools, shown), // after all rights: what this workload does not offer is unknown to everyone
      ...(await toolLockOf(context, shown)), // last: it compares what the server itself says
    ],
  }
}

async function authenticationOf(context: PipelineContext, callers: Callers, strangers: Limits): Promise<Gate[]> {
  const { authentication: spec, origin, logger, tokenTimes: times } = context
  if (spec === undefined) return []
  const { authentication } = await import('./admission/authentication.ts')
  const fetch = context.identityFetch?.(spec.allowPrivateIp === true, spec.caCertificate)
  if (fetch === undefined) throw new Error('authentication needs a way to reach the identity provider')
  const { withAuthToken } = await import('../oidc/with-auth-token.ts')
  return [authentication({ spec, origin, fetch: withAuthToken(fetch, spec), callers, strangers, logger, times })]
}

async function telemetryOf(context: PipelineContext): Promise<ReturnType<typeof telemetry> | undefined> {
  const { telemetry: spec, workload, sessions, logger, telemetryTimes: times } = context
  if (spec === undefined) return undefined
  const module = await import('./observers/telemetry.ts')
  return module.telemetry({ spec, workload, sessions: () => sessions.size, logger, times })
}

async function auditOf(context: PipelineContext, callers: Callers): Promise<Observer[]> {
  const { audit: spec, openAuditLog, mask = (text) => text } = context
  if (spec === undefined) return []
  if (openAuditLog === undefined) throw new Error('an audit configuration needs a place for its records')
  const { audit } = await import('./observers/audit.ts')
  return [audit({ spec, callers, mask, log: await openAuditLog(spec.logFile) })]
}

function callerStateOf({ authentication, tasks }: PipelineContext, callers: Callers): Decision[] {
  return authentication === undefined ? [] : [callerState({ callers, tasks })]
}

function toolsOverrideOf({ toolsOverride: overrides }: PipelineContext): Decision[] {
  return overrides === undefined ? [] : [toolsOverride(overrides)]
}

async function authorizationOf(
  { authorization: spec }: PipelineContext,
  callers: Callers,
  shown: ShownName,
): Promise<Decision[]> {
  if (spec === undefined) return []
  const { createPolicyEngine } = await import('./decisions/cedar/cedar-engine.ts')
  const { authorization } = await import('./decisions/authorization.ts')
  return [authorization({ engine: await createPolicyEngine(spec), callers, shown })]
}

async function toolLockOf(
  { toolsChanged: mode, toolWatch: watch, workload }: PipelineContext,
  shown: ShownName,
): Promise<Decision[]> {
  if (mode === undefined || watch === undefined) return []
  const { toolLock } = await import('./decisions/tool-lock.ts')
  return [toolLock({ watch, mode, workload, shown })]
}
