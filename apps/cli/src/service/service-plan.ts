import { readFile, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { invalid, unsupported } from '@toolhaven/core/errors'
import { isLoopback } from '../daemon/serve-settings.ts'
import { pathsOf } from '../connect/find-daemon.ts'
import { keptVariables } from './kept-variables.ts'
import { homeDirOf } from '../home-dir.ts'

type Env = Readonly<Record<string, string | undefined>>

/** The flags of `thv serve` that the service starts with. */
export interface ServiceFlags {
  host: string
  port: number | undefined
  stopWorkloadsOnExit: boolean
  allowUnsandboxed: boolean
  debug: boolean
}

/** Everything that a service manager needs to run the daemon as this shell would. */
export interface ServicePlan {
  /** Program and arguments, not escaped. */
  command: readonly string[]
  env: Readonly<Record<string, string>>
  /** Variables that look like secrets, so they are not written to the service file. */
  leftOut: readonly string[]
  /** File with `NAME=value` lines for the user's secrets. It need not exist. */
  secretsFile: string
  /** Where the daemon's output goes if the manager has no journal. */
  outputFile: string
  homeDir: string
}

/** Describes the current process: the same Node, program and folders. */
export async function planService(flags: ServiceFlags, env: Env): Promise<ServicePlan> {
  const [, script = ''] = process.argv
  const program = await realpath(script)
  if (/[/\\]_npx[/\\]/.test(program))
    throw unsupported('this thv runs from the npx cache, which npm may delete. Install it first with "npm install -g".')
  const paths = pathsOf(env)
  const secretsFile = join(paths.configDir, 'service.env')
  if (!isLoopback(flags.host) && !(await hasToken(secretsFile)))
    throw invalid(
      `--host ${flags.host} lets other machines reach the daemon. Write THV_API_TOKEN=… into ${secretsFile} first, or use --host localhost.`,
    )
  const homeDir = homeDirOf(env)
  return {
    // Node reads the file itself, which works with every manager and keeps secrets out of the service file.
    command: [process.execPath, `--env-file-if-exists=${secretsFile}`, program, 'serve', ...spelled(flags)],
    ...keptVariables(env),
    secretsFile,
    outputFile: join(paths.stateDir, 'daemon.out'),
    homeDir,
  }
}

async function hasToken(file: string): Promise<boolean> {
  return /^\s*(?:export\s+)?THV_API_TOKEN\s*=\s*\S/m.test(await readFile(file, 'utf8').catch(() => ''))
}

function spelled({ host, port, stopWorkloadsOnExit, allowUnsandboxed, debug }: ServiceFlags): string[] {
  return [
    ...['--host', host],
    ...(port === undefined ? [] : ['--port', String(port)]),
    ...(stopWorkloadsOnExit ? ['--stop-workloads-on-exit'] : []),
    ...(allowUnsandboxed ? ['--allow-unsandboxed'] : []),
    ...(debug ? ['--debug'] : []),
  ]
}
