import { execFile } from 'node:child_process'
import { access, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { comparison, inventedRun } from './gateway/test-run.ts'
import { BEGIN, END, checkPlace, publish, withFigures } from './publish.ts'

const BEFORE = '# A title\r\n\n\ttext <!-- a comment -->\n\n'
const AFTER = '\n\n## Another — part  \n\nlast line without an end'
const README = `${BEFORE}${BEGIN}\n\nNothing yet.\n\n${END}${AFTER}`

describe('the place for figures', () => {
  test('is filled, and all around it stays', () => {
    const filled = withFigures(README, 'a\nb')
    expect(filled).toBe(`${BEFORE}${BEGIN}\n\na\nb\n\n${END}${AFTER}`)
    expect(withFigures(filled, 'a\nb')).toBe(filled)
    expect(withFigures(filled, '$& $1')).toBe(`${BEFORE}${BEGIN}\n\n$& $1\n\n${END}${AFTER}`)
  })

  test.each([
    ['no marks', BEFORE + AFTER],
    ['no end', BEFORE + BEGIN + AFTER],
    ['no beginning', BEFORE + END + AFTER],
    ['the wrong order', END + BEFORE + BEGIN],
  ])('is missed where there is %s', (_, readme) => {
    expect(() => withFigures(readme, 'a')).toThrow('README.md has no place for figures')
  })

  test('is there in the README of this repository', async () => {
    await checkPlace(fileURLToPath(new URL('../..', import.meta.url)))
  })
})

describe('publishing', () => {
  const { comparisons, ...when } = inventedRun()
  const gateway = { bench: { name: 'gateway', title: '' }, figures: [], comparisons: [...comparisons] }
  const costs = { name: 'a part of it', unit: 'ms', ours: 1, baseline: 2, ratio: 0.5 }
  const gatewayCosts = { bench: { name: 'gateway-costs', title: '' }, figures: [costs] }
  let root = ''

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'thv-publish-'))
    await writeFile(join(root, 'README.md'), README)
  })
  afterEach(() => rm(root, { recursive: true, force: true }))

  test('writes tables and a chart, and the same the second time', async () => {
    await publish(root, { ...when, reports: [gateway, gatewayCosts] }, 5)
    const readme = await readFile(join(root, 'README.md'), 'utf8')
    expect(readme.startsWith(BEFORE)).toBe(true)
    expect(readme.endsWith(AFTER)).toBe(true)
    expect(readme).toContain('](docs/gateway-bench.svg)')
    expect(readme).toContain('| 100 B, 10 × 10 | **80.0** |')
    expect(readme).toContain('| a part of it | ms | **1.00** |')
    expect(await readFile(join(root, 'docs/gateway-bench.svg'), 'utf8')).toMatch(/^<svg [^]*<\/svg>\n$/)
    await publish(root, { ...when, reports: [gateway, gatewayCosts] }, 5)
    expect(await readFile(join(root, 'README.md'), 'utf8')).toBe(readme)
  })

  const whole = comparison('whole', [1, 2, 3, 4, 5, 6])
  const { 'mcp-proxy (PyPI)': _, ...results } = whole.results
  test.each([
    ['no run', [gatewayCosts], 'gateway was not measured'],
    ['a failure', [{ ...gateway, failure: 'no compiler' }], 'gateway could not be measured: no compiler'],
    ['a failure beside it', [gateway, { ...gatewayCosts, failure: 'no' }], 'gateway-costs could not be measured: no'],
    [
      'a program that is absent',
      [{ ...gateway, comparisons: [whole, { ...whole, name: 'part', results }] }],
      'part was measured without mcp-proxy (PyPI)',
    ],
  ])('writes nothing with %s', async (_, reports, why) => {
    await expect(publish(root, { ...when, reports }, 5)).rejects.toThrow(why)
    expect(await readFile(join(root, 'README.md'), 'utf8')).toBe(README)
    await expect(access(join(root, 'docs'))).rejects.toThrow('ENOENT')
  })

  test('is refused at once where the gateway is not measured', async () => {
    const run = fileURLToPath(new URL('../run.ts', import.meta.url))
    const refused = promisify(execFile)(process.execPath, [run, '--only', 'cli', '--publish'])
    await expect(refused).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining('--only gateway') })
  })
})
