import { HTTP, SSE, type WrittenFile } from './written-file.ts'

const goose = (uri: string) => ({
  ...{ name: 'time', uri, type: 'streamable_http' },
  ...{ enabled: true, description: 'Runs in Toolhaven', timeout: 300 },
})

/** Files in TOML and YAML. */
export const OTHER_CLIENT_FILES: readonly WrittenFile[] = [
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
]
