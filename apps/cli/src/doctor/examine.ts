import type { DoctorReport } from '@toolhaven/contract/doctor'
import { describeError } from '@toolhaven/core/errors'
import type { DaemonClient } from '../connect/daemon-client.ts'
import type { Context } from '../context.ts'
import { orUnknownWorkload } from '../lifecycle/or-unknown.ts'
import { checkMachine } from './check-machine.ts'
import { checkWorkload } from './check-workload.ts'
import { gradeOf, worstOf } from './grade.ts'

/** The needed part of a command's context. */
export interface Examining extends Pick<Context, 'daemon' | 'env' | 'signal'> {
  out: Pick<Context['out'], 'transient'>
}

/** Checks the machine, and each workload that should run, or only the named one. */
export async function examine(context: Examining, only: string | undefined): Promise<DoctorReport> {
  const { signal, out } = context
  let client: DaemonClient
  try {
    client = await context.daemon()
    await client.call('getVersion', {}, signal)
  } catch (error) {
    signal.throwIfAborted()
    return withoutDaemon(describeError(error))
  }
  if (only !== undefined)
    await orUnknownWorkload(client, [only], signal, () =>
      client.call('getWorkload', { params: { name: only } }, signal),
    )
  const { workloads } = await client.call('listWorkloads', { query: { all: only !== undefined } }, signal)
  const chosen = workloads.filter(({ name }) => only === undefined || name === only)
  const { checks, runtime } = await checkMachine(context, client, chosen)
  const reports: DoctorReport['workloads'] = []
  for (const workload of chosen) {
    out.transient(`looking at ${workload.name}`)
    reports.push(await checkWorkload(client, runtime.name, workload, signal))
  }
  out.transient('')
  const machine = { grade: gradeOf(checks), checks }
  return { grade: worstOf([machine.grade, ...reports.map(({ grade }) => grade)]), machine, workloads: reports }
}

function withoutDaemon(found: string): DoctorReport {
  const checks = [{ check: 'daemon', status: 'failed', found, fix: 'thv serve' } as const]
  return { grade: 'F', machine: { grade: 'F', checks: [...checks] }, workloads: [] }
}
