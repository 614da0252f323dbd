import { LABELS } from '../../ports/runtime.ts'
import type { Entry } from './book.ts'
import { recordExit, recordRestart } from './failures.ts'
import { deleteGeneratedSecrets } from '../config/generated-secrets.ts'
import { mountsInForce } from './hidden-files.ts'
import { instanceName, readSecrets } from './instance-spec.ts'
import { lateTemplate } from './instance-template.ts'
import { oauthOwner } from '../config/oauth.ts'
import { isUnsettled, openNetwork } from '../config/network.ts'
import { oidcOwner } from '../config/oidc.ts'
import type { Action } from './reconcile.ts'
import { hasOwnServers } from '../config/session-mode.ts'
import { connectHttp, endpointSpec, startInstance, startRemote } from './start-instance.ts'
import { stdioBackend } from './stdio-backend.ts'
import type { SupervisorDeps } from './supervisor-deps.ts'

/** Carries out one action. Every action can be repeated after a crash halfway through. */
export async function perform(deps: SupervisorDeps, entry: Entry, action: Action, signal: AbortSignal): Promise<void> {
  switch (action.do) {
    case 'observe':
      return observe(deps, entry, signal)
    case 'start':
      return entry.stored.config.remote_url ? startRemote(deps, entry, signal) : startInstance(deps, entry, signal)
    case 'adopt':
      return adopt(deps, entry, signal)
    case 'replace':
      await takeDown(deps, entry, action, signal)
      if (action.isFailure) recordRestart(deps, entry.stored.config.name, action)
      return
    case 'stop':
      return stop(deps, entry, signal)
    case 'remove':
      return remove(deps, entry, signal)
    case 'nothing':
    case 'wait':
      return
  }
}

async function observe(deps: SupervisorDeps, { stored, observed }: Entry, signal: AbortSignal): Promise<void> {
  const { name } = stored.config
  const found = await deps.runtime.find(instanceName(name), signal)
  if (!found || found.labels[LABELS.instance] !== deps.instanceId) {
    deps.book.observe(name, { instance: 'absent', connected: false }, ['handle', 'runtimeDown', 'failure'])
    return
  }
  const state = await deps.runtime.inspect(found.handle, signal)
  const wasConnected = observed.connectedAt !== undefined
  deps.book.observe(
    name,
    { instance: state.state, handle: found.handle, instanceGeneration: Number(found.labels[LABELS.generation]) },
    ['runtimeDown', 'failure'],
  )
  if (state.state === 'exited' && wasConnected && stored.wanted === 'running') await recordExit(deps, name, state)
}

/** The instance outlived the daemon: connect to it again without disturbing it. */
async function adopt(deps: SupervisorDeps, entry: Entry, signal: AbortSignal): Promise<void> {
  const { config } = entry.stored
  const { handle } = entry.observed
  if (!handle) return deps.book.observe(config.name, { instance: 'unknown' })
  // It may hold data of an earlier session that no other session may see, so the next round starts a new instance.
  if (hasOwnServers(entry.stored)) return endFormer(deps, entry, { reason: 'the daemon was restarted' }, signal)
  // It was started before workloads were isolated.
  if (isUnsettled(config))
    return endFormer(deps, entry, { reason: 'workloads are now isolated from the network' }, signal)
  if (await mayBeExposed(deps, entry, signal)) return
  try {
    await deps.gateway.open(await endpointSpec(deps, entry.stored))
    deps.book.observe(config.name, { open: true })
    deps.masker.hold(config.name, Object.values(await readSecrets(deps, config)))
    // Its way out closed with the last daemon, and is opened again at the place where the instance expects it.
    const network = await openNetwork(deps, config)
    const limit = AbortSignal.any([signal, AbortSignal.timeout(deps.handshakeTimeoutMs)])
    if (config.transport === 'stdio') {
      const channel = await deps.runtime.attach(handle, signal)
      const server = { kind: 'stdio', channel, processId: handle.id } as const
      const template = lateTemplate(deps, entry.stored, network)
      await deps.gateway.connect(config.name, stdioBackend(deps, config.name, template, { handle, server }), limit)
    } else {
      await connectHttp(deps, entry.stored, handle, limit, new Date(deps.clock.now()).toISOString())
    }
  } catch (error) {
    // It may have ended during the check, so ask the runtime again before the next attempt.
    deps.book.observe(config.name, { instance: 'unknown' })
    throw error
  }
  const now = deps.clock.now()
  const seen = { connected: true, connectedAt: now, hasWorked: true, failedPings: 0 }
  deps.book.observe(config.name, seen, ['failure', 'runtimeDown'])
}

/**
 * Nothing watched its files in the meantime, so hidden files may have become visible. Such an instance is ended, not taken over.
 */
async function mayBeExposed(deps: SupervisorDeps, entry: Entry, signal: AbortSignal): Promise<boolean> {
  const reason = 'files that are hidden from the server were not watched for a while'
  try {
    if (!(await mountsInForce(deps, entry.stored.config, signal)).isGuarded) return false
  } catch (error) {
    await endFormer(deps, entry, { reason, atOnce: true }, signal)
    throw error
  }
  await endFormer(deps, entry, { reason }, signal)
  return true
}

/** Ends an instance that is not taken over. The runtime's events about it are our own doing, not a crash. */
async function endFormer(...[deps, entry, why, signal]: Parameters<typeof takeDown>): Promise<void> {
  deps.book.observe(entry.stored.config.name, { instance: 'exited' })
  await takeDown(deps, entry, why, signal)
}

/** Ends the instance and keeps the endpoint: client sessions wait for the next instance. */
async function takeDown(
  deps: SupervisorDeps,
  { stored, observed }: Entry,
  { reason, atOnce = false }: { reason: string; atOnce?: boolean },
  signal: AbortSignal,
): Promise<void> {
  const { name } = stored.config
  deps.gateway.disconnect(name, reason, true)
  deps.book.observe(name, { connected: false }, ['connectedAt'])
  await deps.sessions.endAll(name)
  const handle = observed.handle
  if (handle) {
    await deps.runtime.stop(handle, atOnce ? 0 : deps.stopGraceMs, signal)
    await deps.runtime.remove(handle, signal)
  }
  await deps.egress.close(name)
  deps.hiding.close(name)
  const gone = ['handle', 'instanceGeneration', 'failure', 'runtimeDown', 'blocked', 'exposed'] as const
  deps.book.observe(name, { instance: 'absent', failedPings: 0 }, gone)
}

async function stop(deps: SupervisorDeps, entry: Entry, signal: AbortSignal): Promise<void> {
  const { name } = entry.stored.config
  await takeDown(deps, entry, { reason: 'the workload was stopped' }, signal)
  deps.folders.close(name)
  await deps.gateway.close(name)
  deps.book.observe(name, { open: false, attempts: 0 }, ['failure'])
  deps.masker.release(name)
  deps.masker.release(oidcOwner(name))
  deps.masker.release(oauthOwner(name))
  await deps.syncClients()
}

async function remove(deps: SupervisorDeps, entry: Entry, signal: AbortSignal): Promise<void> {
  const { name } = entry.stored.config
  await stop(deps, entry, signal)
  await deps.logs.remove(name)
  await deps.sightings.forget(name)
  await deps.toolLocks.forget(name)
  await deps.exits.forget(name)
  await deps.gateway.forgetLogin(name)
  await deleteGeneratedSecrets(deps, entry.stored.config)
  await deps.book.forget(name)
}
