import type { Confinement } from '@toolhaven/contract/isolation'
import type { RuntimeReport } from '@toolhaven/contract/runtime-report'

/** What this machine does not enforce for a server, in sentences; none: everything that Toolhaven knows of. */
export function notEnforced(
  confinement: Confinement | null | undefined,
  runtime: Pick<RuntimeReport, 'notes'> | undefined,
): string[] {
  return [...(runtime?.notes ?? []), ...(confinement ? gapsOf(confinement) : [])]
}

function gapsOf(found: Confinement): string[] {
  const gaps: readonly (readonly [boolean, string])[] = [
    [
      found.network === 'host',
      'It uses the network of this machine: nothing that it reaches can be refused or recorded.',
    ],
    [found.privileged, 'It runs privileged: the engine confines it little.'],
    [!found.no_new_privileges, 'Programs that it starts can gain privileges.'],
    [found.capabilities.length > 0, `It holds capabilities: ${found.capabilities.join(', ')}.`],
    [!found.system_call_filter, 'Its system calls are not filtered.'],
    [!found.own_files, 'It sees the files of this machine that its user may read.'],
    [found.memory_bytes === undefined, 'Its memory has no limit.'],
    [found.cpus === undefined, 'Its use of the CPU has no limit.'],
    [found.pids === undefined, 'The number of its processes has no limit.'],
  ]
  return gaps.filter(([is]) => is).map(([, sentence]) => sentence)
}

/** How its network is closed. */
export function networkInForce({ network, seen_by: by }: Confinement): string {
  const whose = by === 'kernel' ? 'the kernel of this machine' : 'the engine'
  const what = {
    none: 'It has its own loopback, and no way past the egress gate',
    own: 'It has its own network, and no way past the egress gate',
    host: 'It has the network of this machine',
  }[network]
  return `${what}, as ${whose} reports.`
}
