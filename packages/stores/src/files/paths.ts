import { isAbsolute, join } from 'node:path'
import { unavailable } from '@toolhaven/core/errors'

export interface PathSources {
  env: Readonly<Record<string, string | undefined>>
  homeDir: string
  platform: NodeJS.Platform
  /** The place of the socket folder if the path of every better place is too long. */
  tmpDir: string
  uid: number
}

export interface ToolhavenPaths {
  configDir: string
  stateDir: string
  dataDir: string
  cacheDir: string
  runtimeDir: string
  configFile: string
  workloadsDir: string
  groupsDir: string
  logsDir: string
  journalFile: string
  daemonLogFile: string
  socketPath: string
}

/** The places of all files: from the XDG variables, otherwise the platform's defaults. Accesses no file. */
export function toolhavenPaths(sources: PathSources): ToolhavenPaths {
  const { homeDir, platform } = sources
  const library = join(homeDir, 'Library', 'Application Support')
  const mac = platform === 'darwin'
  const stateDir = stateDirOf(sources)
  const defaultStateDir = stateDirOf({ ...sources, env: {} })
  const configDir = below(sources, 'XDG_CONFIG_HOME', mac ? library : join(homeDir, '.config'))
  const socket = chooseSocket(sources, stateDir, stateDir === defaultStateDir)
  return {
    configDir,
    stateDir,
    dataDir: below(sources, 'XDG_DATA_HOME', mac ? library : join(homeDir, '.local', 'share')),
    cacheDir: below(sources, 'XDG_CACHE_HOME', mac ? join(homeDir, 'Library', 'Caches') : join(homeDir, '.cache')),
    runtimeDir: socket.dir,
    configFile: join(configDir, 'config.yaml'),
    workloadsDir: join(stateDir, 'workloads'),
    groupsDir: join(stateDir, 'groups'),
    logsDir: join(stateDir, 'logs'),
    journalFile: join(stateDir, 'journal.ndjson'),
    daemonLogFile: join(stateDir, 'daemon.log'),
    socketPath: socket.path,
  }
}

/** The lock's folder, which is all that is needed to find a running daemon. */
export function stateDirOf(sources: PathSources): string {
  const { homeDir, platform } = sources
  const fallback =
    platform === 'darwin' ? join(homeDir, 'Library', 'Application Support') : join(homeDir, '.local', 'state')
  return below(sources, 'XDG_STATE_HOME', fallback)
}

function below(sources: PathSources, variable: string, fallback: string): string {
  return join(absolute(sources.env[variable]) ?? fallback, 'toolhaven')
}

/** The XDG specification: a relative path in one of its variables is to be ignored. */
function absolute(value: string | undefined): string | undefined {
  return value !== undefined && isAbsolute(value) ? value : undefined
}

/**
 * The kernel's field for a socket address holds 108 bytes on Linux and 104 on macOS, with the closing NUL; Node cuts a
 * longer path silently, so the daemon would listen somewhere else than where clients look.
 */
function chooseSocket(sources: PathSources, stateDir: string, isDefault: boolean): { dir: string; path: string } {
  // Two state folders may share one runtime folder; each has its own daemon, so each has its own socket.
  const file = isDefault ? 'thv.sock' : `thv-${tagOf(stateDir)}.sock`
  const runtime = absolute(sources.env['XDG_RUNTIME_DIR'])
  const dirs = [
    ...(runtime === undefined ? [] : [join(runtime, 'toolhaven')]),
    join(stateDir, 'run'),
    join(sources.tmpDir, `toolhaven-${sources.uid}`),
    join('/tmp', `toolhaven-${sources.uid}`),
  ]
  const limit = sources.platform === 'darwin' ? 103 : 107
  for (const dir of dirs) {
    const path = join(dir, file)
    if (Buffer.byteLength(path) <= limit) return { dir, path }
  }
  throw unavailable(
    `no folder has a path short enough for the daemon's socket (${limit} bytes): set XDG_RUNTIME_DIR to a shorter one`,
  )
}

/** Loaded on demand, because node:crypto takes a large part of a command's start. */
function tagOf(text: string): string {
  const { createHash } = process.getBuiltinModule('node:crypto')
  return createHash('sha256').update(text).digest('hex').slice(0, 8)
}
