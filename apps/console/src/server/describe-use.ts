import type { WorkloadStats } from '@toolhaven/contract/stats'

/** What a server uses and how it answers, in sentences. */
export function describeUse(stats: WorkloadStats): string[] {
  const { cpu_percent: cpu, memory_bytes: memory, pids, not_measured: why } = stats
  const { sessions, calls_per_minute: calls, errors_per_minute: errors, p50_ms: half } = stats
  const parts = [
    ...(memory === undefined ? [] : [`${Math.round(memory / 1e6)} MB of memory`]),
    ...(cpu === undefined ? [] : [`${Math.round(cpu)} % of a core`]),
    ...(pids === undefined ? [] : [countOf(pids, 'process or thread', 'processes and threads')]),
  ]
  return [
    ...(parts.length > 0 ? [`${listOf(parts)}.`] : []),
    ...(why === undefined ? [] : [`Not measured: ${why}.`]),
    `${countOf(sessions, 'session', 'sessions')} of clients.`,
    calls === 0
      ? 'No calls in the last minute.'
      : `${countOf(calls, 'call', 'calls')} in the last minute, ${countOf(errors, 'error', 'errors')}${half === undefined ? '' : `, half of them answered within ${Math.round(half)} ms`}.`,
  ]
}

const countOf = (count: number, one: string, several: string) => `${count} ${count === 1 ? one : several}`

const listOf = (parts: readonly string[]) => new Intl.ListFormat('en').format(parts)
