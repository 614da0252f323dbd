import { join } from 'node:path'
import type { ClientType } from '@toolhaven/contract/client-types'
import type { ClientEntry } from '@toolhaven/core/ports/clients'

/** WSL 2 is Linux. */
export type ClientPlatform = 'linux' | 'darwin'

export interface ClientProgram {
  /** Below the home folder. Where a program has moved its file, the old place is listed too: each one whose folder exists is kept. */
  files: Record<ClientPlatform, readonly string[]>
  /** One key of the root object; a dot in it is part of the key. */
  serversKey: 'mcpServers' | 'servers' | 'amp.mcpServers'
  urlField: 'url' | 'serverUrl'
  types: Record<ClientEntry['transport'], string>
  /** Below the home folder: the program is there when one of these is, or the folder of its file. */
  signs?: readonly string[]
}

const everywhere = (...files: string[]): ClientProgram['files'] => ({ linux: files, darwin: files })

/** VS Code and its kin keep user data below `.config` on Linux and `Library/Application Support` on macOS. */
const userData = (...segments: string[]): ClientProgram['files'] => ({
  linux: [join('.config', ...segments)],
  darwin: [join('Library', 'Application Support', ...segments)],
})

const HTTP = { sse: 'sse', 'streamable-http': 'http' } as const

const amp = (files: ClientProgram['files']): ClientProgram => ({
  files,
  serversKey: 'amp.mcpServers',
  urlField: 'url',
  types: HTTP,
})
const vsCode = (product: string): ClientProgram => ({
  files: userData(product, 'User', 'mcp.json'),
  serversKey: 'servers',
  urlField: 'url',
  types: HTTP,
})

const CLINE_FILES = userData(
  'Code',
  'User',
  'globalStorage',
  'saoudrizwan.claude-dev',
  'settings',
  'cline_mcp_settings.json',
)
const CLINE_SHARED_FILE = join('.cline', 'data', 'settings', 'cline_mcp_settings.json')

export const CLIENT_PROGRAMS = {
  RooCode: {
    files: userData('Code', 'User', 'globalStorage', 'rooveterinaryinc.roo-cline', 'settings', 'mcp_settings.json'),
    serversKey: 'mcpServers',
    urlField: 'url',
    types: { sse: 'sse', 'streamable-http': 'streamable-http' },
  },
  Cline: {
    // Newer releases share one file between the extension and the command.
    files: { linux: [...CLINE_FILES.linux, CLINE_SHARED_FILE], darwin: [...CLINE_FILES.darwin, CLINE_SHARED_FILE] },
    serversKey: 'mcpServers',
    urlField: 'url',
    types: { sse: 'sse', 'streamable-http': 'streamableHttp' },
  },
  Cursor: { files: everywhere(join('.cursor', 'mcp.json')), serversKey: 'mcpServers', urlField: 'url', types: HTTP },
  VSCodeInsider: vsCode('Code - Insiders'),
  VSCode: vsCode('Code'),
  ClaudeCode: {
    files: everywhere('.claude.json'),
    serversKey: 'mcpServers',
    urlField: 'url',
    types: HTTP,
    // Its file lies in the home folder itself, which says nothing.
    signs: ['.claude.json', '.claude'],
  },
  Windsurf: {
    files: everywhere(join('.codeium', 'windsurf', 'mcp_config.json')),
    serversKey: 'mcpServers',
    urlField: 'serverUrl',
    types: HTTP,
  },
  WindsurfJetBrains: {
    files: everywhere(join('.codeium', 'mcp_config.json')),
    serversKey: 'mcpServers',
    urlField: 'serverUrl',
    types: HTTP,
  },
  AmpCli: amp(everywhere(join('.config', 'amp', 'settings.json'))),
  AmpVSCode: amp(userData('Code', 'User', 'settings.json')),
  AmpCursor: amp(userData('Cursor', 'User', 'settings.json')),
  AmpVSCodeInsider: amp(userData('Code - Insiders', 'User', 'settings.json')),
  AmpWindsurf: amp(userData('Windsurf', 'User', 'settings.json')),
} as const satisfies Record<ClientType, ClientProgram>
