import { execFile } from 'node:child_process'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Unavailable } from '../testbed/unavailable.ts'

const SOURCE = fileURLToPath(new URL('attack.c', import.meta.url))
const run = promisify(execFile)

/** A folder with the program `attack`, which needs nothing from the machine it runs on. */
export async function buildAttacker(): Promise<{ folder: string } & AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), 'thv-attack-'))
  await run('cc', ['-O2', '-Wall', '-Wextra', '-Werror', '-static', '-o', join(folder, 'attack'), SOURCE]).catch(
    (cause: unknown) => {
      if (!String(cause).includes('ENOENT')) throw cause
      throw new Unavailable('no forwarder on this machine: there is no C compiler (Debian packages gcc, libc6-dev)', {
        cause,
      })
    },
  )
  await chmod(folder, 0o755)
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) }
}

/** What the attacker reported about each attempt. */
export function outcomesOf(said: string): Record<string, string> {
  return Object.fromEntries(
    said
      .trim()
      .split('\n')
      .map((line) => {
        const at = line.lastIndexOf(' ')
        return [line.slice(0, at), line.slice(at + 1)]
      }),
  )
}

/** The same attempts without any sandbox: what is open there shows that the attempts can find a way out. */
export async function attackFromHost(folder: string, tries: readonly string[]): Promise<Record<string, string>> {
  return outcomesOf((await run(join(folder, 'attack'), [...tries])).stdout)
}
