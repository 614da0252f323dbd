import type { RegistryDocument } from '@toolhaven/contract/registry-document'
import type { Clock } from '@toolhaven/core/ports/clock'
import type { Logger } from '@toolhaven/core/ports/logger'
import type { RegistryLocation, RegistrySource } from '@toolhaven/core/ports/registry-source'
import type { GuardedFetch } from '../net/guarded-fetch.ts'
import { createFileRegistry } from './file-registry.ts'
import { createLastGoodCopies } from './last-good-copies.ts'
import { checkRegistry } from './parse-registry.ts'
import { createUrlRegistry } from './url-registry.ts'

export interface RegistrySourceOptions {
  dataDir: string
  logger: Logger
  clock: Clock
  /** Two guarded fetches: one only for public addresses, and one that may also reach private ones. */
  fetchFor(allowPrivate: boolean): GuardedFetch
  builtIn: unknown
}

/** The limits for the fetches that `createRegistrySource` takes. */
export const REGISTRY_FETCH_LIMITS = { maxBytes: 16 * 1024 * 1024, timeoutMs: 20_000 } as const

export function createRegistrySource({
  dataDir,
  logger,
  clock,
  fetchFor,
  builtIn,
}: RegistrySourceOptions): RegistrySource {
  const copies = createLastGoodCopies({ dataDir, logger })
  const files = createFileRegistry({ copies, maxBytes: REGISTRY_FETCH_LIMITS.maxBytes })
  const urls = createUrlRegistry({ copies, logger, clock, fetchFor })
  let checkedBuiltIn: RegistryDocument | undefined
  const readBuiltIn = () => (checkedBuiltIn ??= checkRegistry(builtIn, 'the built-in registry'))
  return {
    async read(location: RegistryLocation, signal, options = {}) {
      signal.throwIfAborted()
      switch (location.type) {
        case 'default':
          return readBuiltIn()
        case 'file':
          return files.read(location)
        case 'url':
          return urls.read(location, signal, options)
      }
    },
    async lastGood(location) {
      if (location.type === 'default') return readBuiltIn()
      return (await copies.load(location))?.document
    },
  }
}
