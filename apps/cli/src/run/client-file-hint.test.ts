import { expect, test } from 'vitest'
import { clientFileHint, clientTextHint } from './client-file-hint.ts'

test('the file of a client is answered with the command for its first server', () => {
  const mcp = { time: { command: 'uvx', args: ['mcp-server-time', '--utc'] } }
  for (const key of ['mcpServers', 'servers', 'context_servers']) {
    expect(clientFileHint({ [key]: mcp })).toContain(`It lists "${key}"`)
    expect(clientFileHint({ [key]: mcp })).toContain('"thv run uvx://mcp-server-time -- --utc"')
    expect(clientFileHint({ [key]: mcp })).toContain('"thv adopt"')
  }
  const remote = { mcpServers: { docs: { url: 'https://docs.example/mcp' } } }
  expect(clientFileHint(remote)).toContain('"thv run https://docs.example/mcp"')
  expect(clientFileHint({ mcpServers: { own: { command: '/opt/own' } } })).toContain('"thv run npx://NAME"')
})

test.each([{}, null, [], 'servers', { servers: { time: { image: 'mcp/time' } } }, { servers: [] }])(
  '%j is not the file of a client',
  (content) => {
    expect(clientFileHint(content)).toBeUndefined()
  },
)

test.each([
  ['mcpServers:\n  - name: time\n    command: uvx\n', 'mcpServers'],
  ['// Zed\n{\n  "context_servers": {},\n}', 'context_servers'],
  ['extensions:\n  time:\n    cmd: uvx\n', 'extensions'],
  ['model = "x"\n[mcp_servers.time]\ncommand = "uvx"\n', 'mcp_servers'],
])('a file in YAML, TOML or JSON with comments is recognised by its key: %j', (text, key) => {
  expect(clientTextHint(text)).toContain(`It lists "${key}"`)
})

test('the text of another file is not taken for one of a client', () => {
  expect(clientTextHint('workloads:\n  - name: servers\n')).toBeUndefined()
})
