import { randomBytes } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { describeError, invalid } from '@toolhaven/core/errors'
import { fileIdentity, type InstanceSpec, type Mount } from '@toolhaven/core/ports/runtime'
import { OPEN_FILES, SHARED_PIDS } from '../default-limits.ts'
import type { IsolationPlaces } from '../isolation/isolation-places.ts'
import type { EngineClient } from './engine-client.ts'
import type { FindForwarderImage } from './forwarder-image.ts'
import type { Forwarding } from './forwarding.ts'
import type { ImageConfig } from './image-config.ts'

/** What runs before the image's own program, as process 1 of the container. */
export interface Guard {
  /** Runs in place of the image's own command, which it then starts. */
  command: { entrypoint: readonly string[]; args: readonly string[] }
  /** Set if it applies our system call filter: the identity of its program, or `IN_VOLUME`. */
  filteredBy?: string
}

/** The label with the same value, on containers whose first process must have the filter. */
export const FILTERED_BY = 'toolhaven-filtered-by'
/** Replaces the identity where the engine's files are on another machine. */
export const IN_VOLUME = 'volume'

export interface GuardDeps {
  client: EngineClient
  isolation: IsolationPlaces
  forwarderImage: FindForwarderImage
  forwarding: Forwarding
  /** Whether the engine itself applies a limit on processes. */
  limitsProcesses: boolean
  image: ImageConfig
}

const BEGINNING = '/.toolhaven'

/**
 * Where our program is mounted inside one container. An image can redirect its own volume anywhere with a link, so it
 * must not know the place. Directly below the root, no folder above it can be a link.
 */
function chooseGuardPlace(): string {
  return `${BEGINNING}-${randomBytes(16).toString('hex')}`
}

export const isGuardPlace = (path: string) => /^\/\.toolhaven-[0-9a-f]{32}$/.test(path)

/** A mount there would replace the program that applies the filter. */
export function refuseGuardPlace({ mounts }: InstanceSpec): void {
  const taken = mounts.find(({ containerPath }) => resolve(containerPath).startsWith(BEGINNING))
  if (taken !== undefined)
    throw invalid(
      `Nothing can be mounted at ${taken.containerPath}, because Toolhaven's own files are there. Choose another path inside the container.`,
    )
}

/** A network namespace does not confine every kind of socket. The filter does. */
export async function filterFromFolder(
  { isolation, image, limitsProcesses }: GuardDeps,
  spec: InstanceSpec,
  signal: AbortSignal,
): Promise<Guard & { mounts: readonly Mount[] }> {
  const place = chooseGuardPlace()
  const { folder, program } = await isolation.forwarder(signal)
  const options = [...filterAt(place), ...mountChecks(spec), ...processLimits(limitsProcesses)]
  const command = guardedCommand(spec, image, { place, options })
  const filteredBy = fileIdentity(await stat(program, { bigint: true }))
  return { command, filteredBy, mounts: [{ hostPath: folder, containerPath: place, readOnly: true }] }
}

/** The same where a volume of the engine contains our program. */
export function filterFromVolume(
  { image, limitsProcesses }: GuardDeps,
  spec: InstanceSpec,
  volume: string,
): Guard & { volumes: readonly { name: string; containerPath: string }[] } {
  const place = chooseGuardPlace()
  const options = [...filterAt(place), ...processLimits(limitsProcesses)]
  const command = guardedCommand(spec, image, { place, options })
  return { command, filteredBy: IN_VOLUME, volumes: [{ name: volume, containerPath: place }] }
}

const filterAt = (place: string) => ['-s', `${place}/filter`]

/** Podman 4.3 accepts the limits of the create call and applies none of them. */
function processLimits(limitsProcesses: boolean): string[] {
  const files = `nofile=${OPEN_FILES.soft}:${OPEN_FILES.hard}`
  return ['-l', files, ...(limitsProcesses ? [] : ['-l', `nproc=${SHARED_PIDS}:${SHARED_PIDS}`])]
}

/**
 * An engine mounts by path, and by then the path may mean something else. What was mounted can be seen only inside, and
 * only before the image's own program runs. If the engine's files are on another machine, identities say nothing.
 */
export async function mountGuard(
  { isolation, forwarding, image, limitsProcesses }: GuardDeps,
  spec: InstanceSpec,
  signal: AbortSignal,
): Promise<(Guard & { mounts: readonly Mount[] }) | undefined> {
  const checks = mountChecks(spec)
  const isNeeded = checks.length > 0 || !limitsProcesses
  if (!isNeeded || !('form' in forwarding) || forwarding.form !== 'folders') return undefined
  const found = await isolation.forwarder(signal).catch((error: unknown) => {
    if (checks.length === 0) return undefined
    throw invalid(`The mounts of ${spec.name} cannot be checked inside its container: ${describeError(error)}`, error)
  })
  if (found === undefined) return undefined
  const place = chooseGuardPlace()
  const command = guardedCommand(spec, image, { place, options: [...checks, ...processLimits(limitsProcesses)] })
  return { command, mounts: [{ hostPath: found.folder, containerPath: place, readOnly: true }] }
}

function mountChecks({ mounts }: InstanceSpec): string[] {
  const places = mounts.map(({ containerPath }) => resolve(containerPath))
  return mounts.flatMap(({ identity, containerPath }) =>
    identity === undefined ? [] : ['-m', `${identity}=${withOuter(resolve(containerPath), places)}`],
  )
}

/**
 * Engines follow links when they look for the place of a mount. Links of the image are harmless. One in another mount
 * may have been put there by another workload just now, so `//` separates the part of the path that is in the outermost
 * mount.
 */
function withOuter(path: string, places: readonly string[]): string {
  const [outermost] = places.filter((place) => path.startsWith(`${place}/`)).toSorted((a, b) => a.length - b.length)
  return outermost === undefined ? path : `${outermost}/${path.slice(outermost.length)}`
}

function guardedCommand(
  { name, args }: InstanceSpec,
  { command }: ImageConfig,
  { place, options }: { place: string; options: readonly string[] },
): Guard['command'] {
  const own = [...command.entrypoint, ...(args.length > 0 ? args : command.args)]
  if (own.length === 0) throw invalid(`The image of ${name} names no program to run. Give it arguments.`)
  return { entrypoint: [`${place}/forwarder`, ...options, '-p', '--'], args: own }
}
