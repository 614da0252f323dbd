import type { ImageServer, RemoteServer } from '@toolhaven/contract/registry-document'
import type { OwnFolder } from '@toolhaven/contract/own-folder'
import type { ServerJson } from '@toolhaven/contract/server-json'
import { excerpt } from '@toolhaven/contract/visible-text'
import type { CreateRequest } from '@toolhaven/contract/workload-request'
import { invalid, isThvError } from '../../errors.ts'
import { hostReach } from '../../net/host-reach.ts'
import type { Host } from '../../ports/host.ts'
import { parseUrl } from '../../net/parse-url.ts'
import { entryOfServer } from '../../registry/server-json/entry-of-server.ts'
import { checkImageReference } from '../config/image-reference.ts'
import { parsePackageReference } from '../config/package-reference.ts'
import { refuseUnknown } from './refuse-unknown.ts'
import type { WorkloadsDeps } from '../workloads-deps.ts'

/** What a request asks to run. */
export type Target =
  | { kind: 'image'; image: string; entry?: ImageServer; suggestedName: string }
  | { kind: 'remote'; url: string; publicOnly: boolean; entry?: RemoteServer; suggestedName: string }
  /** Only a request names a folder: no registry entry and no imported configuration can. */
  | { kind: 'folder'; folder: OwnFolder; entry?: undefined; suggestedName: string }

export type OwnAddresses = Pick<Host, 'ownAddresses'>

/** Who chose the address of a remote server: the user in the request, or a text from outside. */
export type UrlOrigin = 'request' | 'registry' | 'server-json' | 'import' | 'adoption'

export interface TargetOptions {
  urlOrigin?: UrlOrigin | undefined
  /** A bare word must be the name of a registry server or of an image on this machine. */
  knownOnly?: boolean | undefined
}

/** In this order: a server.json, a folder, a url, a scheme, the name of a registry server, an image reference. */
export async function resolveTarget(
  deps: Pick<WorkloadsDeps, 'findServer' | 'runtime' | 'host'>,
  asked: CreateRequest,
  { urlOrigin = 'request', knownOnly = false }: TargetOptions = {},
): Promise<Target> {
  const { image, url, folder, server_json: file } = asked
  if (image && url) throw invalid('takes image or url, not both')
  if (file) {
    if (image || url || folder) throw invalid('server_json replaces image, url and folder; remove them')
    return targetOfServerJson(deps.host, file, asked)
  }
  if (folder) {
    if (image || url) throw invalid('folder replaces image and url; remove them')
    return { kind: 'folder', folder, suggestedName: nameFromFolder(folder.path) }
  }
  if (url)
    return { kind: 'remote', ...checkRemoteUrl(deps.host, url, urlOrigin, asked), suggestedName: nameFromUrl(url) }
  if (!image)
    throw invalid(
      'image is missing: set it to a registry server, an image or a package; or set url for a remote server, or folder for your own server',
    )
  const asPackage = parsePackageReference(image)
  if (asPackage) return { kind: 'image', image, suggestedName: lastSegment(asPackage.name) }
  const found = await deps.findServer(image)
  if (found) return targetOfEntry(deps.host, found.name, found.server, asked)
  if (knownOnly) await refuseUnknown(deps, image)
  checkImageReference(image)
  return { kind: 'image', image, suggestedName: nameFromImage(image) }
}

function targetOfServerJson(host: OwnAddresses, file: ServerJson, asked: CreateRequest): Target {
  try {
    return targetOfEntry(host, file.name, entryOfServer(file), asked, 'server-json')
  } catch (error) {
    throw isThvError(error) ? invalid(`server_json: ${excerpt(file.name)} cannot run: ${error.message}`, error) : error
  }
}

export function targetOfEntry(
  host: OwnAddresses,
  name: string,
  server: ImageServer | RemoteServer,
  asked: CreateRequest,
  origin: UrlOrigin = 'registry',
): Target {
  const suggestedName = lastSegment(name)
  if ('url' in server)
    return { kind: 'remote', ...checkRemoteUrl(host, server.url, origin, asked), entry: server, suggestedName }
  if (!parsePackageReference(server.image)) checkImageReference(server.image)
  return { kind: 'image', image: server.image, entry: server, suggestedName }
}

export const WHO = {
  registry: 'the registry entry',
  'server-json': 'the server.json',
  import: 'the imported configuration',
  adoption: 'the entry of the client',
} as const satisfies Record<Exclude<UrlOrigin, 'request'>, string>

function checkRemoteUrl(
  host: OwnAddresses,
  text: string,
  origin: UrlOrigin,
  { accept_network: isAccepted }: CreateRequest,
): { url: string; publicOnly: boolean } {
  const url = parseUrl(text)
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw invalid('url must be an http or https address without spaces or line breaks')
  if (url.username || url.password) throw invalid('url must not carry a user name or password; use headers or secrets')
  const reach = hostReach(url.hostname, host.ownAddresses())
  if (reach === 'never')
    throw invalid(
      `url leads to ${url.hostname}, a link-local, metadata or reserved address where no MCP server can be; give another url`,
    )
  if (origin === 'request' || isAccepted === true) return { url: text, publicOnly: false }
  if (reach === 'private')
    throw invalid(
      `${WHO[origin]} names ${url.hostname}, an address of this machine or a private network; confirm it with accept_network: true (--accept-network)`,
    )
  return { url: text, publicOnly: true }
}

const lastSegment = (path: string) => path.split('/').findLast((part) => part !== '') ?? 'workload'

function nameFromImage(image: string): string {
  return lastSegment(image.replace(/@sha256:.*$/, '')).replace(/:.*$/, '')
}

const nameFromFolder = (path: string) => lastSegment(path.replace(/^~/, ''))

function nameFromUrl(url: string): string {
  const host = URL.parse(url)?.hostname ?? 'remote'
  // A part of a numeric address would not be a helpful name.
  if (/^[\d.]+$/.test(host)) return host
  const labels = host.split('.').filter((label) => label !== 'www' && label !== 'mcp' && label !== 'api')
  return labels[0] ?? 'remote'
}

/** The source of the workload, in a form for people. */
export function packageOf(target: Target): string {
  if (target.kind === 'folder') return target.folder.path
  return target.kind === 'remote' ? target.url : target.image
}

/** A valid name that is still free: `fetch`, `fetch-2`, `fetch-3` … */
export function uniqueName(suggested: string, isTaken: (name: string) => boolean): string {
  const clean =
    suggested
      .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
      .replaceAll(/\.{2,}/g, '.')
      .replace(/^[^A-Za-z0-9]+/, '')
      .slice(0, 90) || 'workload'
  let name = clean
  for (let number = 2; isTaken(name); number += 1) name = `${clean}-${number}`
  return name
}
