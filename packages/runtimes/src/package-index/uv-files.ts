import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { invalid } from '@toolhaven/core/errors'
import type { PipSettingsOptions } from './pip-settings.ts'

/**
 * Settings of uv that say where packages come from, as keys of any table in any notation. An inline table may have them
 * anywhere.
 */
const INDEX_KEY =
  /^\s*(?:["']?pip["']?\s*=\s*\{(?:[^]*?[,\s])?)?(?:\[\[?\s*)?(?:["']?pip["']?\s*\.\s*)?["']?(?:index|index-url|default-index|extra-index-url|find-links|no-index)["']?\s*(?:=|\.|\])/m
/** UV_INDEX and UV_EXTRA_INDEX_URL only add to the indexes of the file. */
const DEFAULT_INDEX_VARIABLES = ['UV_DEFAULT_INDEX', 'UV_INDEX_URL']
const OFF = /^(?:|0|f|false|n|no|off)$/i

/**
 * pip, which looks up versions and builds images, reads no file of uv. So a file that names an index is refused rather
 * than ignored: a package that is only on the user's own index could come from the default one, where anyone can offer
 * it. A variable that names the default index takes precedence over the file.
 */
export async function refuseUvFiles({ env, homeDir }: PipSettingsOptions): Promise<void> {
  if (!OFF.test(env['UV_NO_CONFIG'] ?? '') || DEFAULT_INDEX_VARIABLES.some((name) => env[name])) return
  for (const file of uvFiles(env, homeDir)) {
    const text = await readFile(file, 'utf8').catch(() => '')
    if (!INDEX_KEY.test(text)) continue
    throw invalid(
      `${file} says where uv finds packages, and Toolhaven reads no settings of uv from files. Set UV_DEFAULT_INDEX, or index-url in pip.conf with UV_NO_CONFIG=1, in the environment of the daemon.`,
    )
  }
}

function uvFiles(env: PipSettingsOptions['env'], homeDir: string): string[] {
  if (env['UV_CONFIG_FILE']) return [env['UV_CONFIG_FILE']]
  const system = (env['XDG_CONFIG_DIRS'] || '/etc/xdg').split(':').map((folder) => join(folder, 'uv', 'uv.toml'))
  return [join(env['XDG_CONFIG_HOME'] || join(homeDir, '.config'), 'uv', 'uv.toml'), ...system, '/etc/uv/uv.toml']
}
