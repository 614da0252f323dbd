import type { DaemonClient } from '../../connect/daemon-client.ts'
import { printable } from '@toolhaven/contract/visible-text'

export interface FileProblem {
  client: string
  /** Names the file, the place and the fault. */
  reason: string
}

/** The clients that get no entries because their configuration file cannot be read. */
export async function fileProblems(
  daemon: DaemonClient,
  clients: readonly string[],
  signal: AbortSignal,
): Promise<FileProblem[]> {
  if (clients.length === 0) return []
  const { faults } = await daemon.call('discoverServers', {}, signal)
  return faults
    .filter((fault) => clients.includes(fault.client_type))
    .map(({ client_type: client, reason }) => ({ client, reason }))
}

export function problemNotes(problems: readonly FileProblem[]): string[] {
  return problems.map(({ client, reason }) =>
    printable(
      `${client} does not get your workloads: ${reason}. Fix this, then run "thv client register ${client}" to write its entries.`,
    ),
  )
}

/** What a command leaves behind in files that cannot be read. */
export function leftoverNotes(problems: readonly FileProblem[], isRemoved = false): string[] {
  return problems.map(({ client, reason }) => {
    const next = isRemoved ? ` and "thv client remove ${client}"` : ''
    return printable(
      `${client} keeps its entries: ${reason}. Fix this, then run "thv client register ${client}"${next} to correct them.`,
    )
  })
}
