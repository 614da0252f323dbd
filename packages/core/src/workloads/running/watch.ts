import { describeError } from '../../errors.ts'
import { type InstanceHandle, LABELS } from '../../ports/runtime.ts'
import type { Entry } from './book.ts'
import { STABLE_AFTER_MS } from './failures.ts'
import { MAX_FAILED_PINGS } from './observed.ts'
import { hasOwnServers } from '../config/session-mode.ts'
import type { SupervisorDeps } from './supervisor-deps.ts'
import type { Supervisor } from './supervisor.ts'

const RESYNC_MS = 60_000
const PING_MS = 30_000
const PING_TIMEOUT_MS = 20_000
const RECONNECT_MS = 2_000

/** Watches the runtime, the servers and the client files until shutdown. Each loop survives any failure. */
export async function watch(deps: SupervisorDeps, supervisor: Supervisor): Promise<void> {
  await Promise.all([
    followRuntime(deps, supervisor),
    every(deps, RESYNC_MS, () => resync(deps, supervisor)),
    every(deps, PING_MS, () => pingAll(deps, supervisor)),
  ])
}

async function followRuntime(deps: SupervisorDeps, supervisor: Supervisor): Promise<void> {
  while (!deps.shutdown.aborted) {
    try {
      for await (const event of deps.runtime.events(deps.shutdown)) await supervisor.runtimeEvent(event)
    } catch (error) {
      if (deps.shutdown.aborted) return
      await survive(deps, runtimeWentAway(deps, describeError(error)))
    }
    await deps.clock.sleep(RECONNECT_MS, deps.shutdown).catch(() => undefined)
    await survive(deps, lookAgain(deps, supervisor))
  }
}

/** Events were missed, or the engine came back, so nothing known about instances is certain any more. */
async function lookAgain(deps: SupervisorDeps, supervisor: Supervisor): Promise<void> {
  const health = await deps.runtime.probe(AbortSignal.any([deps.shutdown, AbortSignal.timeout(5_000)]))
  if (health.state !== 'healthy' || deps.shutdown.aborted) return
  for (const { stored, observed } of deps.book.all()) {
    if (stored.config.remote_url) continue
    // A start in progress notices on its own that its instance is lost.
    const isCertain = observed.runtimeDown === undefined && (observed.connected || observed.isComing === true)
    if (!isCertain) deps.book.observe(stored.config.name, { instance: 'unknown' }, ['failure', 'runtimeDown'])
    supervisor.poke(stored.config.name)
  }
}

async function runtimeWentAway(deps: SupervisorDeps, reason: string): Promise<void> {
  const health = await deps.runtime.probe(AbortSignal.timeout(5_000))
  if (health.state === 'healthy') return
  deps.logger.warn('the runtime does not answer', { reason })
  for (const { stored } of deps.book.all()) {
    if (stored.config.remote_url) continue
    deps.gateway.disconnect(stored.config.name, 'the runtime does not answer')
    deps.book.observe(stored.config.name, { runtimeDown: health.reason, instance: 'unknown', connected: false })
  }
}

/** Removes instances that have our label and no owner, and checks owners whose instance is gone. */
export async function resync(deps: SupervisorDeps, supervisor: Supervisor): Promise<void> {
  const known = new Map(deps.book.all().map(({ stored, observed }) => [stored.config.name, observed.handle?.id]))
  const listed = await deps.runtime.list({ [LABELS.marker]: 'true', [LABELS.instance]: deps.instanceId }, deps.shutdown)
  const ids = new Set(listed.map(({ handle }) => handle.id))
  for (const { handle, labels } of listed) {
    const owner = deps.book.find(labels[LABELS.name] ?? '')
    if ((owner && isItsOwn(owner, handle, labels)) || deps.isInUse(handle.name)) continue
    deps.logger.info('removing an orphan', { instance: handle.name })
    await deps.runtime.remove(handle, deps.shutdown)
  }
  for (const { stored, observed } of deps.book.all()) {
    const { instance, handle } = observed
    // The list lacks an instance that was created while the runtime made it.
    const isMissing =
      instance === 'running' && handle && known.get(stored.config.name) === handle.id && !ids.has(handle.id)
    if (isMissing) deps.book.observe(stored.config.name, { instance: 'unknown', connected: false })
    if (isMissing || observed.runtimeDown !== undefined) supervisor.poke(stored.config.name)
  }
  await deps.syncClients()
}

/** An instance of a client session has no other owner than that session. */
function isItsOwn({ stored, observed }: Entry, handle: InstanceHandle, labels: Readonly<Record<string, string>>) {
  if (labels[LABELS.session] !== undefined) return false
  return !hasOwnServers(stored) || observed.isComing === true || observed.handle?.id === handle.id
}

async function pingAll(deps: SupervisorDeps, supervisor: Supervisor): Promise<void> {
  await Promise.all(deps.book.all().map((entry) => ping(deps, supervisor, entry)))
}

async function ping(deps: SupervisorDeps, supervisor: Supervisor, { stored, observed }: Entry): Promise<void> {
  if (!observed.connected || stored.wanted !== 'running') return
  const { name } = stored.config
  const instance = observed.handle?.id
  try {
    await deps.gateway.ping(name, AbortSignal.any([deps.shutdown, AbortSignal.timeout(PING_TIMEOUT_MS)]))
    const isStable = observed.connectedAt !== undefined && deps.clock.now() - observed.connectedAt >= STABLE_AFTER_MS
    deps.book.observe(name, { failedPings: 0, ...(isStable && { attempts: 0 }) })
  } catch {
    const isSameInstance = deps.book.find(name)?.observed.handle?.id === instance
    if (deps.shutdown.aborted || !isSameInstance || !observed.connected) return
    deps.book.observe(name, { failedPings: observed.failedPings + 1 })
    if (observed.failedPings >= MAX_FAILED_PINGS) supervisor.poke(name)
  }
}

async function every(deps: SupervisorDeps, ms: number, work: () => Promise<void>): Promise<void> {
  while (!deps.shutdown.aborted) {
    await deps.clock.sleep(ms, deps.shutdown).catch(() => undefined)
    if (deps.shutdown.aborted) return
    await survive(deps, work())
  }
}

/** A loop that ended with a failure would stop the whole watch. */
async function survive({ logger }: SupervisorDeps, work: Promise<void>): Promise<void> {
  await work.catch((error: unknown) => logger.debug('a periodic check failed', { reason: describeError(error) }))
}
