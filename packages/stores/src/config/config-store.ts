import { dirname } from 'node:path'
import { invalid } from '@toolhaven/core/errors'
import type { ConfigStore, DaemonConfig } from '@toolhaven/core/ports/stores'
import { atomicWrite } from '../files/atomic-write.ts'
import { ensurePrivateFolder } from '../files/private-folder.ts'
import { readPrivateFile } from '../files/private-file.ts'
import { createSerialQueue } from '../files/serial-queue.ts'

/**
 * The settings in config.yaml. A missing file means defaults and is made by the first change. Users may link it to a
 * repository of their own, and edit it while the daemon runs: a change starts from what the file says then.
 */
export async function openConfigStore(options: { file: string }): Promise<ConfigStore> {
  const { file } = options
  const oneAtATime = createSerialQueue()
  const text = await readText(file)
  // Loaded on demand, because most daemons have no such file and need no YAML parser.
  let current = freeze(text === undefined ? defaults() : (await configFile()).parseConfig(text, file).config)

  return {
    get: () => current,
    update: (change) =>
      oneAtATime('', async () => {
        const { applyConfig, parseConfig } = await configFile()
        const { config, document } = parseConfig((await readText(file)) ?? '', file)
        applyConfig(document, config, change(structuredClone(config)))
        const changed = document.toString({ lineWidth: 0, flowCollectionPadding: false })
        // A change that we could not read back is refused before it reaches the disk.
        const next = parseConfig(changed, file).config
        if (JSON.stringify(next) !== JSON.stringify(config)) {
          await ensurePrivateFolder(dirname(file))
          await atomicWrite(file, changed, { followSymlink: true })
        }
        current = freeze(next)
      }),
  }
}

const configFile = () => import('./config-file.ts')

async function readText(file: string): Promise<string | undefined> {
  const text = await readPrivateFile(file, { followSymlink: true, maxBytes: 1024 * 1024 })
  // A full disk or a crash of another program left it empty. Reading it as "all defaults" would hide the stored secrets.
  if (text === '')
    throw invalid(
      `${file} is empty, so its settings are lost: restore it from a copy, or remove it to use the defaults`,
    )
  return text
}

const defaults = (): DaemonConfig => ({ registry: {}, secrets: {}, otel: {}, allowedHosts: [], baseImages: {} })

function freeze(config: DaemonConfig): DaemonConfig {
  for (const part of Object.values(config)) Object.freeze(part)
  return Object.freeze(config)
}
