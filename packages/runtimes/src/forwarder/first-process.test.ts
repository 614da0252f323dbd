import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest'
import { fileIdentity } from '@toolhaven/core/ports/runtime'
import { isFiltered } from '../engine/verify-filter.ts'
import { seccompFilter } from '../process/seccomp.ts'
import { compileForwarder } from '../../test/support/forwarder.ts'

const run = promisify(execFile)

let folder: string
let forwarder: string
let lack: string | undefined
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'thv-first-'))
  forwarder = join(folder, 'forwarder')
  const filter = seccompFilter(process.arch)
  if (filter === undefined) return void (lack = 'there is no filter for its processor')
  await writeFile(join(folder, 'filter'), filter)
  await compileForwarder(forwarder).catch((error: unknown) => {
    if (!String(error).includes('ENOENT')) throw error
    lack = 'there is no compiler'
  })
})
afterAll(() => rm(folder, { recursive: true }))

/** The command before a program and its arguments. Skips the test where there is no forwarder. */
function first(context: TestContext): string[] {
  if (lack !== undefined) context.skip(`no forwarder on this machine: ${lack}`)
  return ['-s', join(folder, 'filter'), '-p', '--']
}

/** A shell under the forwarder that has said "ready", and how it ends. */
async function startShell(options: readonly string[], script: string) {
  const child = spawn(forwarder, [...options, 'sh', '-c', script], { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = once(child, 'close')
  let said = ''
  const ready = new Promise<void>((resolve) => {
    child.stdout.on('data', (chunk) => {
      said += String(chunk)
      if (said.includes('ready')) resolve()
    })
  })
  await Promise.race([ready, ended])
  return { child, ended, said: () => said }
}

describe('the forwarder as the first process of a container', () => {
  it('limits open files and processes, and never allows more than there was', async (context) => {
    const [, , ...rest] = first(context)
    const limits = ['-l', 'nofile=64:99999999', '-l', 'nproc=77:88']
    const { stdout } = await run(forwarder, [...limits, ...rest, 'sh', '-c', 'ulimit -Sn; cat /proc/self/limits'])
    expect(stdout).toMatch(/^64\n/)
    expect(stdout).toMatch(/^Max processes +77 +88 /m)
    expect(stdout).not.toContain('99999999')
    for (const wrong of ['nofile', 'nofile=1', 'core=1:1', 'nproc=1:1x'])
      await expect(run(forwarder, ['-l', wrong, '--', 'true'])).rejects.toThrow(/-l (takes|knows)/)
  })

  it('is under the same filter as the program', async (context) => {
    const script = 'grep Seccomp_filters /proc/$PPID/status /proc/self/status'
    const { stdout } = await run(forwarder, [...first(context), 'sh', '-c', script])
    const [own, theirs] = [...stdout.matchAll(/Seccomp_filters:\s*(\d+)/g)].map(([, count]) => Number(count))
    expect(own).toBeGreaterThan(0)
    expect(theirs).toBe(own)
  })

  it('ends as the program does', async (context) => {
    const options = first(context)
    await expect(run(forwarder, [...options, 'sh', '-c', 'exit 7'])).rejects.toMatchObject({ code: 7 })
    await expect(run(forwarder, [...options, 'sh', '-c', 'kill -KILL $$'])).rejects.toMatchObject({ code: 137 })
    await expect(run(forwarder, [...options, 'no-such-program'])).rejects.toMatchObject({ code: 127 })
    await expect(run(forwarder, ['-p', '--', 'true'])).rejects.toMatchObject({ code: 2 })
  })

  it.for(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGUSR1'] as const)('passes %s on', async (name, context) => {
    const word = name.slice('SIG'.length)
    const script = `trap 'echo got ${word}; exit 3' ${word}; echo ready; while :; do sleep 0.05; done`
    const { child, ended, said } = await startShell(first(context), script)
    child.kill(name)
    expect(await ended).toEqual([3, null])
    expect(said()).toContain(`got ${word}`)
  })

  it('ends by SIGTERM with a program that does not handle it', async (context) => {
    const { child, ended } = await startShell(first(context), 'echo ready; exec sleep 60')
    child.kill('SIGTERM')
    expect(await ended).toEqual([143, null])
  })

  it('leaves the program its pipes', async (context) => {
    const { child, ended, said } = await startShell(first(context), 'echo ready; cat; exec sleep 60 >&-')
    const outputEnds = once(child.stdout, 'end')
    child.stdin.end('heard')
    await outputEnds
    expect(said()).toContain('heard')
    child.kill('SIGTERM')
    await ended
  })

  it('reaps orphans', async (context) => {
    const options = first(context)
    const script = `(sh -c 'sleep 0.1' &); sleep 1; grep -l '^State:.Z' /proc/[0-9]*/status; echo done`
    const words = ['--pid', '--fork', '--mount-proc', forwarder, ...options, 'sh', '-c', script]
    const { stdout } = await run('unshare', words).catch((error: unknown) =>
      context.skip(`no process namespaces on this machine: ${String(error)}`),
    )
    expect(stdout).toBe('done\n')
  })
})

describe('the look at the filter of a running process', () => {
  it('sees whether ours is in force, and whose program put it there', async (context) => {
    const options = first(context)
    const program = fileIdentity(await stat(forwarder, { bigint: true }))
    const { child, ended } = await startShell(options, 'echo ready; exec sleep 60')
    const pid = child.pid ?? 0
    const seen = [
      await isFiltered(pid, program, 0),
      await isFiltered(pid, 'volume', 0),
      // One of the engine's own would have to be there as well.
      await isFiltered(pid, program, 1),
      await isFiltered(pid, '1:1', 0),
    ]
    child.kill('SIGTERM')
    await ended
    expect(seen).toEqual([true, true, false, false])
    expect(await isFiltered(process.pid, 'volume', 0)).toBe(false)
  })
})
