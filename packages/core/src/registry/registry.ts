import type { ImageServer, RemoteServer } from '@toolhaven/contract/registry-document'
import type { RegistryDetails, RegistryInfo } from '@toolhaven/contract/registry'
import { describeError, invalid, isThvError, notFound } from '../errors.ts'
import type { Announce } from '../event-bus.ts'
import { parseUrl } from '../net/parse-url.ts'
import type { Logger } from '../ports/logger.ts'
import type { RegistryContent, RegistryLocation, RegistrySource } from '../ports/registry-source.ts'
import type { ConfigStore, Journal } from '../ports/stores.ts'
import { compareNames } from '../workloads/running/book.ts'

export interface RegistryDeps {
  source: RegistrySource
  config: ConfigStore
  journal: Journal
  logger: Logger
  announce: Announce
}

export const REGISTRY_NAME = 'default'

interface SourceRequest {
  url?: string | undefined
  local_path?: string | undefined
  allow_private_ip?: boolean | undefined
}

export async function registryInfo(deps: RegistryDeps, signal: AbortSignal): Promise<RegistryInfo> {
  const location = currentLocation(deps)
  return infoOf(location, await currentDocument(deps, signal))
}

export async function registryDetails(deps: RegistryDeps, name: string, signal: AbortSignal): Promise<RegistryDetails> {
  checkName(name)
  const document = await currentDocument(deps, signal)
  const { version, last_updated, servers, remote_servers = {} } = document
  return { ...infoOf(currentLocation(deps), document), registry: { version, last_updated, servers, remote_servers } }
}

export async function listServers(deps: RegistryDeps, name: string, signal: AbortSignal) {
  checkName(name)
  const { servers, remote_servers = {} } = await currentDocument(deps, signal)
  return { servers: sorted(servers), remote_servers: sorted(remote_servers) }
}

export async function getServer(deps: RegistryDeps, name: string, serverName: string, signal: AbortSignal) {
  checkName(name)
  const found = await findServer(deps, serverName, signal)
  if (!found) throw notFound(`server ${serverName} not found in the registry ${name}`)
  return 'url' in found.server
    ? { is_remote: true, remote_server: found.server }
    : { is_remote: false, server: found.server }
}

/** Undefined if the registry has no such server. Throws for a server that it has but that cannot run here. */
export async function findServer(deps: RegistryDeps, name: string, signal: AbortSignal) {
  const { servers, remote_servers = {}, leftOut = [] } = await currentDocument(deps, signal)
  const server: ImageServer | RemoteServer | undefined = Object.hasOwn(servers, name)
    ? servers[name]
    : Object.hasOwn(remote_servers, name)
      ? remote_servers[name]
      : undefined
  if (server) return { name, server: { ...server, name } }
  const missing = leftOut.find((each) => each.name === name)
  if (missing) throw notFound(`the registry has ${name}, but Toolhaven cannot run it: ${missing.reason}`)
  return undefined
}

/** Reads and checks the new source first. If it is invalid, the old one stays in force. */
export async function updateRegistry(deps: RegistryDeps, name: string, request: SourceRequest, signal: AbortSignal) {
  checkName(name)
  const location = requestedLocation(request)
  const content = await readNow(deps, location, signal)
  await deps.config.update((config) => ({ ...config, registry: settingOf(location) }))
  deps.announce({ about: 'registry', name: REGISTRY_NAME })
  await deps.journal.append({ actor: 'api', action: 'update-registry', target: name, detail: { type: location.type } })
  const from = location.type === 'default' ? 'the built-in one' : `read from ${sourceOf(location)}`
  return { message: `the registry is now ${from}${whatWasRead(content)}`, type: location.type }
}

/** Reads a source. Changes nothing. */
export async function testRegistry(
  deps: RegistryDeps,
  name: string,
  request: SourceRequest,
  signal: AbortSignal,
): Promise<RegistryInfo> {
  checkName(name)
  const location = requestedLocation(request)
  return infoOf(location, await readNow(deps, location, signal))
}

/** Reads the source in use again, whatever its age. */
export async function refreshRegistry(deps: RegistryDeps, name: string, signal: AbortSignal): Promise<RegistryInfo> {
  checkName(name)
  const location = currentLocation(deps)
  const document = await readNow(deps, location, signal)
  deps.announce({ about: 'registry', name: REGISTRY_NAME })
  return infoOf(location, document)
}

/** A user who names another organisation's registry should learn how much of it works. */
function whatWasRead({ leftOut, ...document }: RegistryContent): string {
  if (leftOut === undefined) return ''
  const rest = leftOut.length === 0 ? '' : `, not listed because they cannot run here: ${leftOut.length}`
  return `, an MCP registry; servers: ${serverCount(document)}${rest}`
}

function readNow(deps: RegistryDeps, location: RegistryLocation, signal: AbortSignal): Promise<RegistryContent> {
  return deps.source.read(location, signal, { refresh: true }).catch((error: unknown) => {
    // The caller chose the address, so a mistake in it is the caller's.
    throw isThvError(error, 'unavailable') ? invalid(error.message, error) : error
  })
}

export function refuseRegistryDeletion(name: string): never {
  checkName(name)
  throw invalid('the registry default cannot be deleted; PUT {} resets it to the built-in one')
}

/** If the source cannot be read now, uses the last valid copy. */
async function currentDocument(deps: RegistryDeps, signal: AbortSignal): Promise<RegistryContent> {
  const location = currentLocation(deps)
  try {
    return await deps.source.read(location, signal)
  } catch (error) {
    const lastGood = await deps.source.lastGood(location)
    if (!lastGood) throw error
    deps.logger.warn('the registry cannot be read; using its last valid copy', { reason: describeError(error) })
    return lastGood
  }
}

function currentLocation(deps: RegistryDeps): RegistryLocation {
  const { url, localPath, allowPrivateIp } = deps.config.get().registry
  if (url !== undefined) return { type: 'url', url, allowPrivateIp: allowPrivateIp ?? false }
  return localPath === undefined ? { type: 'default' } : { type: 'file', path: localPath }
}

function requestedLocation(request: SourceRequest): RegistryLocation {
  if (request.url !== undefined && parseUrl(request.url) === undefined)
    throw invalid('url must be an http or https address without spaces or line breaks')
  if (request.url !== undefined)
    return { type: 'url', url: request.url, allowPrivateIp: request.allow_private_ip ?? false }
  return request.local_path === undefined ? { type: 'default' } : { type: 'file', path: request.local_path }
}

function settingOf(location: RegistryLocation) {
  if (location.type === 'url') return { url: location.url, allowPrivateIp: location.allowPrivateIp }
  return location.type === 'file' ? { localPath: location.path } : {}
}

function sourceOf(location: RegistryLocation): string {
  if (location.type === 'url') return location.url
  return location.type === 'file' ? location.path : ''
}

function infoOf(location: RegistryLocation, content: RegistryContent): RegistryInfo {
  const { version, last_updated, leftOut } = content
  const server_count = serverCount(content)
  return {
    ...{ name: REGISTRY_NAME, type: location.type, source: sourceOf(location), version, last_updated, server_count },
    ...(leftOut && { left_out: leftOut.length }),
    ...(location.type === 'url' && location.allowPrivateIp && { allow_private_ip: true }),
  }
}

function serverCount({ servers, remote_servers = {} }: RegistryContent): number {
  return Object.keys(servers).length + Object.keys(remote_servers).length
}

function checkName(name: string): void {
  if (name !== REGISTRY_NAME) throw notFound('registry not found: there is only the registry named default')
}

function sorted<T extends ImageServer | RemoteServer>(servers: Record<string, T>): T[] {
  return Object.entries(servers)
    .toSorted(([a], [b]) => compareNames(a, b))
    .map(([name, server]) => ({ ...server, name }))
}
