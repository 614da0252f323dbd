import { expect, test } from 'vitest'
import { applyNames, describeNames, toolsCommand } from './tool-names.ts'

const typed = (tool: string, name: string, description: string) => new Map([[tool, { name, description }]])

test('a name that is typed is added to those in force, and an empty one takes the own name again', () => {
  const inForce = { add: { name: 'plus' } }
  const after = applyNames(inForce, typed('echo', ' say ', ''))
  expect(after).toEqual({ add: { name: 'plus' }, echo: { name: 'say' } })
  expect(applyNames(after, typed('echo', '', ''))).toEqual(inForce)
  expect(applyNames({}, typed('echo', 'echo', ' '))).toEqual({})
})

test('each change of a name or description is told, and nothing else', () => {
  const before = { add: { name: 'plus', description: 'Adds' }, echo: { description: 'Says' } }
  const after = { add: { name: 'sum', description: 'Adds' } }
  expect(describeNames(before, after)).toEqual([
    'Clients see plus as sum.',
    'echo has the description of the server again.',
  ])
  expect(describeNames(after, after)).toEqual([])
  // Not what every object inherits.
  expect(describeNames({}, { add: { name: 'constructor' } })).toEqual(['Clients see add as constructor.'])
})

test('the command has the same filter and names', () => {
  expect(toolsCommand('notes', ['a', 'b c'], undefined)).toEqual({
    command: "thv edit notes --tools 'a,b c'",
    file: undefined,
  })
  expect(toolsCommand('notes', [], {}).command).toBe('thv edit notes --unset tools --unset tools-override')
  const { command, file } = toolsCommand('notes', undefined, { echo: { name: 'say' } })
  expect(command).toBe('thv edit notes --tools-override names.json')
  expect(JSON.parse(file ?? '')).toEqual({ echo: { name: 'say' } })
})
