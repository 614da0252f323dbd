import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import path from 'node:path'
import { createInterface } from 'node:readline'
import type { Interruption } from './interruption.ts'
import { markProcess } from './mark.ts'
import type { Scratch } from './scratch.ts'
import type { Stage } from './stages.ts'

const root = path.resolve(import.meta.dirname, '../..')

export interface VitestRun {
  stage: Stage
  full: boolean
  /** Parts of file names, as vitest takes them; none: every file of the stage. */
  filters: readonly string[]
  summaryFile: string
  scratch: Scratch
  /** Puts the stage's name before each line: several stages write at once. */
  prefixed: boolean
  interruption: Interruption
}

/** Runs one stage to its end and gives vitest's exit code, or the reason why it has none. */
export function runVitest(run: VitestRun): Promise<number | string> {
  const { stage, full, filters, summaryFile, scratch, prefixed, interruption } = run
  const args = [
    path.join(root, 'node_modules/vitest/vitest.mjs'),
    'run',
    ...(stage.projects ?? [stage.name]).map((project) => `--project=${project}`),
    ...['--reporter=default', '--reporter=./tools/test-run/summary-reporter.ts'],
    ...(filters.length > 0 ? ['--passWithNoTests', ...filters] : []),
  ]
  const env = {
    ...process.env,
    TMPDIR: scratch.folder,
    // Programs that ask Node to keep compiled code would keep it in the temporary folder.
    NODE_COMPILE_CACHE: path.join(path.dirname(summaryFile), 'compiled'),
    THV_TEST_SUMMARY: summaryFile,
    THV_TEST_ROTATION: process.env['THV_TEST_ROTATION'] ?? commitNumber(),
    ...(full ? { THV_TEST_FULL: '1' } : {}),
    ...(stage.usesProgram ? { THV_TEST_BUILT: '1' } : {}),
  }
  // A process group of its own, so that what hangs can be ended with everything it started.
  const stdio = prefixed ? (['ignore', 'pipe', 'pipe'] as const) : (['ignore', 'inherit', 'inherit'] as const)
  const [program = '', ...rest] = [...(stage.ownNetwork ? enterOwnNetwork() : []), process.execPath, ...args]
  const child = spawn(program, rest, { cwd: root, env, stdio: [...stdio], detached: true })
  if (child.pid !== undefined && scratch.mark !== undefined) markProcess(child.pid, scratch.mark)
  if (prefixed) printPrefixed(stage.name, child)
  const { promise, resolve } = Promise.withResolvers<number | string>()
  let reason: string | undefined
  const end = (why: string) => {
    reason ??= why
    signalGroup(child, 'SIGTERM')
    timers.push(setTimeout(() => signalGroup(child, 'SIGKILL'), KILL_AFTER_MS))
  }
  const timers: NodeJS.Timeout[] = []
  if (!full)
    timers.push(setTimeout(() => end(`took longer than ${stage.limitMinutes} minutes`), stage.limitMinutes * 60_000))
  const interrupt = () => end('was interrupted')
  const kill = () => signalGroup(child, 'SIGKILL')
  interruption.asked.addEventListener('abort', interrupt)
  interruption.insisted.addEventListener('abort', kill)
  child.on('error', (error) => resolve(error.message))
  // Not 'close', because a process that a test left running may keep the output open.
  child.on('exit', (code, name) => {
    for (const timer of timers) clearTimeout(timer)
    interruption.asked.removeEventListener('abort', interrupt)
    interruption.insisted.removeEventListener('abort', kill)
    setTimeout(() => {
      for (const stream of [child.stdout, child.stderr]) stream?.destroy()
      resolve(reason === undefined ? (code ?? `signal ${name}`) : `${reason} (${name ?? code})`)
    }, DRAIN_MS)
  })
  return promise
}

/** How long a stopped stage may take to clean up. */
const KILL_AFTER_MS = 30_000
/** The last lines of the output arrive after the process has ended. */
const DRAIN_MS = 300

function signalGroup({ pid }: ChildProcess, name: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, name)
  } catch {
    // The whole group has ended.
  }
}

/** The command prefix that runs a program in a network with only a loopback; empty if this machine does not allow it. */
function enterOwnNetwork(): string[] {
  const asRoot = process.getuid?.() === 0 ? [] : ['--map-root-user']
  const enter = ['unshare', '--net', ...asRoot, '--', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh']
  const [program = '', ...args] = enter
  return spawnSync(program, [...args, 'true']).status === 0 ? enter : []
}

function printPrefixed(name: string, { stdout, stderr }: ChildProcess): void {
  for (const stream of [stdout, stderr]) {
    if (stream) createInterface({ input: stream }).on('line', (line) => console.log(`${name.padEnd(6)} | ${line}`))
  }
}

/** Changes with every commit, and is the same for everybody who tests that commit. */
function commitNumber(): string {
  // A shallow clone does not know how many commits there are, so the commit's own name has to do.
  if (git('rev-parse', '--is-shallow-repository') === 'true')
    return String(parseInt(git('rev-parse', 'HEAD').slice(0, 8), 16))
  return git('rev-list', '--count', 'HEAD') || '0'
}

function git(...args: string[]): string {
  return spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout?.trim() ?? ''
}
