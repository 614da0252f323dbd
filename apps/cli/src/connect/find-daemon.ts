import { tmpdir } from 'node:os'
import { invalid, unavailable } from '@toolhaven/core/errors'
import { readLock } from '@toolhaven/stores/files/lock-file'
import { type PathSources, type ToolhavenPaths, stateDirOf, toolhavenPaths } from '@toolhaven/stores/files/paths'
import { type DaemonClient, createDaemonClient } from './daemon-client.ts'
import type { DaemonAddress } from './exchange.ts'
import { homeDirOf } from '../home-dir.ts'
import { refuseSuspended } from './refuse-suspended.ts'

type Env = Readonly<Record<string, string | undefined>>

/**
 * The daemon that THV_HOST names, otherwise the one of this user's state folder, which is started in the background if none runs.
 */
export async function findDaemon(env: Env, say: (line: string) => void, signal: AbortSignal): Promise<DaemonClient> {
  const start = async (until: AbortSignal) => {
    const { startInBackground } = await import('./start-in-background.ts')
    return startInBackground({ paths: pathsOf(env), env, say }, until)
  }
  const running = await findRunningDaemon(env, start)
  return running ?? createDaemonClient({ socketPath: await start(signal), whenNobodyListens: start })
}

/** The same, but starts no daemon. `whenNobodyListens` returns the socket to use if the daemon does not listen. */
export async function findRunningDaemon(
  env: Env,
  whenNobodyListens: (signal: AbortSignal) => Promise<string> = (signal) => comingUp(env, signal),
): Promise<DaemonClient | undefined> {
  if (env['THV_HOST']) return createDaemonClient(addressOf(env['THV_HOST'], env['THV_API_TOKEN']))
  const lock = await readLock(ownStateDir(env))
  if (!lock?.alive) return undefined
  await refuseSuspended(lock.holder)
  return createDaemonClient({ socketPath: lock.holder.socketPath, whenNobodyListens })
}

async function comingUp(env: Env, signal: AbortSignal): Promise<string> {
  const { COMING_UP_MS, answeringDaemon } = await import('./wait-for-daemon.ts')
  const limit = AbortSignal.any([signal, AbortSignal.timeout(COMING_UP_MS)])
  const found = await answeringDaemon(ownStateDir(env), limit)
  if (found === undefined) throw unavailable('the daemon has just ended; start it with "thv serve"')
  return found.socketPath
}

/** The other paths take a hash, for which all of node:crypto is loaded. */
export const ownStateDir = (env: Env) => stateDirOf(sourcesOf(env))

export function pathsOf(env: Env): ToolhavenPaths {
  return toolhavenPaths(sourcesOf(env))
}

function sourcesOf(env: Env): PathSources {
  const homeDir = homeDirOf(env)
  return { env, homeDir, platform: process.platform, tmpDir: tmpdir(), uid: process.getuid?.() ?? 0 }
}

function addressOf(text: string, token: string | undefined): DaemonAddress {
  if (text.startsWith('unix:///')) return { socketPath: text.slice('unix://'.length) }
  const url = URL.parse(text.includes('://') ? text : `http://${text}`)
  if (!url || url.protocol !== 'http:')
    throw invalid('THV_HOST must be host:port, http://host:port or unix:///path/of/socket')
  // It is sent unchanged in a header.
  if (token !== undefined && /[^\u0021-\u007E]/.test(token))
    throw invalid('THV_API_TOKEN contains a space or a non-ASCII character\nSet it again.')
  return { host: url.hostname.replaceAll(/[[\]]/g, ''), port: portOf(text, url), ...(token && { token }) }
}

/** A URL drops port 80, even if it was written. */
function portOf(text: string, { port }: URL): number {
  if (port !== '') return Number(port)
  return /:0*80\/?$/.test(text) ? 80 : 8080
}
