import type { Workload } from '@toolhaven/contract/workloads'
import type { Output } from './output.ts'
import { printable } from '@toolhaven/contract/visible-text'

/** The workloads, and below them why some do not run, and whose tools changed. */
export function workloadTable(out: Output, workloads: readonly Workload[]): void {
  const { red, yellow, dim } = out.colour
  const paint = {
    error: red,
    unhealthy: red,
    unknown: yellow,
    starting: yellow,
    stopping: yellow,
    removing: yellow,
    stopped: dim,
    running: yellow,
  }
  out.table<Workload>(
    [
      { title: 'NAME', value: ({ name }) => name },
      { title: 'STATUS', value: ({ status }) => status },
      // Only if something needs attention.
      ...(workloads.some(isOnHost)
        ? [{ title: 'NETWORK', value: ({ network_mode: mode }: Workload) => mode ?? '-' }]
        : []),
      { title: 'GROUP', value: ({ group }) => group },
      { title: 'URL', value: ({ url }) => url },
      { title: 'PACKAGE', value: ({ package: reference }) => reference, shrinks: true },
    ],
    workloads,
  )
  for (const { name, status, status_context: why } of workloads) {
    // For a running workload, the rest was printed at its start.
    const isNews = status !== 'running' || why.includes('"thv tools diff')
    if (why !== '' && isNews) out.note(`${paint[status](name)}: ${printable(why)}`)
  }
}

const isOnHost = ({ network_mode: mode }: Workload) => mode === 'host'
