import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, open, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

export interface ShellResult {
  code: number | null
  /** Its output, both streams in order of arrival. */
  output: string
}

export interface Shell extends AsyncDisposable {
  /** Runs the lines to their end. What they leave in the background continues until the shell is closed. */
  run: (command: string) => Promise<ShellResult>
}

const PATIENCE_MS = 240_000
const GRACE_MS = 2_000

export function openShell(options: { cwd: string; env: Readonly<Record<string, string>> }): Shell {
  const groups: number[] = []
  return {
    run: async (command) => {
      const folder = await mkdtemp(join(tmpdir(), 'thv-shell-'))
      // A file, not a pipe: a program in the background would keep a pipe open.
      const file = join(folder, 'output')
      const output = await open(file, 'a')
      try {
        const child = spawn('bash', ['-e', '-o', 'pipefail', '-c', command], {
          ...options,
          detached: true,
          stdio: ['ignore', output.fd, output.fd],
        })
        if (child.pid !== undefined) groups.push(child.pid)
        const patience = setTimeout(() => signal(child.pid, 'SIGKILL'), PATIENCE_MS)
        await once(child, 'exit')
        clearTimeout(patience)
        return { code: child.exitCode, output: await readFile(file, 'utf8') }
      } finally {
        await output.close()
        await rm(folder, { recursive: true, force: true })
      }
    },
    async [Symbol.asyncDispose]() {
      const left = groups.filter((group) => signal(group, 'SIGTERM'))
      const deadline = AbortSignal.timeout(GRACE_MS)
      while (left.some((group) => signal(group, 0)) && !deadline.aborted) await delay(25)
      for (const group of left) signal(group, 'SIGKILL')
    },
  }
}

/** Returns whether the given shell's group still had a process to receive it. */
function signal(group: number | undefined, name: NodeJS.Signals | 0): boolean {
  if (group === undefined) return false
  try {
    return process.kill(-group, name)
  } catch {
    return false // all have ended
  }
}
