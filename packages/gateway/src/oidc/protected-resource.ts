import type { HttpAnswer } from '../http/server/reply.ts'

export const METADATA_PATH = '/.well-known/oauth-protected-resource'

/** Tells clients how to get a token: RFC 9728. */
export interface ProtectedResource {
  /** Audiences that name this resource, for tokens that were requested with its address. */
  identifiers: readonly string[]
  /** The answer to a request for the metadata. Undefined when the request is for something else. */
  describe(method: string, path: string): HttpAnswer | undefined
  /** The header that goes with a 401. */
  challenge(problem?: string): string
}

export function protectedResource(options: { resource: string; issuer?: string | undefined }): ProtectedResource {
  const { origin, pathname } = new URL(options.resource)
  const path = pathname.replace(/\/$/, '')
  const text = JSON.stringify({
    resource: options.resource,
    ...(options.issuer !== undefined && { authorization_servers: [options.issuer] }),
    bearer_methods_supported: ['header'],
  })
  const metadata = `resource_metadata="${origin}${METADATA_PATH}${path}"`
  return {
    // Some clients write an address without a path with a slash at its end.
    identifiers: [`${origin}${path}`, `${origin}${path}/`],
    describe(method, asked) {
      if (asked !== METADATA_PATH && !asked.startsWith(`${METADATA_PATH}/`)) return undefined
      if (method !== 'GET' && method !== 'HEAD') return undefined
      return { status: 200, type: 'application/json', text, headers: { 'cache-control': 'no-store' } }
    },
    challenge: (problem) =>
      problem === undefined
        ? `Bearer ${metadata}`
        : `Bearer error="invalid_token", error_description="${problem}", ${metadata}`,
  }
}
