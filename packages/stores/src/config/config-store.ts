import { dirname } from 'node:path'
import type { ConfigStore, DaemonConfig } from '@toolhaven/core/ports/stores'
import { atomicWrite } from '../files/atomic-write.ts'
import { ensurePrivateFolder } from '../files/private-folder.ts'
import { readPrivateFile } from '../files/private-file.ts'
import { createSerialQueue } from '../files/serial-queue.ts'
import { applyConfig, parseConfig } from './config-file.ts'

/**
 * The settings in config.yaml. A missing file means defaults and is made by the first change. Users may link it to a
 * repository of their own, and edit it while the daemon runs: a change starts from what the file says then.
 */
export async function openConfigStore(options: { file: string }): Promise<ConfigStore> {
  const { file } = options
  const oneAtATime = createSerialQueue()
  let current = freeze((await read(file)).config)

  return {
    get: () => current,
    update: (change) =>
      oneAtATime('', async () => {
        const { config, document } = await read(file)
        applyConfig(document, config, change(structuredClone(config)))
        const changed = document.toString({ lineWidth: 0, flowCollectionPadding: false })
        // What we write must be what we can read: a change that breaks a rule is refused before it reaches the disk.
        const next = parseConfig(changed, file).config
        if (JSON.stringify(next) !== JSON.stringify(config)) {
          await ensurePrivateFolder(dirname(file))
          await atomicWrite(file, changed, { followSymlink: true })
        }
        current = freeze(next)
      }),
  }
}

async function read(file: string) {
  const text = (await readPrivateFile(file, { followSymlink: true, maxBytes: 1024 * 1024 })) ?? ''
  return parseConfig(text, file)
}

function freeze(config: DaemonConfig): DaemonConfig {
  for (const part of Object.values(config)) Object.freeze(part)
  return Object.freeze(config)
}
