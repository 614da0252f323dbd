import type { ResourceLimits, RunConfig } from '@toolhaven/contract/run-config'
import { invalid, unavailable } from '../../errors.ts'
import type { Limits, Runtime } from '../../ports/runtime.ts'

const LIMITS = { memory_mb: 'memoryBytes', cpus: 'cpus', pids: 'pids' } as const satisfies Record<
  keyof ResourceLimits,
  keyof Limits
>
const PROBE_MS = 10_000

type Deps = { runtime: Pick<Runtime, 'name' | 'probe'> }

/**
 * Refuses limits that the runtime cannot enforce, because the user would rely on them. If the runtime does not answer at create or
 * edit, the check is left to the start.
 */
export async function checkResources(deps: Deps, config: RunConfig): Promise<void> {
  await refuseUnenforced(deps, config)
}

/** At every start, because the limits may have been stored while another runtime was in use, or none answered. */
export async function checkStoredResources(deps: Deps, config: RunConfig): Promise<void> {
  if ((await refuseUnenforced(deps, config)) === 'no answer')
    throw unavailable(`${deps.runtime.name} does not say which limits it can enforce; Toolhaven will ask it again`)
}

async function refuseUnenforced(
  { runtime }: Deps,
  { resources = {}, remote_url: remoteUrl }: RunConfig,
): Promise<'no answer' | undefined> {
  const asked = (['memory_mb', 'cpus', 'pids'] as const).filter((field) => resources[field] !== undefined)
  if (asked.length === 0) return undefined
  if (remoteUrl !== undefined)
    throw invalid(`resources.${asked[0]} is only for servers that run on this machine; remove it`)
  const health = await runtime.probe(AbortSignal.timeout(PROBE_MS))
  if (health.state !== 'healthy') return 'no answer'
  const { unenforced } = health.capabilities
  const faults = asked.flatMap((field) => {
    const reason = unenforced[LIMITS[field]]
    return reason === undefined ? [] : [`resources.${field} cannot be enforced on ${runtime.name}. ${reason}`]
  })
  if (faults.length > 0) throw invalid(`${faults.join(' ')} Remove it, or use a runtime that can`)
  return undefined
}
