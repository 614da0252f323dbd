import type { SandboxPlan } from './sandbox-plan.ts'

/**
 * The profile for macOS's sandbox-exec
 * (https://reverse.put.as/wp-content/uploads/2011/09/Apple-Sandbox-Guide-v1.0.pdf): deny by default, system files
 * readable, and otherwise only the plan's paths. Not verified on macOS.
 */
export function sandboxExecProfile(plan: SandboxPlan, tempDir: string): string {
  const readable = plan.binds.map((bind) => bind.hostPath)
  const writable = [tempDir, ...plan.binds.filter((bind) => !bind.readOnly).map((bind) => bind.hostPath)]
  return [
    '(version 1)',
    '(deny default)',
    '(allow process-fork)',
    '(allow signal (target same-sandbox))',
    '(allow sysctl-read)',
    '(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo") (global-name "com.apple.SystemConfiguration.configd") (global-name "com.apple.trustd.agent"))',
    '(allow file-read-metadata)',
    `(allow file-read* process-exec ${[...SYSTEM_PATHS, plan.program, ...readable, tempDir].map(subpath).join(' ')})`,
    '(allow file-read* file-write-data (literal "/dev/null") (literal "/dev/zero") (literal "/dev/random") (literal "/dev/urandom"))',
    `(allow file-write* ${writable.map(subpath).join(' ')})`,
    plan.network === 'full'
      ? '(allow network*)'
      : '(allow network* (local ip "localhost:*") (remote ip "localhost:*"))',
    '',
  ].join('\n')
}

const SYSTEM_PATHS = [
  '/usr',
  '/bin',
  '/sbin',
  '/System',
  '/Library/Apple',
  '/private/etc/ssl',
  '/private/var/db/timezone',
  '/opt/homebrew',
]

function subpath(path: string): string {
  return `(subpath "${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}")`
}
