import type { Workload } from '@toolhaven/contract/workloads'
import type { LifecycleVerb } from './use-lifecycle.ts'

export interface BulkChoice {
  label: 'Start' | 'Restart' | 'Stop'
  verb: LifecycleVerb
  /** Those of the chosen servers that it is for. */
  names: readonly string[]
  command: string
}

/** Stopped servers can be started, and the others restarted or stopped. */
export function bulkChoices(servers: readonly Pick<Workload, 'name' | 'status'>[]): BulkChoice[] {
  const namesOf = (isStopped: boolean) =>
    servers.filter(({ status }) => (status === 'stopped') === isStopped).map(({ name }) => name)
  const stopped = namesOf(true)
  const others = namesOf(false)
  const choices: BulkChoice[] = [
    { label: 'Start', verb: 'restart', names: stopped, command: `thv restart ${stopped.join(' ')}` },
    { label: 'Restart', verb: 'restart', names: others, command: `thv restart ${others.join(' ')}` },
    { label: 'Stop', verb: 'stop', names: others, command: `thv stop ${others.join(' ')}` },
  ]
  return choices.filter(({ names }) => names.length > 0)
}
