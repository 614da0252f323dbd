import type { WorkloadStats } from '@toolhaven/contract/stats'
import type { Output } from '../output/output.ts'
import { printable } from '@toolhaven/contract/visible-text'
import { inMebibytes, inPercent, inSeconds } from '../stats/figures.ts'
import type { Inspection } from './read-inspection.ts'

/** Prints one section for each question that a person may have about a workload. */
export function showInspection(out: Output, inspection: Inspection): void {
  const { workload, clients, permissions, last_exit: lastExit } = inspection
  out.line(out.colour.bold(workload.name))
  for (const [label, text] of summaryOf(inspection)) out.line(`  ${label.padEnd(12)}${printable(text)}`)
  section(out, 'Permissions', permissions)
  section(out, 'Tools', toolLines(inspection))
  section(out, 'Limits', limitLines(inspection))
  section(out, 'Resource use', usageLines(inspection.stats))
  section(
    out,
    'Clients',
    clients.length > 0
      ? [`${clients.join(', ')} ${clients.length === 1 ? 'sees' : 'see'} it.`]
      : [`None sees it. "thv client register NAME" adds one.`],
  )
  if (lastExit) section(out, 'Last exit', exitLines(lastExit))
}

function section(out: Output, title: string, lines: readonly string[]): void {
  out.line('')
  out.line(out.colour.bold(title))
  for (const line of lines) out.line(`  ${printable(line)}`)
}

function summaryOf({ workload }: Inspection): [string, string][] {
  const { status, status_context: why, url, group, package: reference, started_image: image } = workload
  const { transport_type: transport, labels, cmd_arguments: args = [], env_vars: variables = {} } = workload
  const rows: [string, string | undefined][] = [
    ['Status', why === '' ? status : `${status}: ${why}`],
    ['Address', url],
    ['Group', group],
    ['Server', reference],
    ['Image', image?.digest],
    ['Transport', transport],
    ['Arguments', args.length > 0 ? args.join(' ') : undefined],
    // Values may be keys.
    ['Variables', Object.keys(variables).join(', ') || undefined],
    ['Labels', pairs(labels) || undefined],
    ['Created', workload.created_at],
  ]
  return rows.filter((row): row is [string, string] => row[1] !== undefined)
}

const pairs = (labels: Readonly<Record<string, string>>) =>
  Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(', ')

function exitLines({ time, message, last_lines: lines, times }: NonNullable<Inspection['last_exit']>): string[] {
  const when = time === undefined ? '' : `${time}  `
  const often = times > 1 ? [`It ended ${times} times, as far back as its log goes.`] : []
  return [`${when}${message}`, ...lines.map((line) => `  ${line}`), ...often]
}

function toolLines({ workload, tools }: Inspection): string[] {
  if (tools === undefined) return ['Not seen yet: they are once the server has run.']
  const changed = `Changed since they were accepted: ${tools.changed.join(', ')}. See "thv tools diff ${workload.name}".`
  return [tools.names.join(', ') || 'None', ...(tools.changed.length > 0 ? [changed] : [])]
}

function limitLines({ workload, confinement }: Inspection): string[] {
  if (confinement === undefined) return ['It is not running on this machine.']
  const { memory_bytes: memory, cpus, pids } = confinement
  const { requests_per_minute: requests, max_sessions: sessions } = workload.limits ?? {}
  const limits = [
    memory === undefined ? undefined : `${Math.round(memory / 2 ** 20)} MiB of memory`,
    cpus === undefined ? undefined : `${cpus} processors`,
    pids === undefined ? undefined : `${pids} processes`,
    requests === undefined ? undefined : `${requests} requests per minute`,
    sessions === undefined ? undefined : `${sessions} sessions`,
  ].filter((limit) => limit !== undefined)
  return [limits.join(', ') || 'None']
}

function usageLines(stats: WorkloadStats): string[] {
  const { cpu_percent: cpu, memory_bytes: memory, pids, not_measured: why } = stats
  const { sessions, calls_per_minute: calls, errors_per_minute: errors, p50_ms: p50 } = stats
  const used = [
    cpu === undefined ? undefined : `${inPercent(cpu)} of a core`,
    memory === undefined ? undefined : `${inMebibytes(memory)} of memory`,
    pids === undefined ? undefined : `${pids} processes and threads`,
  ].filter((each) => each !== undefined)
  const half = p50 === undefined ? '' : `, half of them answered within ${inSeconds(p50)}`
  return [
    ...(used.length > 0 ? [used.join(', ')] : []),
    ...(why === undefined ? [] : [`Not measured: ${why}.`]),
    `${counted(sessions, 'session')}; ${counted(calls, 'call')} in the last minute${half}; ${counted(errors, 'error')}`,
  ]
}

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`
