import type { PackageScheme } from '@toolhaven/core/ports/runtime'
import { defaultGoSettings, defaultPythonIndex } from '../package-index/default-indexes.ts'
import { userGoSettings } from '../package-index/go-env.ts'
import { defaultNpmIndex, type NpmOptions } from '../package-index/npm.ts'
import { readNpmrc } from '../package-index/npmrc.ts'
import { readPythonSettings } from '../package-index/python-settings.ts'
import type { UserConfig } from './build-config.ts'

/** What lookups of versions use for such packages: files, and variables that take precedence. */
export async function readUserConfig(
  options: NpmOptions,
  scheme: PackageScheme,
  signal: AbortSignal,
): Promise<UserConfig> {
  const { env, homeDir } = options
  if (scheme === 'npx') {
    const { text } = await readNpmrc(options, signal)
    return { npmrc: text, defaults: { npm: await defaultNpmIndex(options, signal) } }
  }
  if (scheme === 'uvx') {
    const python = await readPythonSettings({ env, homeDir })
    return { python, defaults: { python: await defaultPythonIndex(env, signal) } }
  }
  const go = await userGoSettings({ env, homeDir }, signal)
  return { go, defaults: { go: await defaultGoSettings(env, signal) } }
}
