import type { Lesson } from '@toolhaven/contract/lesson'
import type { PermissionProfile } from '@toolhaven/contract/permission-profile'
import { conflict } from '../../errors.ts'
import { editWorkload } from './edit.ts'
import { lessonOf } from './lesson.ts'
import type { WorkloadsDeps } from '../workloads-deps.ts'

/** The smallest profile that would have allowed the connections that the workload made. */
export function getLesson(deps: Pick<WorkloadsDeps, 'book' | 'sightings' | 'host'>, name: string): Lesson {
  const { stored } = deps.book.get(name)
  if (stored.config.remote_url !== undefined)
    throw conflict(`${name} is a remote server, so its connections cannot be recorded`)
  const seen = deps.sightings.of(name)
  if (!seen) {
    throw conflict(
      `${name} has opened no connections yet: "thv learn ${name} --observe" (network_isolation_mode observe) starts to record them`,
    )
  }
  return lessonOf(stored, seen, deps.host.ownAddresses())
}

/** Puts the profile in force. `shown` is the profile that a person agreed to; the server may have asked for more since. */
export async function applyLesson(deps: WorkloadsDeps, name: string, shown?: PermissionProfile): Promise<Lesson> {
  const lesson = getLesson(deps, name)
  const { permission_profile: profile, evidence, mode } = lesson
  if (evidence.length === 0 && mode === 'enforce')
    throw conflict(
      `${name} has opened no connections that a profile could allow: "thv learn ${name} --observe" finds out what it needs`,
    )
  if (shown !== undefined && !isSame(shown, profile))
    throw conflict(`${name} has tried to reach other hosts since you read the profile; read it again`)
  await editWorkload(deps, name, {
    permission_profile: profile,
    network_isolation: true,
    // Cleared, because the profile now includes what they added, and enforcing it in its own network is the default.
    allow_hosts: null,
    network_mode: null,
    network_isolation_mode: null,
  })
  return lesson
}

function isSame(one: PermissionProfile, other: PermissionProfile): boolean {
  const text = (profile: PermissionProfile) => {
    const { allow_host: hosts = [], allow_port: ports = [], insecure_allow_all: all } = profile.network?.outbound ?? {}
    const { name, read = [], write = [], privileged = false } = profile
    return JSON.stringify([name, read, write, privileged, hosts, ports, all ?? false])
  }
  return text(one) === text(other)
}
