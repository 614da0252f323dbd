import { expect, test } from 'vitest'
import { notAServer, otherProgramHint, serverHint } from './server-hint.ts'

test.each([
  ['npm://memory', 'npx://memory'],
  ['npx:@scope/memory', 'npx://@scope/memory'],
  ['npx:/memory', 'npx://memory'],
  ['@scope/memory@1.2.0', 'npx://@scope/memory@1.2.0'],
  ['pypi:mcp-server-time', 'uvx://mcp-server-time'],
  ['htp://x.example/mcp', 'http://x.example/mcp'],
  ['httpss://x.example/mcp', 'https://x.example/mcp'],
  ['localhost:9000/mcp', 'http://localhost:9000/mcp'],
  ['tools.example.com/mcp', 'https://tools.example.com/mcp'],
  ['./server.py', '--folder . -- python3 ./server.py'],
  ['server.js', '--folder . -- node server.js'],
  ['/srv/tool/index.mjs', '--folder /srv/tool -- node index.mjs'],
])('%s may have meant %s', (typed, meant) => {
  expect(serverHint([typed])).toContain(`thv run ${meant}"`)
})

test.each([
  ['npx:memory', 'npx://memory'],
  ['npm:@scope/memory', 'npx://@scope/memory'],
  ['uvx:mcp-server-time', 'uvx://mcp-server-time'],
  ['go:example.com/team/server@v1.0.0', 'go://example.com/team/server@v1.0.0'],
  ['https://www.npmjs.com/package/@scope/memory', 'npx://@scope/memory'],
  ['https://pypi.example/project/mcp-server-time/', 'uvx://mcp-server-time'],
  ['https://pkg.go.dev/example.com/team/server', 'go://example.com/team/server'],
  ['https://hub.docker.com/r/mcp/time', 'mcp/time'],
  ['docker://mcp/time:1', 'mcp/time:1'],
  ['memory@latest', 'npx://memory@latest'],
  ['https://github.com/team/server', './FOLDER'],
  ['git+https://github.com/team/server.git', './FOLDER'],
])('%s is refused before anything starts, with %s', (typed, meant) => {
  expect(notAServer(typed)).toContain(`"thv run ${meant}"`)
})

test.each(['npx://memory', 'uvx://mcp-server-time', 'time', 'ghcr.io/team/server:1', 'https://x.example/mcp'])(
  '%s means what it says',
  (typed) => {
    expect(serverHint([typed])).toBeUndefined()
    expect(otherProgramHint([typed])).toBeUndefined()
    expect(notAServer(typed)).toBeUndefined()
  },
)

test.each([
  [['npx -y @scope/memory --verbose'], 'thv run npx://@scope/memory -- --verbose'],
  [['npx', '-y', '@scope/memory'], 'thv run npx://@scope/memory'],
  [['uvx', 'mcp-server-time', '--local-timezone', 'UTC'], 'thv run uvx://mcp-server-time -- --local-timezone UTC'],
  [['docker', 'run', '-i', '--rm', 'mcp/time'], 'thv run mcp/time'],
  [
    ['docker', 'run', '-i', '-e', 'TOKEN', '-e', 'KEY=canary', '-v', '/srv:/srv:ro', 'team/server:1', '--all'],
    'thv run team/server:1 -e TOKEN -e KEY=… -v /srv:/srv:ro -- --all',
  ],
  [['bunx', 'memory'], 'thv run npx://memory'],
  [['pnpm', 'dlx', 'memory', '--all'], 'thv run npx://memory -- --all'],
  [['uv', 'tool', 'run', 'mcp-server-time'], 'thv run uvx://mcp-server-time'],
  [['go', 'run', 'example.com/team/server@latest'], 'thv run go://example.com/team/server@latest'],
  [['python3', '-m', 'mcp_server_time', '--verbose'], 'thv run uvx://mcp-server-time -- --verbose'],
  [['python server.py'], 'thv run --folder . -- python server.py'],
  [['docker'], 'thv run IMAGE'],
  [['podman', 'run', '-p', '80:80', 'mcp/time'], 'thv run IMAGE'],
])('the line of another program is written as it is here: %j', (line, meant) => {
  expect(otherProgramHint(line)).toContain(`"${meant}"`)
})
