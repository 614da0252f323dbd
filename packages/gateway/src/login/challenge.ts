/** What a server says with a 401 or a 403 about the token it wants (RFC 6750, RFC 9728). */
export interface Challenge {
  error?: string
  resourceMetadata?: string
  scope?: string
}

export function parseChallenge(header: string | undefined): Challenge {
  // No honest challenge is longer.
  const text = (header ?? '').slice(0, 8192)
  const resourceMetadata = parameter(text, 'resource_metadata')
  const scope = parameter(text, 'scope')
  const error = parameter(text, 'error')
  return {
    ...(error !== undefined && { error }),
    ...(resourceMetadata !== undefined && { resourceMetadata }),
    ...(scope !== undefined && /^[\x21\x23-\x5b\x5d-\x7e ]+$/.test(scope) && { scope }),
  }
}

function parameter(text: string, name: string): string | undefined {
  const found = new RegExp(`(?:^|[\\s,])${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s,"]+))`, 'i').exec(text)
  return found?.[1]?.replaceAll(/\\(.)/g, '$1') ?? found?.[2]
}
