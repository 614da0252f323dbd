import type { ClientType } from './client-types.ts'

/** What the makers call their clients: for people, never for programs. */
const TITLES: Readonly<Record<ClientType, string>> = {
  RooCode: 'Roo Code',
  Cline: 'Cline',
  Cursor: 'Cursor',
  VSCodeInsider: 'VS Code Insiders',
  VSCode: 'VS Code',
  ClaudeCode: 'Claude Code',
  Windsurf: 'Windsurf',
  WindsurfJetBrains: 'Windsurf for JetBrains',
  AmpCli: 'Amp CLI',
  AmpVSCode: 'Amp in VS Code',
  AmpCursor: 'Amp in Cursor',
  AmpVSCodeInsider: 'Amp in VS Code Insiders',
  AmpWindsurf: 'Amp in Windsurf',
  GeminiCli: 'Gemini CLI',
  QwenCode: 'Qwen Code',
  CopilotCli: 'GitHub Copilot CLI',
  Zed: 'Zed',
  LMStudio: 'LM Studio',
  Kiro: 'Kiro',
  Crush: 'Crush',
  Antigravity: 'Antigravity',
  VSCodeServer: 'VS Code Server',
  ClaudeDesktop: 'Claude Desktop',
  Junie: 'JetBrains Junie',
  Codex: 'Codex',
  Goose: 'Goose',
  Continue: 'Continue',
  OpenCode: 'OpenCode',
  Trae: 'Trae',
  Warp: 'Warp',
  FactoryDroid: 'Factory Droid',
  Auggie: 'Auggie',
  KiloCode: 'Kilo Code',
  KimiCode: 'Kimi Code',
  RovoDev: 'Rovo Dev',
  CopilotJetBrains: 'GitHub Copilot for JetBrains',
}

/** A client that is newer than this text is called by its type. */
export function clientTitle(type: string): string {
  return new Map(Object.entries(TITLES)).get(type) ?? type
}
