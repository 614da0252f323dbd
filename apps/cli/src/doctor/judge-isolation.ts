import type { DoctorCheck } from '@toolhaven/contract/doctor'
import type { Confinement } from '@toolhaven/contract/isolation'

interface Subject {
  name: string
  runtime: string
  /** Whether its profile allows any connections. */
  wantsNetwork: boolean
  /** Whether it has its own network, whose only way out is the egress gate. */
  isIsolated: boolean
  /** Whether the proxy allows every public host, to record what is used. */
  isObserved: boolean
}

/** Judges the confinement in force. Each finding is about the actual state, not about what was requested. */
export function judgeIsolation(subject: Subject, seen: Confinement): DoctorCheck[] {
  const { name, runtime } = subject
  const again = `thv restart ${name}`
  const rules: readonly Rule[] = [
    {
      check: 'sandbox',
      holds: seen.own_files && !seen.privileged,
      good: 'it sees files of its own only',
      bad: seen.privileged ? 'it runs privileged' : 'it can read the files of the user the daemon runs as',
      fix: runtime === 'process' && !seen.privileged ? `apt install bubblewrap, then: ${again}` : again,
    },
    {
      check: 'capabilities',
      holds: seen.capabilities.length === 0,
      good: 'none',
      bad: `it holds ${seen.capabilities.join(', ')}`,
      fix: again,
    },
    {
      check: 'no-new-privileges',
      holds: seen.no_new_privileges,
      good: 'it cannot gain privileges',
      bad: 'it can gain privileges by running other programs',
      fix: again,
    },
    {
      check: 'system-calls',
      holds: seen.system_call_filter,
      good: 'a filter is in force',
      bad: 'no system call filter is in force',
      fix: again,
      isWarning: true,
    },
    {
      check: 'read-only-root',
      holds: seen.read_only_root,
      good: 'its root is read-only',
      bad: 'it can write to its root',
      fix: 'run it from a package (npx://, uvx://), whose root is read-only',
      isWarning: true,
    },
  ]
  return [...rules.map(judge), userCheck(seen), networkCheck(subject, seen), limitsCheck(seen), mountsCheck(seen)]
}

interface Rule {
  check: string
  holds: boolean
  good: string
  bad: string
  fix: string
  isWarning?: boolean
}

function judge({ check, holds, good, bad, fix, isWarning }: Rule): DoctorCheck {
  if (holds) return { check, status: 'ok', found: good }
  return { check, status: isWarning ? 'warning' : 'failed', found: bad, fix }
}

function userCheck({ user, outside_user: outside = user }: Confinement): DoctorCheck {
  if (user === '0' && outside === '0')
    return {
      check: 'user',
      status: 'warning',
      found: 'it runs as root, without its powers',
      fix: 'choose an image that runs as an ordinary user',
    }
  if (outside === '0')
    return {
      check: 'user',
      status: 'warning',
      found: `it is user ${user}, and root on the machine`,
      fix: 'run the daemon as an ordinary user',
    }
  return {
    check: 'user',
    status: 'ok',
    found: outside === user ? `user ${user}` : `user ${user}, ${outside} on the machine`,
  }
}

function networkCheck({ name, wantsNetwork, isIsolated, isObserved }: Subject, { network }: Confinement): DoctorCheck {
  if (isIsolated && network !== 'none')
    return {
      check: 'network',
      status: 'failed',
      found: `${wantsNetwork ? 'it may go out through the egress gate only' : 'its profile lets nothing out'}, but it has another network`,
      fix: `thv restart ${name}`,
    }
  if (network === 'host')
    return {
      check: 'network',
      status: 'warning',
      found: 'it shares the network of this machine, loopback included (network_mode host)',
      fix: `thv rm ${name}, then thv run it without --network host; --allow-host localhost:PORT opens a single service of this machine`,
    }
  if (isObserved)
    return {
      check: 'network',
      status: 'warning',
      found: 'it is observed: every public host is allowed',
      fix: `thv learn ${name} --apply`,
    }
  return {
    check: 'network',
    status: 'ok',
    found: wantsNetwork ? 'a network of its own, from which only the egress gate leads out' : 'no network',
  }
}

function limitsCheck({ memory_bytes: memory, pids, open_files: files, cpus }: Confinement): DoctorCheck {
  const missing = [...(memory === undefined ? ['memory'] : []), ...(pids === undefined ? ['processes'] : [])]
  if (missing.length > 0)
    return {
      check: 'limits',
      status: 'warning',
      found: `nothing limits its ${missing.join(' and ')}`,
      fix: 'thv runtime check says why this runtime cannot limit them',
    }
  const parts = [
    `memory ${Math.round((memory ?? 0) / 2 ** 20)} MiB`,
    `${pids} processes`,
    ...(files ? [`${files} open files`] : []),
    ...(cpus ? [`${cpus} processors`] : []),
  ]
  return { check: 'limits', status: 'ok', found: parts.join(', ') }
}

function mountsCheck({ mounts }: Confinement): DoctorCheck {
  const list = mounts.map(({ source, read_only: isReadOnly }) => `${source}${isReadOnly ? ' (read-only)' : ''}`)
  return {
    check: 'mounts',
    status: list.length > 0 ? 'info' : 'ok',
    found: list.length > 0 ? list.join(', ') : 'nothing of this machine',
  }
}
