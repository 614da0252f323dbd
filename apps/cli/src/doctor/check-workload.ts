import type { DoctorCheck, DoctorReport } from '@toolhaven/contract/doctor'
import type { Workload, WorkloadDetails } from '@toolhaven/contract/workloads'
import { outboundPolicy } from '@toolhaven/contract/permission-profile'
import { describeError } from '@toolhaven/core/errors'
import type { DaemonClient } from '../connect/daemon-client.ts'
import { imageCheck } from './check-image.ts'
import { gradeOf } from './grade.ts'
import { judgeIsolation } from './judge-isolation.ts'
import { type ServerProbe, probeServer } from './probe-server.ts'

type WorkloadReport = DoctorReport['workloads'][number]

/** Checks one workload from both sides: as a client, and on the machine where it runs. */
export async function checkWorkload(
  client: DaemonClient,
  runtime: string,
  workload: Workload,
  signal: AbortSignal,
): Promise<WorkloadReport> {
  const { name, url, status, status_context: context } = workload
  const up = statusCheck(workload)
  if (status !== 'running') return { name, grade: gradeOf([up]), checks: [up] }
  const { checks: answers, protocolVersion, tools, tokens }: ServerProbe = await probeServer(name, url, signal)
  const details = await client.call('getWorkload', { params: { name } }, signal)
  const { checks: confines, isolation } = await isolationOf(client, runtime, details, signal)
  const checks = [up, ...answers, ...confines, ...imageCheck(details.started_image), ...blockedCheck(name, context)]
  return {
    name,
    grade: gradeOf(checks),
    checks,
    ...(protocolVersion !== undefined && { protocol_version: protocolVersion }),
    ...(tools !== undefined && { tools }),
    ...(tokens !== undefined && { estimated_tokens: tokens }),
    ...(isolation && { isolation }),
  }
}

type Subject = Pick<Workload, 'name' | 'status' | 'status_context' | 'remote'>

export function statusCheck(subject: Subject): DoctorCheck {
  const { status, status_context: context } = subject
  const found = [status, context].filter(Boolean).join(': ')
  if (status === 'running') return { check: 'status', status: 'ok', found: 'running' }
  // A workload that is starting or stopping is healthy; it just takes a while.
  if (status === 'starting' || status === 'stopping' || status === 'removing')
    return { check: 'status', status: 'info', found }
  return { check: 'status', status: 'failed', found, fix: fixOf(subject) }
}

function fixOf({ name, status, status_context: context, remote }: Subject): string {
  if (status === 'stopped' || status === 'unhealthy') return `thv restart ${name}`
  if (status === 'unknown') return 'thv runtime check'
  const [, port] = /^Port (\d+) .*is taken/.exec(context) ?? []
  if (port !== undefined) return `thv restart ${name} (after you stopped the program that has port ${port})`
  const [, secret] = /^secret (\S+) not found/.exec(context) ?? []
  if (secret !== undefined) return `thv secret set ${secret}`
  if (remote) return `thv rm ${name} (if its address is wrong; otherwise Toolhaven keeps trying)`
  return context.includes('blocked: ') ? `thv learn ${name} --observe` : `thv logs ${name}`
}

/** The last refused connection, from the status. */
function blockedCheck(name: string, context: string): DoctorCheck[] {
  const [found = ''] = context.split('; ')
  if (!found.startsWith('blocked: ')) return []
  return [{ check: 'blocked', status: 'warning', found, fix: `thv learn ${name}` }]
}

async function isolationOf(
  client: DaemonClient,
  runtime: string,
  details: WorkloadDetails,
  signal: AbortSignal,
): Promise<{ checks: DoctorCheck[]; isolation?: NonNullable<WorkloadReport['isolation']> }> {
  const { name } = details
  if (/^https?:\/\//.test(details.package))
    return { checks: [{ check: 'isolation', status: 'info', found: 'not isolated: it is a remote server' }] }
  try {
    const isolation = await client.call('getIsolation', { params: { name } }, signal)
    const policy = outboundPolicy(details.permission_profile ?? {})
    const isObserved = details.network_isolation_mode === 'observe'
    const isIsolated = details.network_mode !== 'host'
    const subject = { name, runtime, wantsNetwork: policy !== 'nothing' || isObserved, isIsolated, isObserved }
    return { checks: judgeIsolation(subject, isolation), isolation }
  } catch (error) {
    signal.throwIfAborted()
    // While no client is connected, it has no server to check, and is healthy anyway.
    if (describeError(error).includes('its servers run only for clients'))
      return { checks: [{ check: 'isolation', status: 'info', found: describeError(error) }] }
    return {
      checks: [{ check: 'isolation', status: 'failed', found: describeError(error), fix: `thv restart ${name}` }],
    }
  }
}
