import * as z from 'zod'

/** The client programs we write configuration for: those of the specification in its order and spelling, then ours. */
export const CLIENT_TYPES = [
  'RooCode',
  'Cline',
  'Cursor',
  'VSCodeInsider',
  'VSCode',
  'ClaudeCode',
  'Windsurf',
  'WindsurfJetBrains',
  'AmpCli',
  'AmpVSCode',
  'AmpCursor',
  'AmpVSCodeInsider',
  'AmpWindsurf',
  'GeminiCli',
  'QwenCode',
  'CopilotCli',
  'Zed',
  'LMStudio',
  'Kiro',
  'Crush',
  'Antigravity',
  'VSCodeServer',
  'ClaudeDesktop',
  'Junie',
  'Codex',
  'Goose',
  'Continue',
  'OpenCode',
  'Trae',
  'Warp',
  'FactoryDroid',
  'Auggie',
  'KiloCode',
  'KimiCode',
  'RovoDev',
  'CopilotJetBrains',
] as const

export const clientType = z
  .enum(CLIENT_TYPES)
  .meta({ id: 'client.MCPClient', description: 'An AI client that Toolhaven can configure' })
export type ClientType = z.infer<typeof clientType>

const KEBAB: Record<ClientType, string> = {
  RooCode: 'roo-code',
  Cline: 'cline',
  Cursor: 'cursor',
  VSCodeInsider: 'vscode-insider',
  VSCode: 'vscode',
  ClaudeCode: 'claude-code',
  Windsurf: 'windsurf',
  WindsurfJetBrains: 'windsurf-jetbrains',
  AmpCli: 'amp-cli',
  AmpVSCode: 'amp-vscode',
  AmpCursor: 'amp-cursor',
  AmpVSCodeInsider: 'amp-vscode-insider',
  AmpWindsurf: 'amp-windsurf',
  GeminiCli: 'gemini-cli',
  QwenCode: 'qwen-code',
  CopilotCli: 'copilot-cli',
  Zed: 'zed',
  LMStudio: 'lm-studio',
  Kiro: 'kiro',
  Crush: 'crush',
  Antigravity: 'antigravity',
  VSCodeServer: 'vscode-server',
  ClaudeDesktop: 'claude-desktop',
  Junie: 'junie',
  Codex: 'codex',
  Goose: 'goose',
  Continue: 'continue',
  OpenCode: 'opencode',
  Trae: 'trae',
  Warp: 'warp',
  FactoryDroid: 'factory-droid',
  Auggie: 'auggie',
  KiloCode: 'kilo-code',
  KimiCode: 'kimi-code',
  RovoDev: 'rovo-dev',
  CopilotJetBrains: 'copilot-jetbrains',
}

/** Takes the specification's spelling or the kebab-case one, in any case. */
export function parseClientType(text: string): ClientType | undefined {
  const wanted = text.toLowerCase()
  return CLIENT_TYPES.find((type) => type.toLowerCase() === wanted || KEBAB[type] === wanted)
}
