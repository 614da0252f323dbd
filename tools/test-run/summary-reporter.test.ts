import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import type { Summary } from './summary-reporter.ts'

const root = path.resolve(import.meta.dirname, '../..')

const SUITES = {
  mixed: `
    test('good', () => {})
    test('bad', () => { expect(1).toBe(2) })
    test('told', (context) => context.skip('no engine here'))
    test.skip('silent', () => {})
  `,
  hook: `
    describe('group', () => {
      beforeAll(() => { throw new Error('no') })
      test('never runs', () => {})
    })
  `,
  broken: `throw new Error('broken')`,
  lost: `test('fine', async () => { void Promise.reject(new Error('lost')) })`,
  caused: `test('bad', () => { throw new Error('fetch failed', { cause: new Error('refused') }) })`,
  slow: `test('slow', () => new Promise((resolve) => setTimeout(resolve, 200)))`,
  lucky: `
    let tries = 0
    test('second time lucky', { retry: 3 }, () => { expect(tries++).toBe(1) })
  `,
}

let summary: Summary

/** One run for all suites, since starting vitest takes seconds. Inside the repository, so that the suites find it. */
beforeAll(() => {
  const parent = path.join(root, '.cache')
  mkdirSync(parent, { recursive: true })
  const folder = mkdtempSync(path.join(parent, 'suite-'))
  for (const [name, source] of Object.entries(SUITES))
    writeFileSync(
      path.join(folder, `${name}.test.ts`),
      `import { beforeAll, describe, expect, test } from 'vitest'\n${source}`,
    )
  writeFileSync(path.join(folder, 'vitest.config.ts'), 'export default {}')
  const file = path.join(folder, 'summary.json')
  spawnSync(
    process.execPath,
    [
      path.join(root, 'node_modules/vitest/vitest.mjs'),
      ...['run', '--root', folder, `--reporter=${path.join(import.meta.dirname, 'summary-reporter.ts')}`],
    ],
    { cwd: folder, env: { ...process.env, THV_TEST_SUMMARY: file } },
  )
  summary = JSON.parse(readFileSync(file, 'utf8'))
  return () => rmSync(folder, { recursive: true, force: true })
})

const failuresOf = (name: string) => summary.failures.filter(({ test: failed }) => failed.startsWith(name))

test('counts what passed and failed, and keeps the reason of every skip', () => {
  // "good", "fine" and "slow"
  expect(summary.passed).toBe(3)
  expect(failuresOf('mixed')).toEqual([
    { test: 'mixed.test.ts > bad', reason: expect.stringContaining('expected 1 to be 2') },
  ])
  expect(summary.skips).toMatchObject([
    { test: 'mixed.test.ts > told', reason: 'no engine here' },
    { test: 'mixed.test.ts > silent' },
  ])
})

test('counts a group whose hook throws as failed, not as skipped', () => {
  expect(failuresOf('hook')).toEqual([{ test: 'hook.test.ts > group', reason: expect.stringMatching(/^no\b/) }])
})

test('counts a file that cannot be loaded as failed', () => {
  expect(failuresOf('broken')).toEqual([{ test: 'broken.test.ts', reason: expect.stringMatching(/^broken\b/) }])
})

test('counts an error outside any test as failed', () => {
  expect(failuresOf('outside any test')).toMatchObject([{ reason: expect.stringMatching(/^lost\b/) }])
})

test('says where a test failed and what caused it', () => {
  const reason = expect.stringMatching(/^fetch failed\n {2}at .*caused\.test\.ts:2\ncaused by: refused$/)
  expect(failuresOf('caused')).toMatchObject([{ reason }])
})

test('says how long each file took', () => {
  const slow = summary.files.find(({ file }) => file === 'slow.test.ts')
  expect(slow?.startedAt).toBeGreaterThan(0)
  expect(slow?.seconds).toBeGreaterThanOrEqual(0.2)
})

test('a test that passes only when it is tried again has failed', () => {
  expect(failuresOf('lucky')).toMatchObject([{ test: 'lucky.test.ts > second time lucky' }])
})
