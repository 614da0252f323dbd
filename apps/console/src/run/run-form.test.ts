import { expect, test } from 'vitest'
import { readPasted } from './read-pasted.ts'
import { EMPTY_FORM, formOf, requestOf } from './run-form.ts'
import { thvCommand } from './thv-command.ts'

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
  const request = requestOf({ ...form, variables }, entry)
  expect(request).toEqual({
    ...{ image: 'io.example/notes', name: 'notes', group: 'default', env_vars: { LEVEL: 'info' } },
    secrets: [{ name: 'notes-NOTES_KEY', target: 'NOTES_KEY' }],
  })
  expect(JSON.stringify(request)).not.toContain('s3cret')
})

test('a narrower network keeps the folders that the entry asks for', () => {
  const { permission_profile } = requestOf({ ...formOf(entry), network: 'none' }, entry)
  expect(permission_profile).toEqual({ read: ['/data'], network: { outbound: {} } })
})

test('what clients keep fills in the form, and what looks like a key becomes a secret', () => {
  const text = JSON.stringify({
    mcpServers: {
      github: { command: 'npx', args: ['-y', '@example/github', '--fast'], env: { GITHUB_TOKEN: 'x', MODE: 'a' } },
    },
  })
  expect(readPasted(text)).toMatchObject({
    ...{ name: 'github', image: 'npx://@example/github', args: '--fast' },
    variables: [
      { name: 'GITHUB_TOKEN', isSecret: true },
      { name: 'MODE', isSecret: false },
    ],
  })
  expect(readPasted('{"mcpServers":{"docs":{"url":"https://example.com/mcp"}}}')).toMatchObject({ source: 'remote' })
})

test.each([
  ['{', /not valid JSON/],
  ['{"mcpServers":{}}', /no server/],
  ['{"a":1}', /no "mcpServers"/],
  ['{"mcpServers":{"a":{"command":"make","args":["run"]}}}', /cannot tell what "make" runs/],
])('a text that cannot be used says why: %s', (text, reason) => {
  expect(() => readPasted(text)).toThrow(reason)
})

test('the equivalent command quotes what a shell would take apart', () => {
  const form = { ...EMPTY_FORM, image: 'npx://a', name: 'a', args: "it's" }
  expect(thvCommand(requestOf({ ...form, network: 'hosts', hosts: 'a.example.com' }))).toBeUndefined()
  expect(thvCommand(requestOf(form))).toBe(String.raw`thv run --name a npx://a -- 'it'\''s'`)
})
