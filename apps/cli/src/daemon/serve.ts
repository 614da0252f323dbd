import { setTimeout as pause } from 'node:timers/promises'
import { describeError, isThvError } from '@toolhaven/core/errors'
import type { Logger } from '@toolhaven/core/ports/logger'
import { type InstanceLock, acquireInstanceLock } from '@toolhaven/stores/files/instance-lock'
import { readChoice } from '@toolhaven/runtimes/discover'
import { openConfigStore } from '@toolhaven/stores/config/config-store'
import { type ToolhavenPaths, toolhavenPaths } from '@toolhaven/stores/files/paths'
import { ensurePrivateFolder } from '@toolhaven/stores/files/private-folder'
import { removeLeftovers } from '@toolhaven/stores/files/remove-leftovers'
import { type DaemonLogFile, createDaemonLog, openDaemonLogFile } from '@toolhaven/stores/logs/daemon-log'
import { VERSION } from '../version.ts'
import { ensurePortIsFree } from './listen.ts'
import { type ApiListening, listenForApi } from './listen-for-api.ts'
import { describeLoss } from './state-loss.ts'
import { endWhenReplaced } from './end-when-replaced.ts'
import { giveBackMemory } from './give-back-memory.ts'
import { boundNewObjects } from './bound-new-objects.ts'
import { leaveRoomForBuffers } from './leave-room-for-buffers.ts'
import type { ServeSettings } from './serve-settings.ts'
import { takeOver } from './take-over.ts'
import { wire } from './wire.ts'

const DEFAULT_PORT = 8080
const DRAIN_MS = 10_000

/** Runs the daemon until it is asked to stop. */
export async function serve(settings: ServeSettings): Promise<void> {
  const say = (line: string) => void process.stdout.write(`${line}\n`)
  // Checked before a working daemon is ended for this one.
  readChoice(settings.env['THV_RUNTIME'])
  const paths = toolhavenPaths(settings)
  await ensurePrivateFolder(paths.stateDir)
  // Created with tight permissions from the start, because secrets and packages are stored in it.
  await ensurePrivateFolder(paths.dataDir)
  const config = await openConfigStore({ file: paths.configFile })
  const port = settings.port ?? config.get().apiPort ?? DEFAULT_PORT
  await using lock = await ownStateFolder({ ...settings, port }, paths, say)
  if (lock === undefined) return
  await removeLeftovers(paths.stateDir, [paths.configDir, paths.dataDir])
  using log = openLog(paths.daemonLogFile, say)
  const logger = createDaemonLog({
    write: (line) => log.write(line),
    level: settings.debug ? 'debug' : 'info',
    form: 'json',
  })
  const stop = stopSignal()

  const parts = await wire({ settings, paths, config, logger, shutdown: stop.signal, lock })
  await using _runtime = parts.runtime
  await using _logs = parts.logs
  await using _sightings = parts.daemon.sightings
  await using _exits = parts.daemon.exits
  await using _toolLocks = parts.daemon.toolLocks
  await using _egress = parts.daemon.egress
  using _hiding = parts.daemon.hiding
  using _folders = parts.daemon.folders
  await parts.daemon.load()
  await parts.apiDeps.console.logins.load()
  const listening = await listenForApi({ settings, port, paths, parts, say, logger }, stop.signal)
  logger.info('the daemon is ready', { version: VERSION, pid: process.pid, lock: lock.token.slice(0, 8) })
  say(await greeting(settings, listening, parts))

  leaveRoomForBuffers()
  using _newObjects = boundNewObjects()
  using _memory = giveBackMemory()
  using _lock = endWhenReplaced(lock, (why) => {
    const loss = describeLoss(why, paths.stateDir)
    say(`${loss[0]?.toUpperCase()}${loss.slice(1)}. Stopping …`)
    // Otherwise, what ends below would be started again.
    stop.abort()
    // Nothing remembers these instances once the folder is gone. Another daemon takes over those it finds.
    const stopped = why === 'gone' ? stopAll(parts) : Promise.resolve()
    // An exit would remove the socket, which is the other daemon's by now.
    void stopped.finally(() => process.kill(process.pid, 'SIGKILL'))
  })
  const running = parts.daemon.run()
  await stop.asked
  say('Stopping …')
  logger.info('the daemon stops')
  stop.abort()
  endAtLatest(logger)
  await Promise.all([parts.daemon.supervisor.idle(), parts.daemon.inspections.idle()])
  await parts.daemon.gateway.shutdown(DRAIN_MS)
  // With the sessions their servers ended; what is left now is the workloads' own.
  await parts.daemon.sessions.idle()
  // Last: calls in flight have finished, and nothing restarts what ends here.
  if (settings.stopWorkloadsOnExit) await stopInstances(parts)
  await listening.close()
  await running.catch(() => undefined)
}

/** A log that cannot be written causes a warning, but does not prevent the start. */
function openLog(file: string, say: (line: string) => void): DaemonLogFile {
  try {
    return openDaemonLogFile(file)
  } catch (error) {
    say(`Warning: the daemon keeps no log: ${describeError(error)}. Correct ${file} and start the daemon again.`)
    return { write: () => {}, [Symbol.dispose]: () => {} }
  }
}

/** Undefined if another daemon owns the folder and keeps it. */
async function ownStateFolder(
  { host, port, onDemand }: Pick<ServeSettings, 'host' | 'onDemand'> & { port: number },
  { stateDir, socketPath }: ToolhavenPaths,
  say: (line: string) => void,
): Promise<InstanceLock | undefined> {
  // A daemon that could not listen must not end one that does.
  const checkPort = (oldPid: number) => ensurePortIsFree(host, port, oldPid)
  for (;;) {
    if (!onDemand) await takeOver(stateDir, checkPort, say)
    try {
      return await acquireInstanceLock({ stateDir, socketPath })
    } catch (error) {
      if (!isThvError(error, 'conflict')) throw error
      // A daemon that the user started takes over from a faster one. A daemon that a command started gives way.
      if (!onDemand) continue
      say(error.message)
      return undefined
    }
  }
}

/** Longer than every step of an orderly end, and shorter than service managers wait before they kill. */
const LAST_RESORT_MS = 60_000

/**
 * Ends the daemon even if something that it waits for never happens. Sandboxed servers end with it, and the next daemon finds the
 * containers.
 */
function endAtLatest(logger: Logger): void {
  const giveUp = () => {
    logger.error('the daemon ends although not everything was closed in time')
    process.exit(1)
  }
  // After an orderly end it must not keep the process alive.
  setTimeout(giveUp, LAST_RESORT_MS).unref()
}

/** The code is included only at a terminal, because it must not end up in a log. */
async function consoleLink({ console }: Parts['apiDeps']): Promise<string> {
  const { logins, address } = console
  const url = address() ?? ''
  if (!logins.isNeeded) return url
  if (!process.stdout.isTTY) return `${url} ("thv ui" opens it)`
  return `${url}#login=${(await logins.makeCode()).code} (for 60 seconds; "thv ui" makes another link)`
}

type Parts = Awaited<ReturnType<typeof wire>>

/** Some supervisors signal the process and its group. Two signals within this time count as one. */
const IMPATIENCE_MS = 1_000

/** The first signal asks for an orderly end. A second one ends the daemon at once. */
function stopSignal() {
  const controller = new AbortController()
  const asked = Promise.withResolvers<void>()
  let askedAt: number | undefined
  const onSignal = () => {
    const now = performance.now()
    if (askedAt !== undefined && now - askedAt > IMPATIENCE_MS) process.exit(1)
    askedAt ??= now
    asked.resolve()
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
  process.on('SIGHUP', onSignal)
  return {
    signal: controller.signal,
    asked: asked.promise,
    abort: () => controller.abort(new Error('the daemon stops')),
  }
}

/** Includes instances that are starting, and the servers of client sessions. */
async function stopAll(parts: Parts): Promise<void> {
  const { supervisor, inspections, sessions, workloads } = parts.daemon
  const idle = Promise.all([supervisor.idle(), inspections.idle()])
  await Promise.race([idle, pause(DRAIN_MS)])
  const names = workloads.book.all().map(({ stored }) => stored.config.name)
  await Promise.allSettled([stopInstances(parts), ...names.map((name) => sessions.endAll(name))])
}

async function stopInstances({ daemon, runtime }: Parts): Promise<void> {
  const handles = daemon.workloads.book.all().flatMap(({ observed }) => observed.handle ?? [])
  await Promise.allSettled(handles.map((handle) => runtime.stop(handle, DRAIN_MS, AbortSignal.timeout(2 * DRAIN_MS))))
}

async function greeting(settings: ServeSettings, { port }: ApiListening, { apiDeps }: Parts): Promise<string> {
  const host = settings.host.includes(':') ? `[${settings.host}]` : settings.host
  const report = await apiDeps.runtimeReport(AbortSignal.timeout(5_000))
  const runtime =
    report.state === 'healthy'
      ? `${report.name}: ${report.sandbox}`
      : `${report.name} does not answer: ${report.reason}`
  const lines = [
    `Toolhaven ${VERSION} is ready`,
    ...(port === undefined
      ? []
      : [
          `  Console   ${await consoleLink(apiDeps)}`,
          `  API       http://${host}:${port}/api/v1beta`,
          `  OpenAPI   http://${host}:${port}/api/openapi.json`,
        ]),
    `  Runtime   ${runtime}`,
    ...report.notes.map((note) => `            ${note}`),
    'Press Ctrl-C to stop.',
  ]
  return lines.join('\n')
}
