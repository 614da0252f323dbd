import type { RegistryDocument } from '@toolhaven/contract/registry-document'

export type RegistryLocation =
  | { type: 'default' }
  | { type: 'url'; url: string; allowPrivateIp: boolean }
  | { type: 'file'; path: string }

/** The content of a source. */
export interface RegistryContent extends RegistryDocument {
  /** Only for an MCP registry: its servers that cannot run here. */
  leftOut?: readonly LeftOut[]
}

export interface LeftOut {
  name: string
  reason: string
}

/**
 * Reads and checks registry documents. Throws `invalid` with the first faults, or with the reason why it could not reach the
 * source.
 */
export interface RegistrySource {
  /** Caches the answer of a url for a while; `refresh` reads it now. */
  read(location: RegistryLocation, signal: AbortSignal, options?: { refresh?: boolean }): Promise<RegistryContent>
  /** The copy of the last successful read of this location, if any. Used if the source cannot be reached. */
  lastGood(location: RegistryLocation): Promise<RegistryContent | undefined>
}
