import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { describeError } from '@toolhaven/core/errors'
import type { Logger } from '@toolhaven/core/ports/logger'
import type { RegistryContent, RegistryLocation } from '@toolhaven/core/ports/registry-source'
import * as z from 'zod'
import { atomicWrite } from '../files/atomic-write.ts'
import { ensurePrivateFolder } from '../files/private-folder.ts'
import { readPrivateFile } from '../files/private-file.ts'
import { checkRegistry } from './parse-registry.ts'

/** A document with the validators for asking its server whether it is still current. */
export interface RegistryCopy {
  document: RegistryContent
  /** When the list of an MCP registry was read. */
  readAt?: number | undefined
  etag?: string | undefined
  lastModified?: string | undefined
}

export interface LastGoodCopies {
  load(location: RegistryLocation): Promise<RegistryCopy | undefined>
  save(location: RegistryLocation, copy: RegistryCopy): Promise<void>
}

const FORMAT = 1
const MAX_BYTES = 64 * 1024 * 1024

const stored = z.strictObject({
  format: z.literal(FORMAT),
  etag: z.string().optional(),
  lastModified: z.string().optional(),
  readAt: z.number().optional(),
  leftOut: z.array(z.strictObject({ name: z.string(), reason: z.string() })).optional(),
  document: z.unknown(),
})

/**
 * One file per location. A copy can always be fetched again, so a damaged copy or one in another format is ignored, and a
 * document whose copy cannot be written is used anyway.
 */
export function createLastGoodCopies({ dataDir, logger }: { dataDir: string; logger: Logger }): LastGoodCopies {
  const folder = join(dataDir, 'registry')
  const pathOf = (location: RegistryLocation) => join(folder, `${locationKey(location)}.json`)
  return {
    async load(location) {
      try {
        const text = await readPrivateFile(pathOf(location), { maxBytes: MAX_BYTES })
        if (text === undefined) return undefined
        const { document, leftOut, ...rest } = stored.parse(JSON.parse(text))
        const checked = checkRegistry(document, 'the kept copy')
        return { ...rest, document: leftOut ? { ...checked, leftOut } : checked }
      } catch (error) {
        logger.warn('the kept copy of a registry cannot be used', {
          path: pathOf(location),
          reason: describeError(error),
        })
        return undefined
      }
    },
    async save(location, { document: { leftOut, ...document }, ...rest }) {
      try {
        await ensurePrivateFolder(folder)
        await atomicWrite(pathOf(location), JSON.stringify({ format: FORMAT, ...rest, leftOut, document }))
      } catch (error) {
        logger.warn('no copy of the registry could be kept', { path: pathOf(location), reason: describeError(error) })
      }
    },
  }
}

/** The permission is part of the key: a copy that was read with private addresses allowed must not be used without it. */
export function locationKey(location: RegistryLocation): string {
  return createHash('sha256')
    .update(JSON.stringify(locationParts(location)))
    .digest('hex')
    .slice(0, 32)
}

function locationParts(location: RegistryLocation): unknown[] {
  switch (location.type) {
    case 'default':
      return ['default']
    case 'url':
      return ['url', location.url, location.allowPrivateIp]
    case 'file':
      return ['file', location.path]
  }
}
