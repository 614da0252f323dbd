import type { RegistryDocument } from '@toolhaven/contract/registry-document'

export type RegistryLocation =
  | { type: 'default' }
  | { type: 'url'; url: string; allowPrivateIp: boolean }
  | { type: 'file'; path: string }

/** Reads and checks registry documents. Throws `invalid` naming the first faults, or why the source was not reached. */
export interface RegistrySource {
  /** A url is not asked again for some minutes; `refresh` asks it now. */
  read(location: RegistryLocation, signal: AbortSignal, options?: { refresh?: boolean }): Promise<RegistryDocument>
  /** The copy kept from the last good read of this location, if any: used when the source cannot be reached. */
  lastGood(location: RegistryLocation): Promise<RegistryDocument | undefined>
}
