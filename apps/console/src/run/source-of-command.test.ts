import { expect, test } from 'vitest'
import { sourceOfCommand } from './source-of-command.ts'

test('the command of a README is understood, and what may mean something else is left', () => {
  expect(sourceOfCommand('npx -y @scope/server@1.2.0 /notes')).toEqual({
    image: 'npx://@scope/server@1.2.0',
    args: ['/notes'],
  })
  expect(sourceOfCommand(' uvx mcp-server-time ')).toEqual({ image: 'uvx://mcp-server-time', args: [] })
  for (const other of ['npx', 'npx -y', 'uvx --from pkg cmd', 'npx://server', 'docker run x', 'time'])
    expect(sourceOfCommand(other)).toBeUndefined()
})
