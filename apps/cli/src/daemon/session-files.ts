import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { SessionStore } from '@toolhaven/gateway/session-store'
import { atomicWrite } from '@toolhaven/stores/files/atomic-write'
import { ensurePrivateFolder } from '@toolhaven/stores/files/private-folder'
import { errnoOf } from '@toolhaven/stores/files/errno'
import { readPrivateFile } from '@toolhaven/stores/files/private-file'

/** Stores the client sessions of each workload, so that they outlive the daemon. */
export function createSessionFiles(dir: string): SessionStore {
  const fileOf = (name: string) => join(dir, `${name.toLowerCase()}.json`)
  return {
    async load(name) {
      const text = await readPrivateFile(fileOf(name))
      if (text === undefined) return undefined
      try {
        return JSON.parse(text)
      } catch {
        // Sessions are a convenience: after damage to a file, clients just connect again.
        return undefined
      }
    },
    async save(name, data) {
      await ensurePrivateFolder(dir)
      await atomicWrite(fileOf(name), JSON.stringify(data))
    },
    async remove(name) {
      await rm(fileOf(name), { force: true }).catch((error: unknown) => {
        // There is a folder of that name. It is not ours, and the workload must be able to stop.
        if (errnoOf(error) !== 'ERR_FS_EISDIR') throw error
      })
    },
  }
}
