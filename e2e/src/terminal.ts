import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import type { Home } from './home.ts'

const THV = fileURLToPath(new URL('../../apps/cli/dist/thv.mjs', import.meta.url))

/** Once the screen says this, these keys are pressed. */
export type Step = readonly [says: string, keys: string]

export const KEYS = { enter: '\r', down: '\u001B[B', space: ' ', interrupt: '\u0003', endOfInput: '\u0004' } as const

/** Runs `thv` at a pseudo-terminal, pressing keys as a person would; gives what the screen said, without its colours. */
export async function atTerminal(
  home: Home,
  args: readonly string[],
  steps: readonly Step[],
): Promise<{ code: number | null; screen: string }> {
  const command = [process.execPath, THV, ...args].map((word) => `'${word}'`).join(' ')
  return typeInto(home, command, steps)
}

/** The same with another program. */
export async function typeInto(
  home: Home,
  command: string,
  steps: readonly Step[],
  extra: Readonly<Record<string, string>> = {},
): Promise<{ code: number | null; screen: string }> {
  const env = { ...home.env, TERM: 'xterm-256color', ...extra }
  const child = spawn('script', ['-q', '-e', '-c', `stty rows 50 cols 200; exec ${command}`, '/dev/null'], {
    env,
    cwd: home.dir,
    stdio: 'pipe',
  })
  const left = [...steps]
  let screen = ''
  let seen = 0
  child.stdout.on('data', (chunk: Buffer) => {
    screen += stripVTControlCharacters(chunk.toString())
    const [next] = left
    const at = next ? screen.indexOf(next[0], seen) : -1
    if (!next || at === -1) return
    seen = at + next[0].length
    left.shift()
    child.stdin.write(next[1])
  })
  const patience = setTimeout(() => child.kill('SIGKILL'), 60_000)
  await once(child, 'close')
  clearTimeout(patience)
  if (left.length > 0) throw new Error(`the screen never said "${left[0]?.[0]}": ${screen}`)
  return { code: child.exitCode, screen }
}
