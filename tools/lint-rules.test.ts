import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'

const root = path.resolve(import.meta.dirname, '..')
const longFile = Array.from({ length: 301 }, (_, line) => `export const a${line} = ${line}`).join('\n')
const longFunction = `export function a(): void {\n${'  Math.random()\n'.repeat(61)}}`

/** A violation of each rule of the house, and beside it a place where the same is allowed. */
const planted: [rule: string, file: string, source: string, allowed?: string][] = [
  ['no-console', 'packages/core/src/log.ts', `console.log('x')`, 'tools/log.ts'],
  [
    'no-process-env',
    'packages/stores/src/env.ts',
    `export const home = process.env['HOME']`,
    'apps/cli/src/daemon/wire.ts',
  ],
  ['no-default-export', 'packages/core/src/default.ts', 'export default 1', 'vitest.config.ts'],
  ['max-lines', 'packages/core/src/long-file.ts', longFile, 'packages/core/src/long-file.test.ts'],
  ['max-lines-per-function', 'packages/core/src/long-function.ts', longFunction, 'packages/core/test/long.ts'],
  ['no-floating-promises', 'packages/core/src/floating.ts', 'async function a(): Promise<void> {}\na()'],
  ['no-explicit-any', 'packages/core/src/any.ts', 'export const a = (b: any): unknown => b'],
  ['consistent-type-assertions', 'packages/core/src/as.ts', 'export const a = (b: unknown) => b as string'],
  ['no-non-null-assertion', 'packages/core/src/bang.ts', 'export const a = (b: string[]) => b[0]!', 'e2e/bang.test.ts'],
  ['filename-case', 'packages/core/src/camelCase.ts', 'export const a = 1'],
  ['no-restricted-imports', 'packages/contract/src/other.ts', `export * from 'hono'`, 'packages/core/src/library.ts'],
  ['no-restricted-imports', 'packages/contract/src/pure.ts', `export * from 'node:fs'`],
  ['no-restricted-imports', 'packages/core/src/node.ts', `export * from 'node:fs'`, 'packages/stores/src/node.ts'],
  [
    'no-restricted-imports',
    'packages/api/src/sibling.ts',
    `export * from '@toolhaven/stores/a'`,
    'apps/cli/src/sibling.ts',
  ],
  ['no-restricted-imports', 'packages/gateway/src/sibling.ts', `export * from '@toolhaven/api/a'`],
  [
    'no-restricted-imports',
    'apps/cli/src/fake.ts',
    `export * from '@toolhaven/testing/a'`,
    'apps/cli/src/fake.test.ts',
  ],
  ['no-focused-tests', 'packages/core/src/only.test.ts', `import { test } from 'vitest'\ntest.only('a', () => {})`],
  ['no-disabled-tests', 'packages/core/src/skip.test.ts', `import { test } from 'vitest'\ntest.skip('a', () => {})`],
]

const answer = z.object({ diagnostics: z.array(z.object({ code: z.string(), filename: z.string() })) })
const found = new Map<string, string[]>()
let folder: string

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'thv-lint-'))
  copyFileSync(path.join(root, '.oxlintrc.json'), path.join(folder, '.oxlintrc.json'))
  const flags = { strict: true, module: 'nodenext', target: 'es2024', noEmit: true, types: [] }
  write('tsconfig.json', JSON.stringify({ compilerOptions: flags, include: ['**/*.ts'] }))
  for (const [, file, source, allowed] of planted) {
    write(file, `${source}\n`)
    if (allowed !== undefined) write(allowed, `${source}\n`)
  }
  const oxlint = path.join(root, 'node_modules/.bin/oxlint')
  const { stdout } = spawnSync(oxlint, ['--type-aware', '--format=json', '.'], { cwd: folder, encoding: 'utf8' })
  for (const { code, filename } of answer.parse(JSON.parse(stdout)).diagnostics) {
    found.set(filename, [...(found.get(filename) ?? []), code.replace(/^.*\((.*)\)$/, '$1')])
  }
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('the linter', () => {
  test.each(planted)('finds %s in %s', (rule, file) => {
    expect(found.get(file)).toContain(rule)
  })

  test.each(planted.filter(([, , , allowed]) => allowed !== undefined))(
    '%s (not in %s): has its exceptions',
    (rule, ...rest) => {
      expect(found.get(rest[2] ?? '') ?? []).not.toContain(rule)
    },
  )
})

function write(file: string, text: string): void {
  mkdirSync(path.join(folder, path.dirname(file)), { recursive: true })
  writeFileSync(path.join(folder, file), text)
}
