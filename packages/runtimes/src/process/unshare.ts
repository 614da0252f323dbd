import type { SandboxPlan } from './sandbox-plan.ts'

/**
 * Namespaces only, for machines without bubblewrap. The server cannot see or signal other processes and, without a
 * network, cannot reach anything. But it sees the files of the daemon's user.
 */
export function unshareArgs(plan: SandboxPlan): string[] {
  return [
    ...[
      '--user',
      '--map-current-user',
      '--pid',
      '--fork',
      '--kill-child=SIGKILL',
      '--mount',
      '--mount-proc',
      '--ipc',
      '--uts',
      '--cgroup',
    ],
    ...(plan.network !== 'full' ? ['--net'] : []),
    '--',
    plan.program,
    ...plan.args,
  ]
}
