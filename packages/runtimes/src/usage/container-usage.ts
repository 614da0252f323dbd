import { z } from 'zod'
import type { Usage } from '@toolhaven/core/ports/runtime'
import type { EngineClient } from '../engine/engine-client.ts'
import { hasStatus, refusal } from '../engine/engine-fault.ts'

const schema = z.looseObject({
  /** The year 1 when there was nothing to read. */
  read: z.string(),
  cpu_stats: z.looseObject({ cpu_usage: z.looseObject({ total_usage: z.number() }) }).nullish(),
  memory_stats: z
    .looseObject({ usage: z.number().nullish(), stats: z.record(z.string(), z.number()).nullish() })
    .nullish(),
  pids_stats: z.looseObject({ current: z.number().nullish() }).nullish(),
})
type Stats = z.infer<typeof schema>

/** What a container uses, as its engine counts it. Undefined when it does not run. */
export async function containerUsage(
  client: EngineClient,
  id: string,
  signal: AbortSignal,
): Promise<Usage | undefined> {
  // One sample: for the share of the CPU the engine would take two, a second apart.
  const call = {
    method: 'GET',
    path: `/containers/${encodeURIComponent(id)}/stats`,
    query: { stream: false, 'one-shot': true },
  } as const
  try {
    // Podman has no data for one that was not started yet.
    const stats = await client.json(schema.optional(), call, signal)
    return stats === undefined || stats.read.startsWith('0001-') ? undefined : usageOf(stats)
  } catch (error) {
    // Podman answers 409 for one that does not run, and also where it has no control groups to read.
    if (hasStatus(error, 404) || (hasStatus(error, 409) && !/cgroup/i.test(error.message))) return undefined
    throw refusal(`measure the container ${id}`, error)
  }
}

export function usageOf({ cpu_stats: cpu, memory_stats: memory, pids_stats: pids }: Stats): Usage {
  const cpuNs = cpu?.cpu_usage.total_usage
  // Without a controller an engine reports nothing, or zero.
  const usage: Usage = {
    ...(cpuNs && { cpuMs: cpuNs / 1e6 }),
    ...(memory?.usage && { memoryBytes: memory.usage - fileCache(memory.stats ?? {}) }),
    ...(pids?.current && { pids: pids.current }),
  }
  const lacking = [
    ...(usage.cpuMs === undefined ? ['CPU'] : []),
    ...(usage.memoryBytes === undefined ? ['memory'] : []),
    ...(usage.pids === undefined ? ['processes'] : []),
  ]
  if (lacking.length === 0) return usage
  return {
    ...usage,
    notMeasured: `the engine does not measure ${lacking.join(' and ')} here: it has no controller for it`,
  }
}

/** Pages of files that the kernel frees when memory is needed. The rest is what `docker stats` shows. */
function fileCache({ inactive_file: now, total_inactive_file: old }: Readonly<Record<string, number>>): number {
  return old ?? now ?? 0
}
