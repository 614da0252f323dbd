import { expect, test } from 'vitest'
import { readJson } from './read-json.ts'
import { requestOf } from './request-of.ts'
import { basisOf, EMPTY_FORM, formOf } from './run-form.ts'
import { editCommand, thvCommand } from './thv-command.ts'

const readPasted = (text: string) => {
  const read = readJson(text)
  if (read.kind !== 'form') throw new Error('taken for a run configuration')
  return read
}

const entry = {
  ...{ name: 'io.example/notes', image: 'npx://notes@1.0.0', description: 'Notes', transport: 'stdio' as const },
  ...{ tier: 'Community' as const, status: 'active' as const, tools: ['search'] },
  env_vars: [
    { name: 'NOTES_KEY', description: 'Key', required: true, secret: true },
    { name: 'LEVEL', description: 'Level', required: false, default: 'info' },
  ],
  permissions: { read: ['/data'], network: { outbound: { allow_host: ['api.example.com'] } } },
}

test('a form from the registry asks for what the entry does not know, and leaves the rest to it', () => {
  const form = formOf(entry)
  const variables = form.variables.map((each) => (each.name === 'NOTES_KEY' ? { ...each, value: 's3cret' } : each))
  const request = requestOf({ ...form, variables }, basisOf(form, entry))
  expect(request).toEqual({
    ...{ image: 'io.example/notes', name: 'notes', group: 'default', env_vars: { LEVEL: 'info' } },
    secrets: [{ name: 'notes-NOTES_KEY', target: 'NOTES_KEY' }],
  })
  expect(JSON.stringify(request)).not.toContain('s3cret')
})

test('a narrower network keeps the folders that the entry asks for', () => {
  const { permission_profile } = requestOf({ ...formOf(entry), network: 'none' }, basisOf(formOf(entry), entry))
  expect(permission_profile).toEqual({ read: ['/data'], network: { outbound: {} } })
})

test('what clients keep fills in the form, and what looks like a key becomes a secret', () => {
  const text = JSON.stringify({
    mcpServers: {
      github: { command: 'npx', args: ['-y', '@example/github', '--fast'], env: { GITHUB_TOKEN: 'x', MODE: 'a' } },
    },
  })
  expect(readPasted(text).form).toMatchObject({
    ...{ name: 'github', image: 'npx://@example/github', args: '--fast' },
    variables: [
      { name: 'GITHUB_TOKEN', isSecret: true },
      { name: 'MODE', isSecret: false },
    ],
  })
  const remote = readPasted('{"mcpServers":{"docs":{"url":"https://example.com/mcp"}}}')
  expect(remote).toMatchObject({ form: { source: 'remote' }, left: [] })
})

test('headers of a remote server become headers of the form, those that are keys as secrets', () => {
  const headers = { Authorization: 'Bearer s3cret', 'X-Team': 'docs' }
  const remote = { type: 'http', url: 'https://example.com/mcp', headers }
  const { form, left } = readPasted(JSON.stringify({ mcpServers: { docs: remote } }))
  expect(left).toEqual([])
  const request = requestOf(form, basisOf(form))
  expect(request).toMatchObject({
    headers: { 'X-Team': 'docs' },
    headers_from_secrets: { Authorization: 'docs-Authorization' },
  })
  expect(JSON.stringify(request)).not.toContain('s3cret')
  expect(thvCommand(request)).toBe(
    'thv run --name docs --header X-Team=docs --header-secret Authorization=docs-Authorization https://example.com/mcp',
  )
})

test('what a pasted text says and the form does not have is named, without its values', () => {
  const remote = { type: 'http', url: 'https://example.com/mcp', timeout: 5 }
  const { left } = readPasted(JSON.stringify({ mcpServers: { docs: remote, other: { command: 'npx' } } }))
  expect(left).toEqual(['the server other', 'the setting timeout'])
  const local = { command: 'npx', args: ['notes'], headers: { Authorization: 'Bearer s3cret' } }
  expect(readPasted(JSON.stringify({ mcpServers: { local } })).left).toEqual(['the header Authorization'])
})

test.each([
  ['npx', ['-y', '-p', '@example/notes@2', 'notes', '--fast'], 'npx://@example/notes@2', '--fast', []],
  ['npx', ['--package=notes', 'notes-mcp'], 'npx://notes', '', ['the command notes-mcp']],
  ['uvx', ['--from', 'notes==1.0', 'notes', '.'], 'uvx://notes==1.0', '.', []],
  ['uvx', ['--python', '3.12', 'notes'], 'uvx://notes', '', ['the option --python']],
  ['npx', ['--registry=https://a:b@example.com', 'notes'], 'npx://notes', '', ['the option --registry']],
])('the package of %s %j is found among its options', (command, args, image, rest, left) => {
  const pasted = readPasted(JSON.stringify({ mcpServers: { notes: { command, args } } }))
  expect(pasted).toMatchObject({ form: { image, args: rest }, left })
})

test.each([
  ['{', /not valid JSON/],
  ['{"mcpServers":{}}', /is empty/],
  ['{"a":1}', /no "mcpServers"/],
  ['{"mcpServers":{"a":{"command":"make","args":["run"]}}}', /cannot tell what "make" runs/],
])('a text that cannot be used says why: %s', (text, reason) => {
  expect(() => readPasted(text)).toThrow(reason)
})

const requestFor = (form: typeof EMPTY_FORM) => requestOf(form, basisOf(form))

test('the equivalent command quotes what a shell would take apart', () => {
  const form = { ...EMPTY_FORM, image: 'npx://a', name: 'a', args: "it's" }
  expect(thvCommand(requestFor(form))).toBe(String.raw`thv run --name a npx://a -- 'it'\''s'`)
})

test('a list of hosts is a command where its ports are those of the web, and else a file', () => {
  const form = { ...EMPTY_FORM, image: 'npx://a', network: 'hosts' as const, hosts: 'a.example.com' }
  expect(thvCommand(requestFor(form))).toBe('thv run --permission-profile none --allow-host a.example.com npx://a')
  expect(thvCommand(requestFor({ ...form, ports: '8443' }))).toBeUndefined()
})

test('ports without a host are not those of every host', () => {
  const { permission_profile } = requestFor({ ...EMPTY_FORM, image: 'npx://a', network: 'hosts', ports: '443' })
  expect(permission_profile).toEqual({ network: { outbound: { allow_host: [] } } })
})

test('the command of an edit sets what is new and takes back what is gone', () => {
  const before = {
    ...{ image: 'npx://a', env_vars: { A: '1', B: '2' }, secrets: [{ name: 'a-key', target: 'KEY' }] },
    ...{ volumes: ['/old:/notes:ro'], tools: ['echo'], resources: { memory_mb: 512, pids: 64 } },
  }
  const update = {
    ...{ env_vars: { A: '3' }, secrets: [], volumes: ['/new:/notes'], tools: null, resources: { memory_mb: 512 } },
    ...{ allow_hosts: ['localhost:5432'], cmd_arguments: ['--fast'] },
  }
  expect(editCommand('a', before, update)).toBe(
    'thv edit a -e A=3 --volume /new:/notes --allow-host localhost:5432 ' +
      '--unset env=B --unset secret=KEY --unset pids --unset tools -- --fast',
  )
})
