import { mkdir, symlink } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startDaemon } from '../daemon-process.ts'
import { type Home, makeHome } from '../home.ts'
import { withoutProgress } from '../without-progress.ts'
import { matchOutput } from './match-output.ts'
import type { Page, Step } from './parse-page.ts'
import { type ShellResult, openShell } from './shell.ts'

const THV = fileURLToPath(new URL('../../../apps/cli/dist/thv.mjs', import.meta.url))

/** As pages show it: the folder of their reader. */
const READER_HOME = '/home/you'
const READER_PORT = 8080

/** Only the home folder says where things are, as on a reader's machine. */
const NO_XDG = { XDG_STATE_HOME: '', XDG_DATA_HOME: '', XDG_CONFIG_HOME: '', XDG_CACHE_HOME: '' }

/** Replaces the machine of a reader. Default: the process runtime. */
export type MakeHome = (env: Readonly<Record<string, string>>) => Promise<Home>
const processHome: MakeHome = (env) => makeHome({ env: { THV_RUNTIME: 'process', ...env } })

export interface RunOptions {
  makeHome?: MakeHome
  /** Where the page's path begins, for messages. */
  folder?: string
  /** Called for each step once it has run. */
  onStep?: (step: Step, result: ShellResult) => void
}

/** Runs the steps of a page in order, in a home with its own daemon. Fails at the first difference. */
export async function runPage(path: string, page: Page, options: RunOptions = {}): Promise<void> {
  await using home = await (options.makeHome ?? processHome)(NO_XDG)
  await using daemon = await startDaemon(home)
  const env = { ...home.env, PATH: await withThv(home) }
  const folder = join(home.env['HOME'] ?? home.dir, 'project')
  await mkdir(folder)
  await using shell = openShell({ cwd: folder, env })
  for (const step of page.steps) {
    const printed = await shell.run(toHere(step.command, daemon.port))
    const result = { ...printed, output: toReader(printed.output, home, daemon.port) }
    options.onStep?.(step, result)
    const fault = faultOf(step, result)
    if (fault) throw new Error(`${options.folder ?? 'apps/website/docs/toolhaven/'}${path}:${fault}`)
  }
}

async function withThv(home: Home): Promise<string> {
  const bin = join(home.dir, 'bin')
  await mkdir(bin)
  await symlink(THV, join(bin, 'thv'))
  return [bin, home.env['PATH']].join(delimiter)
}

/** Pages name the default port of a daemon. A test's daemon has another one. */
const toHere = (command: string, port: number) =>
  command
    .replaceAll(`localhost:${READER_PORT}`, `localhost:${port}`)
    .replaceAll(`127.0.0.1:${READER_PORT}`, `127.0.0.1:${port}`)

const toReader = (output: string, home: Home, port: number) =>
  withoutProgress(output)
    .replaceAll(home.env['HOME'] ?? home.dir, READER_HOME)
    .replaceAll(`localhost:${port}`, `localhost:${READER_PORT}`)
    .replaceAll(`127.0.0.1:${port}`, `127.0.0.1:${READER_PORT}`)

function faultOf(step: Step, { code, output }: ShellResult): string | undefined {
  const said = `$ ${step.command}\n${output}`
  if (code !== step.exit) return `${step.line}: expected exit code ${step.exit}, got ${code}\n${said}`
  const mismatch = step.output && matchOutput(step.output.text, output)
  if (!step.output || !mismatch) return undefined
  const line = step.output.line + 1 + mismatch.at
  return `${line}: expected: ${mismatch.expected}\n  got: ${mismatch.got}\n${said}`
}
