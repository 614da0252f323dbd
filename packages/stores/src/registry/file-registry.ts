import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import type { RegistryDocument } from '@toolhaven/contract/registry-document'
import { invalid } from '@toolhaven/core/errors'
import type { RegistryLocation } from '@toolhaven/core/ports/registry-source'
import { errnoOf } from '../files/errno.ts'
import type { LastGoodCopies } from './last-good-copies.ts'
import { parseRegistryText } from './parse-registry.ts'

type FileLocation = Extract<RegistryLocation, { type: 'file' }>

export interface FileRegistry {
  read(location: FileLocation): Promise<RegistryDocument>
}

/** Reads a registry file again only if it was replaced or changed since the last time. */
export function createFileRegistry({ copies, maxBytes }: { copies: LastGoodCopies; maxBytes: number }): FileRegistry {
  let known: { path: string; version: string; document: RegistryDocument } | undefined
  return {
    async read(location) {
      const { path } = location
      if (!isAbsolute(path)) throw invalid(`${path} is not an absolute path: write it from the root of the file system`)
      const handle = await openForReading(path)
      try {
        const found = await handle.stat({ bigint: true })
        if (!found.isFile()) throw invalid(`${path} is not an ordinary file`)
        if (found.size > maxBytes) throw invalid(`${path} is larger than ${maxBytes} bytes`)
        const version = [found.dev, found.ino, found.size, found.mtimeNs, found.ctimeNs].join()
        if (known?.path === path && known.version === version) return known.document
        const document = parseRegistryText(decode(await readAll(handle, path), path), path)
        known = { path, version, document }
        await copies.save(location, { document })
        return document
      } finally {
        await handle.close()
      }
    },
  }
}

async function openForReading(path: string) {
  try {
    // O_NONBLOCK: opening a pipe must not hang.
    return await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch (error) {
    const code = errnoOf(error)
    const reason = code === 'ENOENT' ? 'there is no such file' : `it cannot be opened (${code ?? 'unknown fault'})`
    throw invalid(`the registry ${path} could not be read: ${reason}`, error)
  }
}

async function readAll(handle: FileHandle, path: string): Promise<Uint8Array> {
  try {
    return await handle.readFile()
  } catch (error) {
    throw invalid(`the registry ${path} could not be read (${errnoOf(error) ?? 'unknown fault'})`, error)
  }
}

function decode(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw invalid(`${path} is not a registry: it is not UTF-8 text`, error)
  }
}
