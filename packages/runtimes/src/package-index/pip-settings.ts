import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

export type PipSettings = Readonly<Record<string, string>>

export interface PipSettingsOptions {
  env: Readonly<Record<string, string | undefined>>
  homeDir: string
}

/**
 * The user's pip settings by option name (`index-url`), in pip's own order: machine, user, PIP_CONFIG_FILE, then PIP_* variables.
 * Lists keep one entry per line. https://pip.pypa.io/en/stable/topics/configuration/
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
  const machine = (env['XDG_CONFIG_DIRS'] ?? '/etc/xdg').split(':').map((folder) => join(folder, 'pip', 'pip.conf'))
  const user = [
    join(homeDir, '.pip', 'pip.conf'),
    join(homeDir, 'Library', 'Application Support', 'pip', 'pip.conf'),
    join(env['XDG_CONFIG_HOME'] ?? join(homeDir, '.config'), 'pip', 'pip.conf'),
  ]
  return [...machine, '/etc/pip.conf', ...user, ...(chosen === undefined ? [] : [chosen])]
}

/** `[install]` and `[download]` settings win over `[global]` ones. */
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
