import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { curlCommand, thvCallCommand } from './as-command.ts'

/** As a shell reads them. */
const words = (command: string) =>
  execFileSync('sh', ['-c', `set -- ${command}; for word; do printf '%s\\n' "$word"; done`], { encoding: 'utf8' })
    .trimEnd()
    .split('\n')

test('what a server or a person writes stays one word of the command', () => {
  const tool = `x'; touch /tmp/owned; echo "$(id)`
  expect(words(thvCallCommand('notes', tool, { a: `it's` }))).toEqual([
    ...['thv', 'call', 'notes', tool, '--json', `{"a":"it's"}`],
  ])
  expect(words(thvCallCommand('notes', '--json', {}))).toEqual(['thv', 'call', '--', 'notes', '--json'])
})

test('what ends a line or the pasting in a terminal is not in the command', () => {
  for (const tool of ['a\u0003\nid\n', '\u001B[201~\nid\n', "it's \\ \u0007", 'süß\u009B201~\r']) {
    const command = thvCallCommand('notes', tool, {})
    expect(command).not.toMatch(/\p{Cc}/u)
    const read = execFileSync('bash', ['-c', `set -- ${command}; printf '%s' "$4"`], { encoding: 'utf8' })
    expect(read).toBe(tool)
  }
})

test('curl gets one request without a session, with a name in any script', () => {
  const request = { method: 'tools/call', params: { name: 'süß', arguments: {} } }
  const found = words(curlCommand('http://127.0.0.1:1/mcp', request))
  expect(found).toContain('mcp-name: =?base64?c8O8w58=?=')
  expect(found).toContain('mcp-method: tools/call')
  expect(JSON.parse(found.at(-1) ?? '')).toMatchObject({ jsonrpc: '2.0', id: 1, ...request })
})
