import type { WorkloadEvent } from '@toolhaven/contract/events'
import { ThvError, conflict, unavailable } from '@toolhaven/core/errors'
import type { DaemonClient } from '../connect/daemon-client.ts'
import type { Output } from './output.ts'
import { progressLine } from './progress-line.ts'

export interface Waiting {
  out: Pick<Output, 'transient'>
  signal: AbortSignal
  /** Whether to keep waiting despite the error. */
  isPassing?: (context: string) => boolean
}

/** A workload is in the status error. */
export class WorkloadFailed extends ThvError {
  /** The workloads that failed. */
  readonly names: readonly string[]

  constructor(message: string, names: readonly string[]) {
    super('conflict', message)
    this.names = names
  }
}

/** The same, with the commands that help a person to find out why. */
export function withNextStep({ message, names }: WorkloadFailed): WorkloadFailed {
  const secrets = names.flatMap((name) => {
    const line = message.split('\n').find((each) => each.startsWith(`${name}: `)) ?? ''
    const [, key] = /: secret (\S+) not found$/.exec(line) ?? []
    return key === undefined ? [] : [{ name, key }]
  })
  const steps = secrets.map(({ name, key }) => `"thv secret set ${key}" stores it, "thv restart ${name}" tries again.`)
  const others = names.filter((each) => secrets.every(({ name }) => name !== each))
  const commands = others.map((name) => `"thv logs ${name}"`).join(', ')
  if (others.length > 0) steps.push(`${commands} ${others.length === 1 ? 'shows its' : 'show their'} output.`)
  return new WorkloadFailed([message, ...steps].join('\n'), names)
}

type Status = WorkloadEvent['status']

const STOPPED = { stopping: 'another command stopped it', stopped: 'another command stopped it' } as const
const REMOVED = { removing: 'another command removed it', removed: 'another command removed it' } as const
const STARTED = { starting: 'another command started it again', running: 'another command started it again' } as const

interface Goal {
  status: Status
  /** Statuses that only another command leads to. The goal cannot be reached then. */
  overtaken: Partial<Record<Status, string>>
}

const GOALS = {
  stop: { status: 'stopped', overtaken: { ...STARTED, ...REMOVED } },
  restart: { status: 'running', overtaken: { ...STOPPED, ...REMOVED } },
  run: { status: 'running', overtaken: { ...STOPPED, ...REMOVED } },
  delete: { status: 'removed', overtaken: {} },
} as const satisfies Record<string, Goal>

/**
 * Follows the daemon's events until every workload has reached its goal. What happens meanwhile is shown as progress.
 * Workloads that end in an error, or that somebody else stopped or removed, are told together, once nothing more is waited for.
 */
export async function waitForOutcome(
  { out, signal, isPassing }: Waiting,
  client: DaemonClient,
  names: readonly string[],
  verb: keyof typeof GOALS,
): Promise<void> {
  const waiting = new Set(names)
  const failures = new Map<string, string>()
  const inError: string[] = []
  const goal: Goal = GOALS[verb]
  const look = (event: WorkloadEvent) => {
    const { workload, status, status_context: context } = event
    if (!waiting.has(workload)) return
    const isFailure = status === 'error' && verb !== 'delete' && !isPassing?.(context)
    const reason = isFailure ? context : goal.overtaken[status]
    if (reason !== undefined) failures.set(workload, reason)
    if (isFailure) inError.push(workload)
    if (reason !== undefined || status === goal.status) waiting.delete(workload)
    if (waiting.size > 0) out.transient(progressLine(event))
  }
  // The stream never ends on its own. If it stayed open, the program could not end.
  const enough = new AbortController()
  const events = await client.stream('streamEvents', {}, AbortSignal.any([signal, enough.signal]))
  try {
    // A workload that was removed before the stream began sends no more events.
    for (const name of await goneOf(client, waiting, signal))
      look({ workload: name, status: 'removed', status_context: '' })
    if (waiting.size > 0) {
      for await (const data of events) {
        look(parseEvent(data))
        if (waiting.size === 0) break
      }
    }
  } finally {
    enough.abort()
    out.transient('')
  }
  const told = [...failures].map(([name, why]) => `${name}: ${why}`).join('\n')
  if (failures.size > 0) throw inError.length > 0 ? new WorkloadFailed(told, inError) : conflict(told)
  if (waiting.size > 0)
    throw unavailable('the daemon is stopping; "thv list --all" starts it again and shows how far it got')
}

async function goneOf(client: DaemonClient, waiting: ReadonlySet<string>, signal: AbortSignal): Promise<string[]> {
  const { workloads } = await client.call('listWorkloads', { query: { all: true } }, signal)
  const present = new Set(workloads.map(({ name }) => name))
  return [...waiting].filter((name) => !present.has(name))
}

function parseEvent(data: string): WorkloadEvent {
  // oxlint-disable-next-line typescript/consistent-type-assertions -- sent by the daemon, which is this very program
  return JSON.parse(data) as WorkloadEvent
}
