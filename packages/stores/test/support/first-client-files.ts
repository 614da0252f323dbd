import { parseClientType } from '@toolhaven/contract/client-types'
import { HTTP, SSE, type WrittenFile } from './written-file.ts'

/** Of the client types of the specification. */
export const FIRST_CLIENT_FILES: readonly WrittenFile[] = [
  {
    client: 'RooCode',
    file: '.config/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json',
    key: 'mcpServers',
    text: `{
  "mcpServers": {
    "own": {
      "command": "npx",
      "args": ["-y", "server"],
      "alwaysAllow": ["read"],
      "disabled": false
    }
  }
}
`,
    http: { type: 'streamable-http', url: HTTP.url },
    sse: { type: 'sse', url: SSE.url },
  },
  {
    client: 'Cline',
    file: '.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json',
    key: 'mcpServers',
    text: '{\n  "mcpServers": {\n    "own": {\n      "autoApprove": [],\n      "timeout": 60,\n      "type": "stdio",\n      "command": "npx"\n    }\n  }\n}',
    http: { type: 'streamableHttp', url: HTTP.url },
    sse: { type: 'sse', url: SSE.url },
  },
  {
    client: 'Cursor',
    file: '.cursor/mcp.json',
    key: 'mcpServers',
    text: '{\n  "mcpServers": {\n    "own": {\n      "command": "npx",\n      "env": { "KEY": "${env:KEY}" }\n    }\n  }\n}\n',
    http: { type: 'http', url: HTTP.url },
    sse: { type: 'sse', url: SSE.url },
  },
  ...Object.entries({ VSCodeInsider: 'Code - Insiders', VSCode: 'Code' } as const).map(
    ([client, folder]): WrittenFile => ({
      client: parseClientType(client) ?? 'VSCode',
      file: `.config/${folder}/User/mcp.json`,
      key: 'servers',
      text: `{
\t"inputs": [
\t\t{ "type": "promptString", "id": "key", "description": "API key", "password": true }
\t],
\t"servers": {
\t\t// asks for its key
\t\t"own": { "type": "stdio", "command": "npx", "env": { "KEY": "\${input:key}" } }
\t}
}`,
      http: { type: 'http', url: HTTP.url },
      sse: { type: 'sse', url: SSE.url },
    }),
  ),
  {
    client: 'ClaudeCode',
    file: '.claude.json',
    key: 'mcpServers',
    text: `{
  "numStartups": 42,
  "projects": {
    "/home/you/work": { "allowedTools": [], "mcpServers": { "time": { "command": "of the project" } } }
  },
  "mcpServers": {
    "own": { "type": "stdio", "command": "npx", "args": ["-y", "server"], "env": {} }
  },
  "userID": "0"
}`,
    http: { type: 'http', url: HTTP.url },
    sse: { type: 'sse', url: SSE.url },
  },
  {
    client: 'Windsurf',
    file: '.codeium/windsurf/mcp_config.json',
    key: 'mcpServers',
    text: '{\n  "mcpServers": {\n    "own": {\n      "command": "npx",\n      "disabledTools": ["write"]\n    }\n  }\n}',
    http: { type: 'http', serverUrl: HTTP.url },
    sse: { type: 'sse', serverUrl: SSE.url },
  },
  {
    client: 'WindsurfJetBrains',
    file: '.codeium/mcp_config.json',
    key: 'mcpServers',
    text: '{"mcpServers":{"own":{"command":"uvx","args":["server"]}}}',
    http: { type: 'http', serverUrl: HTTP.url },
    sse: { type: 'sse', serverUrl: SSE.url },
  },
  {
    client: 'AmpCli',
    file: '.config/amp/settings.json',
    key: 'amp.mcpServers',
    text: '{\n  "amp.notifications.enabled": true,\n  "amp.mcpServers": {\n    "own": { "command": "npx", "args": ["server"] }\n  }\n}\n',
    http: { type: 'http', url: HTTP.url },
    sse: { type: 'sse', url: SSE.url },
  },
  ...Object.entries({
    AmpVSCode: 'Code',
    AmpCursor: 'Cursor',
    AmpVSCodeInsider: 'Code - Insiders',
    AmpWindsurf: 'Windsurf',
  } as const).map(([client, folder]): WrittenFile => ({
    client: parseClientType(client) ?? 'AmpVSCode',
    file: `.config/${folder}/User/settings.json`,
    key: 'amp.mcpServers',
    text: `{
    "editor.fontSize": 14, // large
    "files.exclude": { "**/.git": true, },
    "amp.mcpServers": {
        "own": { "command": "npx", "args": ["server"], },
    },
    "workbench.colorTheme": "Default Dark Modern",
}
`,
    http: { type: 'http', url: HTTP.url },
    sse: { type: 'sse', url: SSE.url },
  })),
]
