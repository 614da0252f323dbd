import { join } from 'node:path'
import type { ClientType } from '@toolhaven/contract/client-types'
import type { EntryShape } from './entries-document.ts'

/** WSL 2 is Linux. */
export type ClientPlatform = 'linux' | 'darwin'

export interface ClientProgram extends EntryShape {
  /** Below the home folder. Where a program has moved its file, the old place is listed too: each one whose folder exists is kept. */
  files: Record<ClientPlatform, readonly string[]>
  /** It reads each of its files: those that are there are kept, or else the first. */
  hasAlternatives?: boolean
  /** One key of the root object; a dot in it is part of the key. */
  serversKey: 'mcpServers' | 'servers' | 'amp.mcpServers' | 'context_servers' | 'mcp' | 'mcp_servers' | 'extensions'
  /** Below the home folder: the program is there when one of these is, or the folder of its file. */
  signs?: readonly string[]
  /** Where its makers describe the file. */
  source: string
  /** When the program reads a changed file. Undefined if its documentation does not say. */
  reads?: 'at once' | 'at its start'
}

const everywhere = (...files: string[]): ClientProgram['files'] => ({ linux: files, darwin: files })

/** VS Code and its kin keep user data below `.config` on Linux and `Library/Application Support` on macOS. */
const userData = (...segments: string[]): ClientProgram['files'] => ({
  linux: [join('.config', ...segments)],
  darwin: [join('Library', 'Application Support', ...segments)],
})

const URL_FIELD = { sse: 'url', 'streamable-http': 'url' } as const
const SERVER_URL_FIELD = { sse: 'serverUrl', 'streamable-http': 'serverUrl' } as const
const HTTP = { sse: 'sse', 'streamable-http': 'http' } as const

const amp = (files: ClientProgram['files']): ClientProgram => ({
  files,
  serversKey: 'amp.mcpServers',
  urlFields: URL_FIELD,
  types: HTTP,
  source: 'https://ampcode.com/manual',
})
const vsCode = (files: ClientProgram['files']): ClientProgram => ({
  files,
  serversKey: 'servers',
  urlFields: URL_FIELD,
  types: HTTP,
  source: 'https://code.visualstudio.com/docs/copilot/reference/mcp-configuration',
})

/** Gemini CLI, and Qwen Code, which was made from it. */
const geminiKin = (folder: string, source: string): ClientProgram => ({
  files: everywhere(join(folder, 'settings.json')),
  serversKey: 'mcpServers',
  urlFields: { sse: 'url', 'streamable-http': 'httpUrl' },
  source,
  reads: 'at its start',
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
    urlFields: URL_FIELD,
    types: { sse: 'sse', 'streamable-http': 'streamable-http' },
    source: 'https://docs.roocode.com/features/mcp/using-mcp-in-roo',
  },
  Cline: {
    // Newer releases share one file between the extension and the command.
    files: { linux: [...CLINE_FILES.linux, CLINE_SHARED_FILE], darwin: [...CLINE_FILES.darwin, CLINE_SHARED_FILE] },
    serversKey: 'mcpServers',
    urlFields: URL_FIELD,
    types: { sse: 'sse', 'streamable-http': 'streamableHttp' },
    source: 'https://docs.cline.bot/mcp/configuring-mcp-servers',
  },
  Cursor: {
    files: everywhere(join('.cursor', 'mcp.json')),
    serversKey: 'mcpServers',
    urlFields: URL_FIELD,
    types: HTTP,
    source: 'https://cursor.com/docs/context/mcp',
  },
  VSCodeInsider: vsCode(userData('Code - Insiders', 'User', 'mcp.json')),
  VSCode: vsCode(userData('Code', 'User', 'mcp.json')),
  ClaudeCode: {
    files: everywhere('.claude.json'),
    serversKey: 'mcpServers',
    urlFields: URL_FIELD,
    types: HTTP,
    source: 'https://code.claude.com/docs/en/mcp',
    // Its file lies in the home folder itself, which says nothing.
    signs: ['.claude.json', '.claude'],
  },
  Windsurf: {
    files: everywhere(join('.codeium', 'windsurf', 'mcp_config.json')),
    serversKey: 'mcpServers',
    urlFields: SERVER_URL_FIELD,
    types: HTTP,
    source: 'https://docs.windsurf.com/windsurf/cascade/mcp',
  },
  WindsurfJetBrains: {
    files: everywhere(join('.codeium', 'mcp_config.json')),
    serversKey: 'mcpServers',
    urlFields: SERVER_URL_FIELD,
    types: HTTP,
    source: 'https://docs.windsurf.com/plugins/cascade/mcp',
  },
  AmpCli: amp(everywhere(join('.config', 'amp', 'settings.json'))),
  AmpVSCode: amp(userData('Code', 'User', 'settings.json')),
  AmpCursor: amp(userData('Cursor', 'User', 'settings.json')),
  AmpVSCodeInsider: amp(userData('Code - Insiders', 'User', 'settings.json')),
  AmpWindsurf: amp(userData('Windsurf', 'User', 'settings.json')),
  GeminiCli: geminiKin('.gemini', 'https://geminicli.com/docs/tools/mcp-server/'),
  QwenCode: geminiKin('.qwen', 'https://qwenlm.github.io/qwen-code-docs/en/users/features/mcp/'),
  CopilotCli: {
    files: everywhere(join('.copilot', 'mcp-config.json')),
    serversKey: 'mcpServers',
    urlFields: URL_FIELD,
    types: HTTP,
    // Without it the program offers none of a server's tools.
    extra: { tools: ['*'] },
    source: 'https://docs.github.com/en/copilot/how-tos/copilot-cli/customize-copilot/add-mcp-servers',
    reads: 'at its start',
  },
  Zed: {
    files: everywhere(join('.config', 'zed', 'settings.json')),
    serversKey: 'context_servers',
    urlFields: URL_FIELD,
    isHttpOnly: true,
    source: 'https://zed.dev/docs/ai/mcp',
  },
  LMStudio: {
    files: everywhere(join('.lmstudio', 'mcp.json')),
    serversKey: 'mcpServers',
    urlFields: URL_FIELD,
    source: 'https://lmstudio.ai/docs/app/mcp',
  },
  Kiro: {
    files: everywhere(join('.kiro', 'settings', 'mcp.json')),
    serversKey: 'mcpServers',
    urlFields: URL_FIELD,
    source: 'https://kiro.dev/docs/mcp/configuration/',
    reads: 'at once',
  },
  Crush: {
    files: everywhere(join('.config', 'crush', 'crush.json')),
    serversKey: 'mcp',
    urlFields: URL_FIELD,
    types: HTTP,
    source: 'https://github.com/charmbracelet/crush#mcps',
  },
  Antigravity: {
    // Newer releases share one file between the editor and the command.
    files: everywhere(join('.gemini', 'antigravity', 'mcp_config.json'), join('.gemini', 'config', 'mcp_config.json')),
    serversKey: 'mcpServers',
    urlFields: SERVER_URL_FIELD,
    source: 'https://antigravity.google/docs/mcp',
  },
  ClaudeDesktop: {
    files: userData('Claude', 'claude_desktop_config.json'),
    serversKey: 'mcpServers',
    source: 'https://modelcontextprotocol.io/docs/develop/connect-local-servers',
    reads: 'at its start',
  },
  Codex: {
    files: everywhere(join('.codex', 'config.toml')),
    serversKey: 'mcp_servers',
    format: 'toml',
    urlFields: URL_FIELD,
    isHttpOnly: true,
    source: 'https://developers.openai.com/codex/mcp',
    reads: 'at its start',
  },
  Junie: {
    files: everywhere(join('.junie', 'mcp', 'mcp.json')),
    serversKey: 'mcpServers',
    // In IDEs it starts commands only; its command line also takes addresses.
    source: 'https://www.jetbrains.com/help/junie/model-context-protocol-mcp.html',
  },
  Goose: {
    files: everywhere(join('.config', 'goose', 'config.yaml')),
    serversKey: 'extensions',
    format: 'yaml',
    nameField: 'name',
    urlFields: { sse: 'uri', 'streamable-http': 'uri' },
    types: { sse: 'streamable_http', 'streamable-http': 'streamable_http' },
    isHttpOnly: true,
    // Releases differ in which of these they can do without.
    extra: { enabled: true, description: 'Runs in Toolhaven', timeout: 300 },
    ownTypes: ['builtin', 'platform', 'frontend', 'inline_python'],
    // It sets itself up where it finds no file, so we make none.
    signs: [join('.config', 'goose', 'config.yaml')],
    source: 'https://goose-docs.ai/docs/guides/config-files',
    reads: 'at its start',
  },
  Continue: {
    files: everywhere(join('.continue', 'config.yaml')),
    serversKey: 'mcpServers',
    format: 'yaml',
    isList: true,
    nameField: 'name',
    urlFields: URL_FIELD,
    types: { sse: 'sse', 'streamable-http': 'streamable-http' },
    // Beside an older config.json, a file that we made would take its place.
    signs: [join('.continue', 'config.yaml')],
    source: 'https://docs.continue.dev/customize/deep-dives/mcp',
  },
  OpenCode: {
    files: everywhere(join('.config', 'opencode', 'opencode.json'), join('.config', 'opencode', 'opencode.jsonc')),
    hasAlternatives: true,
    serversKey: 'mcp',
    innerKey: 'servers',
    urlFields: URL_FIELD,
    types: { sse: 'remote', 'streamable-http': 'remote' },
    isHttpOnly: true,
    // Its first releases refuse an entry without it.
    extra: { enabled: true },
    source: 'https://opencode.ai/docs/mcp-servers/',
  },
  Trae: {
    // Its settings open this file as "Raw config". The page names the format, and installations have it there.
    files: userData('Trae', 'User', 'mcp.json'),
    serversKey: 'mcpServers',
    urlFields: URL_FIELD,
    source: 'https://docs.trae.ai/ide/add-mcp-servers',
  },
  Warp: {
    files: everywhere(join('.warp', '.mcp.json')),
    serversKey: 'mcpServers',
    urlFields: URL_FIELD,
    source: 'https://docs.warp.dev/agents/capabilities/mcp/',
  },
  FactoryDroid: {
    files: everywhere(join('.factory', 'mcp.json')),
    serversKey: 'mcpServers',
    urlFields: URL_FIELD,
    types: HTTP,
    isHttpOnly: true,
    source: 'https://docs.factory.ai/harness/mcp',
  },
  Auggie: {
    files: everywhere(join('.augment', 'settings.json')),
    serversKey: 'mcpServers',
    urlFields: URL_FIELD,
    types: HTTP,
    source: 'https://docs.augmentcode.com/cli/integrations',
  },
  KiloCode: {
    files: everywhere(join('.config', 'kilo', 'kilo.jsonc'), join('.config', 'kilo', 'kilo.json')),
    hasAlternatives: true,
    serversKey: 'mcp',
    urlFields: URL_FIELD,
    types: { sse: 'remote', 'streamable-http': 'remote' },
    isHttpOnly: true,
    extra: { enabled: true },
    source: 'https://kilo.ai/docs/automate/mcp/using-in-kilo-code',
  },
  KimiCode: {
    // Newer releases have a folder of another name.
    files: everywhere(join('.kimi', 'mcp.json'), join('.kimi-code', 'mcp.json')),
    serversKey: 'mcpServers',
    urlFields: URL_FIELD,
    isHttpOnly: true,
    source: 'https://moonshotai.github.io/kimi-code/en/customization/mcp.html',
  },
  RovoDev: {
    files: everywhere(join('.rovodev', 'mcp.json')),
    serversKey: 'mcpServers',
    urlFields: URL_FIELD,
    isHttpOnly: true,
    extra: { transport: 'http' },
    source: 'https://support.atlassian.com/rovo/docs/connect-to-an-mcp-server-in-rovo-dev-cli',
  },
  CopilotJetBrains: {
    files: everywhere(join('.config', 'github-copilot', 'intellij', 'mcp.json')),
    serversKey: 'servers',
    urlFields: URL_FIELD,
    types: HTTP,
    source: 'https://docs.github.com/en/copilot/how-tos/provide-context/use-mcp/extend-copilot-chat-with-mcp',
  },
  // The part of VS Code that runs on the machine that a window is connected to.
  VSCodeServer: vsCode(everywhere(join('.vscode-server', 'data', 'User', 'mcp.json'))),
} as const satisfies Record<ClientType, ClientProgram>

/** The program, with the command by which it can start a bridge of ours. */
export const clientProgram = (client: ClientType, ownCommand: readonly string[]): ClientProgram => ({
  ...CLIENT_PROGRAMS[client],
  ownCommand,
})
