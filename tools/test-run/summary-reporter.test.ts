import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

const root = path.resolve(import.meta.dirname, '../..')

/** Inside the repository, so that the suite made here finds vitest. */
function runSuite(source: string): unknown {
  const parent = path.join(root, '.cache')
  mkdirSync(parent, { recursive: true })
  const folder = mkdtempSync(path.join(parent, 'suite-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(
    path.join(folder, 'made.test.ts'),
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
  return JSON.parse(readFileSync(file, 'utf8'))
}

test('counts what passed and failed, and keeps the reason of every skip', () => {
  const summary = runSuite(`
    test('good', () => {})
    test('bad', () => { expect(1).toBe(2) })
    test('told', (context) => context.skip('no engine here'))
    test.skip('silent', () => {})
  `)
  expect(summary).toMatchObject({
    passed: 1,
    failures: [{ test: 'made.test.ts > bad', reason: expect.stringContaining('expected 1 to be 2') }],
    skips: [{ test: 'made.test.ts > told', reason: 'no engine here' }, { test: 'made.test.ts > silent' }],
  })
})

test('counts a group whose hook throws as failed, not as skipped', () => {
  const summary = runSuite(`
    describe('group', () => {
      beforeAll(() => { throw new Error('no') })
      test('never runs', () => {})
    })
  `)
  expect(summary).toMatchObject({
    passed: 0,
    failures: [{ test: 'made.test.ts > group', reason: expect.stringMatching(/^no\b/) }],
    skips: [],
  })
})

test('counts a file that cannot be loaded as failed', () => {
  expect(runSuite(`throw new Error('broken')`)).toMatchObject({
    passed: 0,
    failures: [{ reason: expect.stringMatching(/^broken\b/) }],
  })
})

test('counts an error outside any test as failed', () => {
  const summary = runSuite(`test('fine', async () => { void Promise.reject(new Error('lost')) })`)
  expect(summary).toMatchObject({
    passed: 1,
    failures: [{ test: 'outside any test', reason: expect.stringMatching(/^lost\b/) }],
  })
})

test('says where a test failed and what caused it', () => {
  const summary = runSuite(`test('bad', () => { throw new Error('fetch failed', { cause: new Error('refused') }) })`)
  const reason = expect.stringMatching(/^fetch failed\n {2}at .*made\.test\.ts:2\ncaused by: refused$/)
  expect(summary).toMatchObject({ failures: [{ reason }] })
})

test('says how long each file took', () => {
  const summary = runSuite(`test('slow', () => new Promise((resolve) => setTimeout(resolve, 200)))`)
  expect(summary).toMatchObject({ files: [{ file: 'made.test.ts', startedAt: expect.any(Number) }] })
  expect(summary).toHaveProperty(
    'files.0.seconds',
    expect.toSatisfy((seconds: number) => seconds >= 0.2),
  )
})

test('a test that passes only when it is tried again has failed', () => {
  const summary = runSuite(`
    let tries = 0
    test('second time lucky', { retry: 3 }, () => { expect(tries++).toBe(1) })
  `)
  expect(summary).toMatchObject({ passed: 0, failures: [{ test: 'made.test.ts > second time lucky' }] })
})
