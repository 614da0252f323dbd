import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs, stripVTControlCharacters } from 'node:util'
import { EXPECTED_SKIPS } from '@toolhaven/testing/expected-skips'
import { unexpectedSkips } from './skips.ts'
import type { Summary } from './summary-reporter.ts'

interface Stage {
  project: string
  /** Against hanging; a sampled run takes about half of these together. A full run takes the time it takes. */
  limitMinutes: number
}

const root = path.resolve(import.meta.dirname, '..')
const strict = process.env['CI'] === 'true'
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { full: { type: 'boolean', default: false }, stage: { type: 'string', multiple: true } },
})

const stages: Stage[] = [
  { project: 'unit', limitMinutes: 14 },
  { project: 'engine', limitMinutes: 16 },
  { project: 'site', limitMinutes: 14 },
  ...(existsSync(path.join(root, 'e2e')) ? [{ project: 'e2e', limitMinutes: 26 }] : []),
].filter(({ project }) => values.stage?.includes(project) ?? true)

const total = { passed: 0, failed: 0, skipped: 0 }
/** Told again at the very end: of a long log, often only the end is kept. */
const failures: string[] = []
let interrupted = false
for (const stage of stages) {
  if (interrupted) break
  const began = Date.now()
  const came = await runStage(stage)
  total.passed += came.passed
  total.failed += came.failed
  total.skipped += came.skipped
  const seconds = ((Date.now() - began) / 1000).toFixed(0)
  console.log(
    `\n${stage.project}: ${came.passed} passed, ${came.failed} failed, ${came.skipped} skipped (${seconds} s)`,
  )
}
if (stages.length === 0) {
  console.log('No such stage.')
  total.failed += 1
}
for (const failure of failures) console.log(`\nFAILED: ${failure}`)
console.log(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`)
process.exitCode = total.failed === 0 ? 0 : 1

async function runStage(stage: Stage): Promise<typeof total> {
  console.log(`\n=== ${stage.project} ===`)
  const folder = mkdtempSync(path.join(tmpdir(), 'thv-summary-'))
  const file = path.join(folder, 'summary.json')
  try {
    const code = await runVitest(stage, file)
    if (!existsSync(file)) return failed(`${stage.project}: vitest ended with ${code} and left no summary`)
    const summary: Summary = JSON.parse(readFileSync(file, 'utf8'))
    return judge(stage, summary, code)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function judge(stage: Stage, summary: Summary, code: number | string): typeof total {
  const came = { passed: summary.passed, failed: summary.failures.length, skipped: summary.skips.length }
  for (const { test, reason } of summary.failures) failures.push(`${stage.project}: ${test}\n${shortened(reason)}`)
  for (const { test, reason } of summary.skips) console.log(`skipped: ${test}: ${reason ?? '(no reason given)'}`)
  for (const { test, reason } of unexpectedSkips(summary.skips, EXPECTED_SKIPS, strict)) {
    failures.push(`${stage.project}: nobody expects this skip: ${test}: ${reason ?? '(no reason given)'}`)
    came.failed += 1
    came.skipped -= 1
  }
  if (came.passed + came.failed + came.skipped === 0 && positionals.length === 0) {
    return failed(`${stage.project}: no test ran`)
  }
  if (came.failed === 0 && code !== 0) return { ...came, ...failed(`${stage.project}: vitest ended with ${code}`) }
  return came
}

function failed(message: string): typeof total {
  failures.push(message)
  return { passed: 0, failed: 1, skipped: 0 }
}

function shortened(reason: string): string {
  return stripVTControlCharacters(reason).split('\n').slice(0, 12).join('\n')
}

function runVitest(stage: Stage, summaryFile: string): Promise<number | string> {
  const args = [
    path.join(root, 'node_modules/vitest/vitest.mjs'),
    ...['run', '--project', stage.project, '--reporter=default', '--reporter=./tools/summary-reporter.ts'],
    ...(positionals.length > 0 ? ['--passWithNoTests', ...positionals] : []),
  ]
  const env = {
    ...process.env,
    THV_TEST_SUMMARY: summaryFile,
    THV_TEST_ROTATION: process.env['THV_TEST_ROTATION'] ?? round(),
    ...(values.full ? { THV_TEST_FULL: '1' } : {}),
  }
  const { promise, resolve } = Promise.withResolvers<number | string>()
  // A group of its own, so that what hangs can be ended with everything it started.
  const child = spawn(process.execPath, args, {
    cwd: root,
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
    detached: true,
  })
  const end = (signal: NodeJS.Signals) => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, signal)
  }
  const timers = values.full
    ? []
    : [
        setTimeout(() => end('SIGTERM'), stage.limitMinutes * 60_000),
        setTimeout(() => end('SIGKILL'), stage.limitMinutes * 60_000 + 30_000),
      ]
  const interrupt = (signal: NodeJS.Signals) => {
    interrupted = true
    end(signal)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, interrupt)
  child.on('error', (error) => resolve(error.message))
  child.on('exit', (code, signal) => {
    for (const timer of timers) clearTimeout(timer)
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.off(name, interrupt)
    resolve(code ?? `signal ${signal} (its limit is ${stage.limitMinutes} minutes)`)
  })
  return promise
}

/** Moves on with every commit, and is the same for everybody who tests that commit. */
function round(): string {
  const counted = spawnSync('git', ['rev-list', '--count', 'HEAD'], { cwd: root, encoding: 'utf8' })
  return counted.status === 0 ? counted.stdout.trim() : '0'
}
