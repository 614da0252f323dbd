import type { WorkloadStats } from '@toolhaven/contract/stats'

/** A number stays with its unit. */
const NO_BREAK = '\u00A0'

/** How many clients see a server, and what they asked of it in the minute before it was measured. */
export function describeRow(clients: number, stats: WorkloadStats | undefined): string {
  const parts = [countOf(clients, 'client')]
  if (stats && (stats.status === 'running' || stats.status === 'unhealthy')) {
    const { calls_per_minute: calls, errors_per_minute: errors, p50_ms: half } = stats
    parts.push(`${countOf(calls, 'call')}/min`)
    if (errors > 0) parts.push(countOf(errors, 'error'))
    if (half !== undefined) parts.push(`${Math.round(half)}${NO_BREAK}ms`)
  }
  return parts.join(' · ')
}

const countOf = (count: number, noun: string) => `${count}${NO_BREAK}${count === 1 ? noun : `${noun}s`}`
