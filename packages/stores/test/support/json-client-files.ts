import { HTTP, SSE, type WrittenFile } from './written-file.ts'

/** Of our own client types with files in JSON. */
export const JSON_CLIENT_FILES: readonly WrittenFile[] = [
  {
    client: 'GeminiCli',
    file: '.gemini/settings.json',
    key: 'mcpServers',
    text: `{
  "security": { "auth": { "selectedType": "oauth-personal" } },
  "mcpServers": {
    "own": { "command": "npx", "args": ["-y", "server"], "trust": false }
  },
  "ui": { "theme": "GitHub" }
}
`,
    http: { httpUrl: HTTP.url },
    sse: { url: SSE.url },
  },
  {
    client: 'QwenCode',
    file: '.qwen/settings.json',
    key: 'mcpServers',
    text: '{"mcpServers":{"own":{"command":"node","args":["server.js"]}},"$version":2}',
    http: { httpUrl: HTTP.url },
    sse: { url: SSE.url },
  },
  {
    client: 'CopilotCli',
    file: '.copilot/mcp-config.json',
    key: 'mcpServers',
    text: `{
  "mcpServers": {
    "own": {
      "type": "local",
      "command": "npx",
      "args": ["-y", "server"],
      "tools": ["*"]
    }
  }
}`,
    http: { type: 'http', url: HTTP.url, tools: ['*'] },
    sse: { type: 'sse', url: SSE.url, tools: ['*'] },
  },
  {
    client: 'Zed',
    file: '.config/zed/settings.json',
    key: 'context_servers',
    text: `// Zed settings
//
// For information on how to configure Zed, see the documentation.
{
  "ui_font_size": 16,
  "context_servers": {
    "own": {
      "source": "custom", // by hand
      "command": "uv",
      "args": ["run", "main.py"],
      "env": {},
    },
  },
  "theme": { "mode": "system", "light": "One Light", "dark": "One Dark" },
}
`,
    http: { url: HTTP.url },
    // It speaks streamable HTTP only.
    sse: { url: HTTP.url },
  },
  {
    client: 'LMStudio',
    file: '.lmstudio/mcp.json',
    key: 'mcpServers',
    text: '{\n  "mcpServers": {\n    "own": {\n      "command": "npx"\n    }\n  }\n}',
    http: { url: HTTP.url },
    sse: { url: SSE.url },
  },
  {
    client: 'Kiro',
    file: '.kiro/settings/mcp.json',
    key: 'mcpServers',
    text: '{\r\n\t"mcpServers": {\r\n\t\t"own": {\r\n\t\t\t"command": "uvx",\r\n\t\t\t"autoApprove": ["read"]\r\n\t\t}\r\n\t}\r\n}\r\n',
    http: { url: HTTP.url },
    sse: { url: SSE.url },
  },
  {
    client: 'Crush',
    file: '.config/crush/crush.json',
    key: 'mcp',
    text: `{
  "$schema": "https://charm.land/crush.json",
  "mcp": {
    "own": { "type": "stdio", "command": "node", "args": ["server.js"] }
  },
  "permissions": { "allowed_tools": ["view"] }
}
`,
    http: { type: 'http', url: HTTP.url },
    sse: { type: 'sse', url: SSE.url },
  },
  {
    client: 'Antigravity',
    file: '.gemini/antigravity/mcp_config.json',
    key: 'mcpServers',
    text: '{\n    "mcpServers": {\n        "own": {\n            "command": "npx",\n            "disabled": true\n        }\n    }\n}\n',
    http: { serverUrl: HTTP.url },
    sse: { serverUrl: SSE.url },
  },
  {
    client: 'VSCodeServer',
    file: '.vscode-server/data/User/mcp.json',
    key: 'servers',
    text: '{\n\t"servers": {\n\t\t"own": {\n\t\t\t"type": "stdio",\n\t\t\t"command": "npx"\n\t\t}\n\t},\n\t"inputs": []\n}',
    http: { type: 'http', url: HTTP.url },
    sse: { type: 'sse', url: SSE.url },
  },
  {
    client: 'ClaudeDesktop',
    file: '.config/Claude/claude_desktop_config.json',
    key: 'mcpServers',
    text: `{
  "globalShortcut": "Ctrl+Space",
  "mcpServers": {
    "own": {
      "command": "npx",
      "args": ["-y", "@modelcontextprotocol/server-filesystem", "/home/you/Desktop"]
    }
  }
}`,
    http: { command: '/opt/node', args: ['/opt/thv.mjs', 'proxy', 'stdio', HTTP.url] },
    sse: { command: '/opt/node', args: ['/opt/thv.mjs', 'proxy', 'stdio', SSE.url] },
  },
  {
    client: 'Junie',
    file: '.junie/mcp/mcp.json',
    key: 'mcpServers',
    text: '{\n  "mcpServers": {\n    "own": { "command": "npx", "args": ["server"], "env": { "KEY": "x" } }\n  }\n}\n',
    http: { command: '/opt/node', args: ['/opt/thv.mjs', 'proxy', 'stdio', HTTP.url] },
    sse: { command: '/opt/node', args: ['/opt/thv.mjs', 'proxy', 'stdio', SSE.url] },
  },
  {
    client: 'OpenCode',
    file: '.config/opencode/opencode.jsonc',
    key: 'mcp',
    text: `{
  "$schema": "https://opencode.ai/config.json",
  "model": "anthropic/claude-sonnet-4-5",
  // Tools
  "mcp": {
    "own": { "type": "local", "command": ["npx", "-y", "server"], "enabled": true },
  },
}
`,
    http: { url: HTTP.url, type: 'remote', enabled: true },
    // One that leads to streamable HTTP always works.
    sse: { url: HTTP.url, type: 'remote', enabled: true },
  },
  {
    client: 'Trae',
    file: '.config/Trae/User/mcp.json',
    key: 'mcpServers',
    text: '{\n  "mcpServers": {\n    "own": {\n      "command": "npx",\n      "args": ["-y", "server"],\n      "env": {},\n      "fromGalleryId": "modelcontextprotocol.servers_own"\n    }\n  }\n}',
    http: { url: HTTP.url },
    sse: { url: SSE.url },
  },
  {
    client: 'Warp',
    file: '.warp/.mcp.json',
    key: 'mcpServers',
    text: '{\n  "mcpServers": {\n    "own": { "command": "npx", "args": ["server"], "working_directory": null }\n  }\n}\n',
    http: { url: HTTP.url },
    sse: { url: SSE.url },
  },
  {
    client: 'FactoryDroid',
    file: '.factory/mcp.json',
    key: 'mcpServers',
    text: '{\n  "mcpServers": {\n    "own": {\n      "type": "stdio",\n      "command": "npx",\n      "args": ["server"],\n      "disabled": false\n    }\n  }\n}\n',
    http: { type: 'http', url: HTTP.url },
    // Its makers describe streamable HTTP only.
    sse: { type: 'http', url: HTTP.url },
  },
  {
    client: 'Auggie',
    file: '.augment/settings.json',
    key: 'mcpServers',
    text: '{ "model": "sonnet4.5", "mcpServers": { "own": { "command": "npx", "args": ["server"] } }, "indexingAllowDirs": [] }',
    http: { type: 'http', url: HTTP.url },
    sse: { type: 'sse', url: SSE.url },
  },
  {
    client: 'KiloCode',
    file: '.config/kilo/kilo.jsonc',
    key: 'mcp',
    text: `{
  "$schema": "https://app.kilo.ai/config.json",
  "mcp": {
    // by hand
    "own": { "type": "local", "command": ["npx", "-y", "server"], "enabled": true, "timeout": 10000 }
  },
  "permission": { "bash": "ask" }
}
`,
    http: { url: HTTP.url, type: 'remote', enabled: true },
    // One that leads to streamable HTTP always works.
    sse: { url: HTTP.url, type: 'remote', enabled: true },
  },
  {
    client: 'KimiCode',
    file: '.kimi-code/mcp.json',
    key: 'mcpServers',
    text: '{\n  "mcpServers": {\n    "own": {\n      "command": "npx",\n      "args": ["-y", "server"],\n      "disabledTools": []\n    }\n  }\n}\n',
    http: { url: HTTP.url },
    // An SSE address needs a word for the transport there, and every workload has the other one too.
    sse: { url: HTTP.url },
  },
  {
    client: 'RovoDev',
    file: '.rovodev/mcp.json',
    key: 'mcpServers',
    text: '{\n    "mcpServers": {\n        "own": {\n            "command": "npx",\n            "env": {},\n            "transport": "stdio"\n        }\n    }\n}\n',
    http: { url: HTTP.url, transport: 'http' },
    sse: { url: HTTP.url, transport: 'http' },
  },
  {
    client: 'CopilotJetBrains',
    file: '.config/github-copilot/intellij/mcp.json',
    key: 'servers',
    text: '{\r\n    "servers": {\r\n        "own": {\r\n            "type": "stdio",\r\n            "command": "npx"\r\n        }\r\n    }\r\n}\r\n',
    http: { type: 'http', url: HTTP.url },
    sse: { type: 'sse', url: SSE.url },
  },
]
