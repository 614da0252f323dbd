/** Revisions with sessions, oldest first. */
export const PROTOCOL_VERSIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const

export const NEWEST_VERSION = '2025-11-25'

/** The only revision in which a body may hold several messages. */
export const BATCH_VERSION = '2025-03-26'

/** From this revision on, servers may close the stream of a call and let the client come back for the rest. */
export const POLLING_VERSION = '2025-11-25'

const known: ReadonlySet<string> = new Set(PROTOCOL_VERSIONS)

export function isKnownVersion(version: unknown): version is string {
  return typeof version === 'string' && known.has(version)
}

export function negotiateVersion(asked: unknown): string {
  return isKnownVersion(asked) ? asked : NEWEST_VERSION
}
