import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describeError, unavailable } from '@toolhaven/core/errors'
import type { ToolhavenPaths } from '@toolhaven/stores/files/paths'
import { loginsDir } from '@toolhaven/stores/logins/login-store'
import { removeCopies } from '@toolhaven/stores/clients/remove-copies'
import { createOsKeyring } from '@toolhaven/stores/secrets/keyring'
import { forgetPassword } from '../commands/secret/forget-password.ts'
import { type DaemonClient, createDaemonClient } from '../connect/daemon-client.ts'
import { findRunningDaemon, pathsOf } from '../connect/find-daemon.ts'
import { startInBackground } from '../connect/start-in-background.ts'
import type { Context } from '../context.ts'
import { recallEngine } from '../daemon/remembered-engine.ts'
import { waitForOutcome } from '../output/wait-for-outcome.ts'
import { endDaemon } from './end-daemon.ts'
import { removeFolder } from './remove-folder.ts'
import { removeImages } from './remove-images.ts'
import { homeDirOf } from '../home-dir.ts'

export interface Purged {
  removed: string[]
  /** Each entry includes the reason. */
  kept: string[]
}

const PATIENCE_MS = 120_000

/**
 * Removes everything that Toolhaven has created on this machine for this user. Steps that need the daemon come first. If
 * one of them fails, no settings are deleted, so that the user can try again.
 */
export async function purge(context: Context, uninstall: () => Promise<boolean>): Promise<Purged> {
  const paths = pathsOf(context.env)
  const result: Purged = { removed: [], kept: [] }
  // Without a state folder, no daemon ever ran here.
  if (existsSync(paths.stateDir)) await removeWithDaemon(context, paths, result)
  await removeBuiltImages(context, paths, result)
  if (await uninstall()) result.removed.push('the service')
  await endDaemon(paths.stateDir)
  await removeClientCopies(context, result)
  await forgetKeyring(context, paths, result)
  for (const folder of foldersOf(context, paths)) await removeOwnFolder(folder, result)
  return result
}

async function removeWithDaemon(context: Context, paths: ToolhavenPaths, { removed }: Purged): Promise<void> {
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(PATIENCE_MS)])
  const client = await daemonOf(context, paths)
  // The keys of adopted servers exist only in the secret store, which is removed too.
  const { adoptions } = await client.call('discoverServers', {}, signal)
  for (const { name } of adoptions) {
    await client.call('undoAdoption', { body: { name } }, signal)
    removed.push(`workload ${name}, which its clients run on their own again`)
  }
  const clients = await client.call('listClients', {}, signal)
  const clientNames = clients.map(({ name }) => name)
  if (clientNames.length > 0) await client.call('unregisterClients', { body: { names: clientNames } }, signal)
  removed.push(...clientNames.map((name) => `entries in the settings of ${name}`))
  const { workloads } = await client.call('listWorkloads', { query: { all: true } }, signal)
  const names = workloads.map(({ name }) => name)
  if (names.length === 0) return
  const going = workloads.filter(({ status }) => status !== 'removing').map(({ name }) => name)
  if (going.length > 0) await client.call('deleteWorkloads', { body: { names: going } }, signal)
  try {
    await waitForOutcome({ out: context.out, signal }, client, names, 'delete')
  } catch (error) {
    context.signal.throwIfAborted()
    throw unavailable(
      `not every workload could be removed within ${PATIENCE_MS / 1000} s, so nothing else was removed\n` +
        '"thv list --all" shows which workloads are left and why. Then try again.',
      error,
    )
  }
  removed.push(...names.map((name) => `workload ${name}`))
}

/** A daemon that is started only to clean up takes any port, because the usual one may be in use. */
async function daemonOf({ env, out, signal }: Context, paths: ToolhavenPaths): Promise<DaemonClient> {
  const running = await findRunningDaemon(env)
  if (running) return running
  const socketPath = await startInBackground({ paths, env, say: out.note, args: ['--port', '0'] }, signal)
  return createDaemonClient({ socketPath })
}

async function removeBuiltImages({ signal }: Context, paths: ToolhavenPaths, result: Purged): Promise<void> {
  const engine = await recallEngine(paths.stateDir)
  if (!engine) return
  try {
    const { removed, kept } = await removeImages(engine, signal)
    result.removed.push(...removed)
    result.kept.push(...kept, 'pulled images: other programs may use them')
  } catch (error) {
    signal.throwIfAborted()
    result.kept.push(`built images: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** The client files no longer contain Toolhaven's entries, so the backup copies are not needed. */
async function removeClientCopies({ env }: Context, result: Purged): Promise<void> {
  const { removed, kept } = await removeCopies(homeDirOf(env), process.platform === 'darwin' ? 'darwin' : 'linux')
  result.removed.push(...removed)
  result.kept.push(...kept)
}

async function forgetKeyring({ env, signal }: Context, paths: ToolhavenPaths, result: Purged): Promise<void> {
  const kept = [
    [paths.dataDir, 'the password in the keyring'],
    [loginsDir(paths.stateDir), 'the key of logins in the keyring'],
  ] as const
  for (const [dataDir, what] of kept) {
    try {
      const mayLose = () => Promise.resolve(true)
      const places = { keyring: createOsKeyring({ env }), dataDir }
      if (await forgetPassword(places, { mayLose })) result.removed.push(what)
    } catch {
      // No store or no keyring: then there is no password either.
      signal.throwIfAborted()
    }
  }
}

/** A folder that cannot be removed is reported, and the others are still removed. */
async function removeOwnFolder(folder: string, { removed, kept }: Purged): Promise<void> {
  try {
    if (await removeFolder(folder)) removed.push(folder)
  } catch (error) {
    kept.push(`${folder}: ${describeError(error)}`)
    // The folder may hold secrets, so a script must notice the failure.
    process.exitCode = 1
  }
}

/** On macOS several of these are the same folder. The compile cache is in `~/.cache` on every platform. */
function foldersOf({ env }: Context, paths: ToolhavenPaths): Set<string> {
  const { configDir, dataDir, stateDir, cacheDir, runtimeDir } = paths
  const compiled = join(homeDirOf(env), '.cache', 'toolhaven')
  const folders = [configDir, dataDir, stateDir, cacheDir, compiled, runtimeDir]
  return new Set(folders.filter((folder) => folder.endsWith('/toolhaven')))
}
