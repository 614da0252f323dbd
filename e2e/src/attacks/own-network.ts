import { type ExecFileOptions, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { TestContext } from 'vitest'

const ENTER = fileURLToPath(new URL('enter-network.ts', import.meta.url))
const NOBODY = { uid: 65_534, gid: 65_534 }

/** A network with loopback and one more address of the machine, where other users can be too. */
export interface OwnNetwork extends AsyncDisposable {
  address: string
  /** The arguments with which Node runs a program there. */
  inside: (program: readonly string[]) => string[]
  /** The output of a few lines of JavaScript there, run by another user. Undefined when they throw. */
  asNobody: (script: string, ...args: string[]) => Promise<string | undefined>
}

export async function openOwnNetwork(context: TestContext): Promise<OwnNetwork> {
  if (process.getuid?.() !== 0) context.skip('becoming another user needs root')
  const address = '10.99.0.9'
  const setUp = `ip link set lo up && ip address add ${address} dev lo && echo ready && exec cat`
  // It ends with the pipe, however this process ends.
  const holder = spawn('unshare', ['--net', '--', 'sh', '-c', setUp], { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = once(holder, 'exit')
  await Promise.race([once(holder.stdout, 'data'), ended])
  if (holder.exitCode !== null) context.skip('network namespaces cannot be made here')
  const inside = (program: readonly string[]) => [ENTER, String(holder.pid), ...program]
  return {
    address,
    inside,
    async asNobody(script, ...args) {
      const become = `process.setgroups([]); process.setgid(${NOBODY.gid}); process.setuid(${NOBODY.uid})\n`
      const program = inside(['--input-type=module', '-e', `${become}${script}`, ...args])
      const options: ExecFileOptions = { cwd: '/', env: { PATH: process.env['PATH'] } }
      const run = promisify(execFile)(process.execPath, program, options)
      return run.then(
        ({ stdout }) => String(stdout),
        () => undefined,
      )
    },
    async [Symbol.asyncDispose]() {
      holder.stdin.end()
      await ended
    },
  }
}
