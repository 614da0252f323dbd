import { unavailable, type ThvError } from '@toolhaven/core/errors'
import { isObject, type JsonObject } from '../messages/json-rpc.ts'
import { META, metaOf, MODERN_ERROR, MODERN_VERSION } from '../messages/modern-era.ts'
import { isKnownVersion, PROTOCOL_VERSIONS } from '../messages/protocol-versions.ts'
import { GATEWAY_CLIENT } from './backend.ts'

/** What the gateway says about itself in its own requests. */
export const OWN_META = {
  [META.version]: MODERN_VERSION,
  [META.clientInfo]: GATEWAY_CLIENT,
  [META.clientCapabilities]: {},
} as const

/**
 * What an answer to `server/discover` says about a server. `legacy`: it expects initialize. `foreign`: it is stateless,
 * but speaks no revision that we know.
 */
export type Discovery =
  | { kind: 'modern'; result: JsonObject }
  | { kind: 'legacy' }
  | { kind: 'foreign'; supported: readonly string[] }

const MODERN_CODES: ReadonlySet<unknown> = new Set(Object.values(MODERN_ERROR))

/**
 * The rule of revision 2026-07-28: a server that answers with a result, or with an error that only the stateless era
 * has, is stateless. Every other server has sessions. This relies on no particular error code of older servers.
 */
export function readDiscovery(answer: JsonObject): Discovery {
  const { result, error } = answer
  if (isObject(result) && Array.isArray(result['supportedVersions']))
    return result['supportedVersions'].includes(MODERN_VERSION)
      ? { kind: 'modern', result: toResult(result) }
      : withoutOurs(result['supportedVersions'])
  if (!isObject(error) || !MODERN_CODES.has(error['code'])) return { kind: 'legacy' }
  const { data } = error
  return withoutOurs(isObject(data) && Array.isArray(data['supported']) ? data['supported'] : [])
}

function withoutOurs(versions: readonly unknown[]): Discovery {
  const supported = versions.filter((version) => typeof version === 'string')
  return supported.some(isKnownVersion) ? { kind: 'legacy' } : { kind: 'foreign', supported }
}

/** As a server with sessions would have put it in its answer to initialize. */
function toResult(discovered: JsonObject): JsonObject {
  const { capabilities, instructions } = discovered
  const serverInfo = metaOf(discovered)[META.serverInfo]
  return {
    protocolVersion: MODERN_VERSION,
    capabilities: isObject(capabilities) ? capabilities : {},
    ...(isObject(serverInfo) && { serverInfo }),
    ...(typeof instructions === 'string' && { instructions }),
  }
}

export function foreignVersions(name: string, supported: readonly string[]): ThvError {
  const theirs = supported.length === 0 ? 'revisions it does not name' : `revision ${supported.join(', ')}`
  const ours = [MODERN_VERSION, ...PROTOCOL_VERSIONS.toReversed()].join(', ')
  return unavailable(
    `The server ${name} speaks ${theirs} of the protocol, and Toolhaven ${ours}. Use a version of the server that knows one of these.`,
  )
}
