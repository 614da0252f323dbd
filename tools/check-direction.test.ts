import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { checkDirection } from './check-direction.ts'
import { directionRules } from './direction-rules.ts'

type Tree = Record<string, string>

const packages = ['contract', 'core', 'api', 'runtimes', 'stores', 'gateway', 'testing', 'fakes', 'search']

/** Small, but laid out and linked as the repository is; every import goes the right way. */
const clean: Tree = {
  'packages/contract/src/names.ts': `import * as z from 'zod'\nexport const name = z`,
  'packages/contract/src/names.test.ts': `import { readFileSync } from 'node:fs'\nimport { name } from './names.ts'\nexport { name, readFileSync }`,
  'packages/core/src/stop.ts': `import { name } from '@toolhaven/contract/names'\nexport const stop = name`,
  'packages/core/src/stop.test.ts': `import 'node:fs'\nimport '@toolhaven/testing/fake'\nimport { stop } from './stop.ts'\nexport { stop }`,
  'packages/api/src/app.ts': `import { stop } from '@toolhaven/core/stop'\nexport const app = stop`,
  'packages/runtimes/src/docker.ts': `import type { Socket } from 'node:net'\nimport { stop } from '@toolhaven/core/stop'\nexport const docker = (_: Socket) => stop`,
  'packages/stores/src/files.ts': `import 'node:fs'\nexport const files = 1`,
  'packages/gateway/src/policy/pipeline.ts': `import 'node:http'\nexport const pipeline = 1`,
  'packages/gateway/test/support/gateway.ts': `import '@toolhaven/testing/fake'\nexport const gateway = 1`,
  'packages/testing/src/fake.ts': `import { stop } from '@toolhaven/core/stop'\nexport const fake = stop`,
  'packages/fakes/src/clock.ts': `import { stop } from '@toolhaven/core/stop'\nexport const clock = stop`,
  'packages/search/src/query.ts': `export const query = 1`,
  'apps/cli/src/wire.ts': `import { docker } from '@toolhaven/runtimes/docker'\nimport { app } from '@toolhaven/api/app'\nexport const wire = [docker, app]`,
  'apps/console/src/main.ts': `import { name } from '@toolhaven/contract/names'\nimport { query } from '@toolhaven/search/query'\nexport { name, query }`,
  'apps/console/src/demo/start.ts': `import { clock } from '@toolhaven/fakes/clock'\nexport const start = clock`,
  'tools/report.ts': `export const report = 1`,
  'node_modules/zod/package.json': '{"name":"zod","version":"4.0.0","type":"module","exports":"./index.js"}',
  'node_modules/zod/index.js': '',
  'node_modules/hono/package.json': '{"name":"hono","version":"4.0.0","type":"module","exports":"./index.js"}',
  'node_modules/hono/index.js': '',
}

const planted: [rule: string, what: string, tree: Tree][] = [
  ['contract-imports-zod-only', 'a library', { 'packages/contract/src/bad.ts': `import 'hono'` }],
  ['contract-imports-zod-only', 'a package', { 'packages/contract/src/bad.ts': `import '@toolhaven/search/query'` }],
  ['no-node-in-pure-packages', 'contract', { 'packages/contract/src/bad.ts': `import 'node:fs'` }],
  [
    'no-node-in-pure-packages',
    'core',
    { 'packages/core/src/bad.ts': `import type { Stats } from 'node:fs'\nexport type A = Stats` },
  ],
  ['no-node-in-pure-packages', 'api, without the prefix', { 'packages/api/src/bad.ts': `import 'fs'` }],
  ['core-imports-contract-only', 'an adapter', { 'packages/core/src/bad.ts': `import '@toolhaven/runtimes/docker'` }],
  ['siblings-never-meet', 'api → stores', { 'packages/api/src/bad.ts': `import '@toolhaven/stores/files'` }],
  [
    'siblings-never-meet',
    'a path round the package name',
    { 'packages/stores/src/bad.ts': `import '../../gateway/src/policy/pipeline.ts'` },
  ],
  [
    'siblings-never-meet',
    'a dynamic import',
    { 'packages/runtimes/src/bad.ts': `export const late = () => import('@toolhaven/gateway/policy/pipeline')` },
  ],
  ['packages-never-import-apps', 'an app', { 'packages/stores/src/bad.ts': `import '../../../apps/cli/src/wire.ts'` }],
  ['packages-never-import-apps', 'a tool', { 'packages/stores/src/bad.ts': `import '../../../tools/report.ts'` }],
  ['apps-never-meet', 'console → cli', { 'apps/console/src/bad.ts': `import '../../cli/src/wire.ts'` }],
  ['browser-apps-import-contract-only', 'core', { 'apps/console/src/bad.ts': `import '@toolhaven/core/stop'` }],
  ['fakes-stay-in-tests-and-the-demo', 'a package', { 'packages/api/src/bad.ts': `import '@toolhaven/fakes/clock'` }],
  ['fakes-stay-in-tests-and-the-demo', 'an app', { 'apps/console/src/bad.ts': `import '@toolhaven/fakes/clock'` }],
  ['no-node-in-pure-packages', 'fakes', { 'packages/fakes/src/bad.ts': `import 'node:fs'` }],
  ['testing-stays-in-tests', 'a package', { 'packages/core/src/bad.ts': `import '@toolhaven/testing/fake'` }],
  ['testing-stays-in-tests', 'an app', { 'apps/cli/src/bad.ts': `import '@toolhaven/testing/fake'` }],
  [
    'nobody-imports-a-test',
    'support for tests',
    { 'packages/gateway/src/bad.ts': `import '../test/support/gateway.ts'` },
  ],
  ['nobody-imports-a-test', 'a test', { 'packages/core/src/bad.ts': `import './stop.test.ts'` }],
  [
    'no-cycles',
    'two files',
    {
      'packages/core/src/one.ts': `import { two } from './two.ts'\nexport const one = () => two`,
      'packages/core/src/two.ts': `import { one } from './one.ts'\nexport const two = () => one`,
    },
  ],
  [
    'no-cycles',
    'types of two files',
    {
      'packages/core/src/one.ts': `import type { Two } from './two.ts'\nexport interface One { two: Two }`,
      'packages/core/src/two.ts': `import type { One } from './one.ts'\nexport interface Two { one: One }`,
    },
  ],
  ['everything-resolves', 'a name that nothing has', { 'packages/core/src/bad.ts': `import '@toolhaven/core/gone'` }],
]

describe('the direction check', () => {
  test('accepts a tree in which every import goes the right way', async () => {
    expect((await checkDirection(plant({}))).problems).toEqual([])
  })

  test.each(planted)('%s catches %s', async (rule, _what, tree) => {
    const { problems } = await checkDirection(plant(tree))
    expect(problems.map((problem) => problem.split(':')[0])).toContain(rule)
  })

  test('has a planted violation for every rule', () => {
    expect(new Set(planted.map(([rule]) => rule))).toEqual(new Set(directionRules.map(({ name }) => name)))
  })

  test('fails when it sees next to nothing', async () => {
    const empty = mkdtempSync(path.join(tmpdir(), 'thv-direction-'))
    onTestFinished(() => rmSync(empty, { recursive: true, force: true }))
    expect((await checkDirection(empty)).problems).toEqual([expect.stringContaining('near-zero')])
    const lonely = Object.fromEntries(
      Array.from({ length: 12 }, (_, index) => [`packages/core/src/lonely-${index}.ts`, 'export const a = 1']),
    )
    expect((await checkDirection(plant(lonely))).problems).toEqual([expect.stringContaining('near-zero')])
  })
})

function plant(extra: Tree): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'thv-direction-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [file, text] of Object.entries({ ...clean, ...extra })) {
    mkdirSync(path.join(folder, path.dirname(file)), { recursive: true })
    writeFileSync(path.join(folder, file), `${text}\n`)
  }
  mkdirSync(path.join(folder, 'node_modules/@toolhaven'), { recursive: true })
  for (const name of packages) {
    const manifest = { name: `@toolhaven/${name}`, version: '0.1.0', type: 'module', exports: { './*': './src/*.ts' } }
    writeFileSync(path.join(folder, 'packages', name, 'package.json'), JSON.stringify(manifest))
    symlinkSync(path.join(folder, 'packages', name), path.join(folder, 'node_modules/@toolhaven', name))
  }
  return folder
}
