import { expect, test } from 'vitest'
import { fieldsNotTaken, isRunConfig, readRunConfig } from './read-run-config.ts'

const exported = { schema_version: 'v0.1.0', name: 'notes', image: 'npx://notes', transport: 'stdio' }

test('fields that this version does not know are left out and named, wherever they stand', () => {
  const given = { ...exported, colour: 'red', resources: { memory_mb: 64, gpu: 1 } }
  expect(readRunConfig(given)).toEqual({
    config: { ...exported, resources: { memory_mb: 64 } },
    left: ['colour', 'resources.gpu'],
  })
  // What was read stays as it is.
  expect(given.resources.gpu).toBe(1)
})

test.each([
  [{ ...exported, schema_version: 'v9' }, /schema_version must be v0\.1\.0/],
  [{ ...exported, name: '../x' }, /name must be 1 to 100 letters/],
  [{ ...exported, resources: { memory_mb: 'much' } }, /resources\.memory_mb must be a number/],
  [{ ...exported, env_vars: { A: '\0' } }, /env_vars\.A /],
])('what is wrong is named with its place: %j', (given, says) => {
  expect(() => readRunConfig(given)).toThrow(says)
})

test('fields that would not be in force are named, unless they say nothing', () => {
  const { config } = readRunConfig({ ...exported, base_name: 'io.example/notes', cmd_args: [], debug: false })
  const { config: inForce } = readRunConfig(exported)
  expect(fieldsNotTaken(config, inForce)).toEqual(['base_name'])
})

test('a run configuration is told from other JSON', () => {
  expect([exported, { mcpServers: {} }, null, 'schema_version'].map(isRunConfig)).toEqual([true, false, false, false])
})
