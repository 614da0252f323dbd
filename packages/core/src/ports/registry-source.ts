import type { RegistryDocument } from '@toolhaven/contract/registry-document'

export type RegistryLocation =
  | { type: 'default' }
  | { type: 'url'; url: string; allowPrivateIp: boolean }
  | { type: 'file'; path: string }

/** What a source holds. */
export interface RegistryContent extends RegistryDocument {
  /** Only of an MCP registry: its servers that cannot run here. */
  leftOut?: readonly LeftOut[]
}

export interface LeftOut {
  name: string
  reason: string
}

/** Reads and checks registry documents. Throws `invalid` naming the first faults, or why the source was not reached. */
export interface RegistrySource {
  /** A url is not asked again for a while; `refresh` asks it now. */
  read(location: RegistryLocation, signal: AbortSignal, options?: { refresh?: boolean }): Promise<RegistryContent>
  /** The copy kept from the last good read of this location, if any: used when the source cannot be reached. */
  lastGood(location: RegistryLocation): Promise<RegistryContent | undefined>
}
