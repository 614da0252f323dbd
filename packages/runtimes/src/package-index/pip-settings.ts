import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

export type PipSettings = Readonly<Record<string, string>>

export interface PipSettingsOptions {
  env: Readonly<Record<string, string | undefined>>
  homeDir: string
}

/**
 * The user's pip settings by option name (`index-url`), in pip's own order: machine, PIP_CONFIG_FILE or else the
 * user's, PIP_* variables. Lists keep one entry per line. https://pip.pypa.io/en/stable/topics/configuration/
 */
export async function readPipSettings({ env, homeDir }: PipSettingsOptions): Promise<PipSettings> {
  const settings: Record<string, string> = {}
  for (const file of configFiles(env, homeDir)) {
    const text = await readFile(file, 'utf8').catch(() => '')
    Object.assign(settings, parsePipConfig(text))
  }
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || !name.startsWith('PIP_') || name === 'PIP_CONFIG_FILE') continue
    settings[name.slice('PIP_'.length).toLowerCase().replaceAll('_', '-')] = value.trim().split(/\s+/).join('\n')
  }
  return settings
}

function configFiles(env: PipSettingsOptions['env'], homeDir: string): string[] {
  const chosen = env['PIP_CONFIG_FILE']
  // pip's documented way to read no files at all.
  if (chosen === '/dev/null') return []
  const system = (env['XDG_CONFIG_DIRS'] ?? '/etc/xdg').split(':').map((folder) => join(folder, 'pip', 'pip.conf'))
  const machine = [...system, '/etc/pip.conf']
  if (chosen && existsSync(chosen)) return [...machine, chosen]
  return [
    ...machine,
    join(homeDir, '.pip', 'pip.conf'),
    join(homeDir, 'Library', 'Application Support', 'pip', 'pip.conf'),
    join(env['XDG_CONFIG_HOME'] ?? join(homeDir, '.config'), 'pip', 'pip.conf'),
  ]
}

/**
 * Only settings that say where packages are and how to get there: others (a target, a user install) would change what
 * pip does.
 */
const INDEX_KEYS = ['index-url', 'extra-index-url', 'find-links', 'no-index', 'trusted-host'] as const
const NETWORK_KEYS = ['proxy', 'timeout', 'default-timeout', 'retries'] as const
/** For this machine only: files, programs, and what a lookup may name. */
const LOCAL_KEYS = ['cert', 'client-cert', 'keyring-provider', 'pre'] as const

/** For a pip that must not read any file. */
export function pipVariables(settings: PipSettings): Record<string, string> {
  const found: Record<string, string> = { PIP_CONFIG_FILE: '/dev/null' }
  for (const key of [...INDEX_KEYS, ...NETWORK_KEYS, ...LOCAL_KEYS]) {
    const value = settings[key]
    if (value !== undefined) found[`PIP_${key.toUpperCase().replaceAll('-', '_')}`] = value.split('\n').join(' ')
  }
  return found
}

/**
 * For a pip inside a container, which has no folders of this machine. Without its folders, `no-index` finds nothing, as
 * it should.
 */
export function pipConfForBuild(settings: PipSettings): string {
  const lines = [...INDEX_KEYS, ...NETWORK_KEYS, 'pre'].flatMap((key) => {
    const values = (settings[key] ?? '').split('\n').filter((value) => value !== '')
    const kept = key === 'find-links' ? values.filter((value) => /^https?:/.test(value)) : values
    return kept.length === 0 ? [] : [`${key} = ${kept.join('\n  ')}`]
  })
  return ['[global]', ...lines, ''].join('\n')
}

/** `[install]` and `[download]` settings take precedence over `[global]` ones. */
export function parsePipConfig(text: string): PipSettings {
  const sections: Record<'global' | 'command', Record<string, string>> = { global: {}, command: {} }
  let section: Record<string, string> | undefined
  let key: string | undefined
  for (const line of text.split(/\r?\n/)) {
    if (/^\s*([#;]|$)/.test(line)) continue
    const header = /^\[([^\]]+)\]/.exec(line)?.[1]
    if (header !== undefined) {
      section =
        header === 'global' ? sections.global : /^(install|download|index)$/.test(header) ? sections.command : undefined
      key = undefined
    } else if (/^\s/.test(line) && key !== undefined && section !== undefined) {
      section[key] = [section[key], line.trim()].filter(Boolean).join('\n')
    } else {
      const at = line.search(/[=:]/)
      key = at === -1 ? undefined : line.slice(0, at).trim().toLowerCase().replaceAll('_', '-')
      if (key !== undefined && section !== undefined) section[key] = line.slice(at + 1).trim()
    }
  }
  return { ...sections.global, ...sections.command }
}
