import { watch } from 'node:fs'
import { access, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Limits } from '@toolhaven/core/ports/runtime'
import { findProgram } from '../package-index/find-program.ts'
import { runProgram } from '../package-index/run-program.ts'
import { type ControlGroup, type ControlGroups, CPU_PERIOD_US, hadOutOfMemory } from './control-group.ts'

export interface ScopeOptions {
  env: Readonly<Record<string, string | undefined>>
  /** Where control groups of version 2 are. */
  root: string
}

/**
 * Scopes of the user's own systemd, which manages delegated control groups for its user's programs. Undefined where
 * there is none, or where it limits nothing.
 */
export async function findUserScopes(
  { env, root }: ScopeOptions,
  signal: AbortSignal,
): Promise<ControlGroups | undefined> {
  const program = await findProgram('systemd-run', env['PATH'])
  const { XDG_RUNTIME_DIR: runtimeDir, DBUS_SESSION_BUS_ADDRESS: bus, PATH: path } = env
  if (program === undefined || runtimeDir === undefined || !(await isThere(join(root, 'cgroup.controllers'))))
    return undefined
  const launcherEnv = {
    XDG_RUNTIME_DIR: runtimeDir,
    ...(bus !== undefined && { DBUS_SESSION_BUS_ADDRESS: bus }),
    ...(path !== undefined && { PATH: path }),
  }
  const launch = (limits: Limits): [string, ...string[]] => [program, ...SCOPE, ...properties(limits), '--']
  const seen = await tryOut(launch(TRIED), root, launcherEnv, signal)
  const unenforced = Object.fromEntries(
    (['memoryBytes', 'cpus', 'pids'] as const)
      .filter((limit) => !seen.has(EXPECTED[limit]))
      .map((limit) => [limit, `${NAMES[limit]} limits are not in force: your systemd has no controller for them.`]),
  )
  if (Object.keys(unenforced).length === Object.keys(EXPECTED).length) return undefined
  return { unenforced, make: async (limits) => scope(root, { words: launch(limits), env: launcherEnv }) }
}

/** A scope that has failed is forgotten as well. */
const SCOPE = ['--user', '--scope', '--quiet', '--collect', '--description=An MCP server of Toolhaven']
const NAMES = { memoryBytes: 'Memory', cpus: 'CPU', pids: 'Process' } as const satisfies Record<keyof Limits, string>

function properties({ memoryBytes, cpus, pids }: Limits): string[] {
  return [
    ...(memoryBytes === undefined ? [] : [`MemoryMax=${memoryBytes}`, 'MemorySwapMax=0']),
    ...(cpus === undefined ? [] : [`CPUQuota=${Math.max(1, Math.round(cpus * 100))}%`]),
    ...(pids === undefined ? [] : [`TasksMax=${pids}`]),
  ].flatMap((property) => ['-p', property])
}

const TRIED: Required<Limits> = { memoryBytes: 64 << 20, cpus: 0.5, pids: 99 }
/** The content of a scope's files when the tried limits are in force. */
const EXPECTED = {
  memoryBytes: `memory.max ${TRIED.memoryBytes}`,
  cpus: `cpu.max ${TRIED.cpus * CPU_PERIOD_US} ${CPU_PERIOD_US}`,
  pids: `pids.max ${TRIED.pids}`,
} as const satisfies Record<keyof Limits, string>
const LOOK =
  'cd "$0$(sed -n s/^0:://p /proc/self/cgroup)" && for f in memory.max cpu.max pids.max; do echo $f $(cat $f); done'
const TRIAL_MS = 5000

/** systemd accepts limits that it cannot set, so the limits in force are read from the group itself. */
async function tryOut(
  [program, ...args]: readonly [string, ...string[]],
  root: string,
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Set<string>> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(TRIAL_MS)])
  try {
    const { stdout } = await runProgram(program, [...args, '/bin/sh', '-c', LOOK, root], { env, cwd: '/' }, limit)
    return new Set(stdout.trim().split('\n'))
  } catch {
    signal.throwIfAborted()
    // No systemd answers this user: there are no scopes.
    return new Set()
  }
}

/** systemd removes a scope with its last process, so an event is recorded when it comes. */
function scope(root: string, launcher: Required<ControlGroup>['launcher']): ControlGroup {
  let wasOutOfMemory = false
  const watching = new AbortController()
  return {
    launcher,
    add: async (pid) => {
      const [, path] = /^0::(.*)$/m.exec(await readFile(`/proc/${pid}/cgroup`, 'utf8')) ?? []
      const file = join(root, path ?? '/', 'memory.events')
      if (!(await isThere(file))) return
      const note = async () => {
        wasOutOfMemory ||= await hadOutOfMemory(file)
      }
      watch(file, { signal: watching.signal }, () => void note()).on('error', () => undefined)
    },
    wasOutOfMemory: async () => wasOutOfMemory,
    remove: async () => watching.abort(),
  }
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
