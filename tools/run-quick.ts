import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { changedFiles, defaultBase, isRevision } from './test-run/changes.ts'
import { listenForInterruption } from './test-run/interruption.ts'
import { describeResult } from './test-run/report.ts'
import { runStage } from './test-run/run-stage.ts'
import { STAGES, stageOf } from './test-run/stages.ts'

const HELP = `npm run test:quick [-- --base REV]

Runs the type check, the linter, the format check and every unit test that imports something you changed, directly or
indirectly. It needs no engine and no browser. It follows imports only: npm test decides.

  --base REV   Compare with this revision (default: HEAD, or its parent if nothing is uncommitted)
`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  strict: false,
  options: { base: { type: 'string' }, help: { type: 'boolean', default: false } },
})
const base = typeof values.base === 'string' ? values.base : defaultBase()
const other = [...positionals, ...Object.keys(values).filter((name) => !['base', 'help'].includes(name))]
if (values.help === true) console.log(HELP)
else if (other.length > 0) refuse(`${other.join(', ')}: not an option of the quick loop.`)
else if (!isRevision(base)) refuse(`${base}: not a revision of this repository.`)
else await runQuick(base)

function refuse(problem: string): void {
  console.error(`${problem}\n\n${HELP}`)
  process.exitCode = 2
}

async function runQuick(base: string): Promise<void> {
  const startedAt = Date.now()
  const files = changedFiles(base)
  console.log(`Files that differ from ${base}: ${files.length}`)
  const interruption = listenForInterruption()
  const checks = runChecks(interruption.asked)
  const tests = await runStage(STAGES.unit, {
    full: false,
    filters: [`--changed=${base}`],
    strict: false,
    prefixed: false,
    interruption,
  })
  const { code, output } = await checks
  console.log(`\n${output.trim()}\n`)
  for (const failure of tests.failures) console.log(`FAILED: ${failure}\n`)
  console.log(describeResult(tests))
  const left = files.filter((file) => !['unit', undefined].includes(stageOf(file)))
  if (left.length > 0) console.log('Changed tests that need engines or a browser did not run. To run them:')
  for (const file of left) console.log(`  npm test -- --stage ${stageOf(file)} ${file}`)
  const support = files.filter((file) => /^(e2e|conformance|apps\/website)\//.test(file) && !left.includes(file))
  if (support.length > 0) console.log(`npm test runs the tests that use ${support.slice(0, 5).join(', ')}.`)
  const passed = code === 0 && tests.failures.length === 0
  console.log(`${passed ? 'Passed' : 'FAILED'} in ${((Date.now() - startedAt) / 1000).toFixed(0)} s.`)
  process.exitCode = passed ? 0 : 1
}

async function runChecks(signal: AbortSignal): Promise<{ code: number | null; output: string }> {
  const script = path.join(import.meta.dirname, 'run-checks.ts')
  const child = spawn(process.execPath, [script, 'types', 'lint', 'format'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    signal,
  })
  const { promise, resolve } = Promise.withResolvers<number | null>()
  child.on('close', resolve)
  child.on('error', () => resolve(null)) // Interrupted.
  return { output: await text(child.stdout), code: await promise }
}
