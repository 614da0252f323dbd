import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, extname, join } from 'node:path'
import type { ClientType } from '@toolhaven/contract/client-types'
import type { ClientEntry } from '@toolhaven/core/ports/clients'
import { parse } from 'jsonc-parser'
import { parse as parseToml } from 'smol-toml'
import { parse as parseYaml } from 'yaml'
import { expect, onTestFinished, test } from 'vitest'
import { createForeignEntries } from '../adopt/foreign-entries.ts'
import { createSerialQueue } from '../files/serial-queue.ts'
import { createClientFiles } from './client-files.ts'

const HTTP: ClientEntry = { url: 'http://127.0.0.1:18342/mcp', transport: 'streamable-http' }
const SSE: ClientEntry = { url: 'http://127.0.0.1:18342/sse', transport: 'sse' }

const goose = (uri: string) => ({
  ...{ name: 'time', uri, type: 'streamable_http' },
  ...{ enabled: true, description: 'Runs in Toolhaven', timeout: 300 },
})

/** A file as the program or its users write it, with a server of their own, and what ours must look like in it. */
const FILES: readonly {
  client: ClientType
  file: string
  key: string
  text: string
  http: object
  sse: object
}[] = [
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
    client: 'Codex',
    file: '.codex/config.toml',
    key: 'mcp_servers',
    text: `model = "gpt-5-codex" # the usual one
notify = [
  ["notify-send", "codex"], # [mcp_servers.time]
]

[mcp_servers.own]
command = "npx"
args = [
  "-y",
  "server",
]

[mcp_servers.own.env]
KEY = '''
[mcp_servers.fetch]
'''
# the last word

[tui]
theme = "dark"
`,
    http: { url: HTTP.url },
    // It speaks streamable HTTP only.
    sse: { url: HTTP.url },
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
    client: 'Goose',
    file: '.config/goose/config.yaml',
    key: 'extensions',
    text: `# Model
active_provider: anthropic
providers:
  anthropic:
    enabled: true
    model: claude-sonnet-4-5-20250929
GOOSE_MODE: "smart_approve" # ask first
extensions:
  developer:
    bundled: true
    enabled: true
    name: developer
    timeout: 300
    type: builtin

  own:
    args:
    - -y
    - server
    cmd: npx
    description: >-
      Looks things up,
      slowly
    enabled: true
    env_keys: []
    envs: {}
    name: own
    timeout: 300
    type: stdio
    # available_tools: []
SECURITY_PROMPT_ENABLED: true
`,
    http: goose(HTTP.url),
    // It speaks streamable HTTP only.
    sse: goose(HTTP.url),
  },
  {
    client: 'Continue',
    file: '.continue/config.yaml',
    key: 'mcpServers',
    text: `name: Local Assistant\r
version: 1.0.0\r
schema: v1\r
models:\r
  - uses: anthropic/claude-sonnet-4\r
    with:\r
      ANTHROPIC_API_KEY: \${{ secrets.ANTHROPIC_API_KEY }}\r
mcpServers:\r
  - uses: continuedev/memory-mcp\r
  # by hand\r
  - name: own\r
    command: npx\r
    args:\r
      - "-y"\r
      - server\r
\r
rules: []`,
    http: { name: 'time', type: 'streamable-http', url: HTTP.url },
    sse: { name: 'time', type: 'sse', url: SSE.url },
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
]

test.each(FILES)(
  '$client: an entry is written, read back, adopted and undone byte for byte',
  async ({ client, file, key, text, http, sse }) => {
    const folder = await mkdtemp(join(tmpdir(), 'thv-written-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const path = join(folder, 'home', file)
    await mkdir(dirname(path), { recursive: true })
    await mkdir(join(folder, 'state'), { mode: 0o700 })
    await writeFile(path, text)
    const silent = { debug() {}, info() {}, warn() {}, error() {} }
    const homeDir = join(folder, 'home')
    const ownCommand = ['/opt/node', '/opt/thv.mjs']
    const places = { homeDir, platform: 'linux', inTurn: createSerialQueue(), ownCommand } as const
    const files = createClientFiles({ ...places, stateDir: join(folder, 'state'), logger: silent })
    const readers: Record<string, (content: string) => unknown> = {
      '.toml': (content) => parseToml(content),
      '.yaml': (content) => parseYaml(content),
    }
    const reader = readers[extname(file)] ?? ((content) => parse(content))
    const read = (content: string) => byName(Object(reader(content))[key])
    const servers = async () => read(await readFile(path, 'utf8'))
    const { own, ...rest } = read(text)
    const sync = (...entries: [string, ClientEntry][]) => files.sync(client, new Map(entries), new Map())

    await sync(['time', HTTP], ['fetch', SSE])
    expect(await servers()).toEqual({ ...rest, own, time: http, fetch: named('fetch', sse) })
    // The transport of one changes, and the other is gone.
    await sync(['time', SSE])
    expect(await servers()).toEqual({ ...rest, own, time: sse })
    await sync(['time', HTTP])
    expect(await servers()).toEqual({ ...rest, own, time: http })
    // The list of ours is lost: the entry is known by its shape.
    await rm(join(folder, 'state', 'client-entries.json'))
    await files.sync(client, new Map(), new Map([['time', HTTP]]))
    expect(await readFile(path, 'utf8')).toBe(text)

    const foreign = createForeignEntries(places)
    const { entries } = await foreign.list()
    const [entry] = entries.filter((each) => each.key === 'own')
    expect(entry).toMatchObject({ client, path, definition: { command: [own.command ?? own.cmd].flat()[0] } })
    const place = { client, path, key: 'own' }
    expect(await foreign.point(place, entry?.text ?? '', HTTP)).toBe('written')
    expect((await servers()).own).toMatchObject(
      named('own', { ...http, ...('description' in own && { description: own.description }) }),
    )
    expect(await foreign.restore(place, HTTP.url, entry?.text ?? '')).toBe('restored')
    expect(await readFile(path, 'utf8')).toBe(text)
  },
)

/** In a list, each entry has its name in it. */
const byName = (servers: unknown) =>
  Object(Array.isArray(servers) ? Object.fromEntries(servers.map((each) => [each.name, each])) : servers)

/** An entry of another name. */
const named = (name: string, entry: object) => ('name' in entry ? { ...entry, name } : entry)
