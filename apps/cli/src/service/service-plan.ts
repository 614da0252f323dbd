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

/** What a service manager must know to run the daemon as it would run from this shell. */
export interface ServicePlan {
  /** Program and arguments, nothing escaped. */
  command: readonly string[]
  env: Readonly<Record<string, string>>
  /** Variables that look like secrets: they are not written down. */
  leftOut: readonly string[]
  /** `NAME=value` lines the user may keep secrets in; it need not exist. */
  secretsFile: string
  /** Where the daemon's own output goes if the manager has no journal. */
  outputFile: string
  homeDir: string
}

/** Made from this very call: the same Node, the same program, the same folders. */
export async function planService(flags: ServiceFlags, env: Env): Promise<ServicePlan> {
  const [, script = ''] = process.argv
  const program = await realpath(script)
  if (/[/\\]_npx[/\\]/.test(program))
    throw unsupported(
      'this thv lies in the cache of npx and may be gone tomorrow; install it first with "npm install -g"',
    )
  const paths = pathsOf(env)
  const secretsFile = join(paths.configDir, 'service.env')
  if (!isLoopback(flags.host) && !(await hasToken(secretsFile)))
    throw invalid(
      `--host ${flags.host} can be reached by others: write THV_API_TOKEN=… into ${secretsFile} first, or use --host localhost`,
    )
  const homeDir = homeDirOf(env)
  return {
    // Node reads the file itself: it works with every manager, and no secret stands in a unit.
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
