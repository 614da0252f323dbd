import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { checkDoors } from './check-doors.ts'

const users = {
  'apps/cli/src/wire.ts': `import { open } from '@toolhaven/gateway'\nimport { port } from '@toolhaven/gateway/ports/a'`,
  'packages/gateway/src/gateway.ts': '',
  'packages/gateway/src/inside.ts': '',
  'packages/gateway/src/ports/a.ts': '',
}
const doors = { '.': './src/gateway.ts', './ports/*': './src/ports/*.ts' }

test('accepts named doors that are used', () => {
  expect(checkDoors(plant(doors))).toEqual([])
})

test('refuses a door for everything', () => {
  expect(checkDoors(plant({ './*': './src/*.ts' }))).toEqual([expect.stringContaining('lets everything in')])
})

test('refuses a package without doors', () => {
  expect(checkDoors(plant(undefined))).toEqual([expect.stringContaining('name the doors')])
})

test('refuses a door that nothing goes through, and one that leads nowhere', () => {
  expect(checkDoors(plant({ ...doors, './inside': './src/inside.ts' }))).toEqual([
    expect.stringContaining('nothing imports @toolhaven/gateway/inside'),
  ])
  expect(checkDoors(plant({ ...doors, './gone': './src/gone.ts' }))).toEqual([
    expect.stringContaining('does not exist'),
  ])
})

test('refuses a path around the doors', () => {
  const around = { 'apps/cli/src/around.ts': `import { inside } from '../../../packages/gateway/src/inside.ts'` }
  expect(checkDoors(plant(doors, around))).toEqual([expect.stringContaining('apps/cli/src/around.ts')])
})

test('fails when it sees no package', () => {
  const empty = mkdtempSync(path.join(tmpdir(), 'thv-doors-'))
  onTestFinished(() => rmSync(empty, { recursive: true, force: true }))
  expect(checkDoors(empty)).toEqual([expect.stringContaining('near-zero')])
})

function plant(exports: Record<string, string> | undefined, more: Record<string, string> = {}): string {
  const root = mkdtempSync(path.join(tmpdir(), 'thv-doors-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const manifest = JSON.stringify({ name: '@toolhaven/gateway', ...(exports && { exports }) })
  for (const [file, text] of Object.entries({ ...users, ...more, 'packages/gateway/package.json': manifest })) {
    mkdirSync(path.join(root, path.dirname(file)), { recursive: true })
    writeFileSync(path.join(root, file), text)
  }
  return root
}
