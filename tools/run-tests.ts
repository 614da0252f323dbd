import path from 'node:path'
import { parseArgs } from 'node:util'
import { bundleCli } from './bundle-cli.ts'
import { changedFiles } from './test-run/changes.ts'
import { watchCores } from './test-run/cores.ts'
import { listenForInterruption } from './test-run/interruption.ts'
import { describeStage, percent, writeDurations } from './test-run/report.ts'
import { runStage, type StageOptions, type StageResult } from './test-run/run-stage.ts'
import { LANES, STAGES, type Stage } from './test-run/stages.ts'

const DURATIONS = path.resolve(import.meta.dirname, '../.cache/test-durations.json')

const HELP = `npm test [-- [--stage NAME]… [PATH…]]

Runs every suite, or the given stages (${Object.keys(STAGES).join(', ')}), or only the test files whose path contains PATH.

  --full         Run every cell of every matrix, as npm run test:full does
`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    full: { type: 'boolean', default: false },
    stage: { type: 'string', multiple: true },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  console.log(HELP)
  process.exit(0)
}

const isWanted = ({ name }: Stage) => values.stage?.includes(name) ?? true
const lanes = LANES.map((lane) => lane.filter(isWanted)).filter((lane) => lane.length > 0)
const interruption = listenForInterruption()

const isStrict = process.env['CI'] === 'true'
const changedBefore = isStrict ? changedFiles('HEAD') : []
const busyShare = watchCores()
const startedAt = Date.now()
if (lanes.flat().some(({ usesProgram }) => usesProgram)) await bundleCli()
const results = (await Promise.all(lanes.map(runLane))).flat()
const busy = busyShare()

const failures = results.flatMap((result) => result.failures)
if (interruption.asked.aborted) failures.push('The run was interrupted.')
// Only there nobody else edits the files meanwhile.
const changed = isStrict ? changedFiles('HEAD').filter((file) => !changedBefore.includes(file)) : []
if (changed.length > 0) failures.push(`The tests changed files of the repository: ${changed.join(', ')}`)
const unknown = (values.stage ?? []).filter((name) => !(name in STAGES))
if (unknown.length > 0)
  failures.push(`There is no stage ${unknown.join(' or ')}. Stages: ${Object.keys(STAGES).join(', ')}.`)
if (positionals.length > 0 && results.every(({ files }) => files.length === 0)) {
  failures.push(`No test file has ${positionals.join(' or ')} in its path.`)
}
for (const { skips } of results) for (const skip of skips) console.log(`skipped: ${skip}`)
for (const result of results) console.log(`\n${describeStage(result).join('\n')}`)
writeDurations(DURATIONS, results, busy)
console.log(`\nAll durations are in ${path.relative(process.cwd(), DURATIONS)}.`)
console.log(`The cores were busy ${percent(busy)} of ${((Date.now() - startedAt) / 1000).toFixed(0)} s.`)
// Failures come last: often only the end of a long log is kept.
for (const failure of failures) console.log(`\nFAILED: ${failure}`)
const sum = (count: (result: StageResult) => number) => results.reduce((total, result) => total + count(result), 0)
console.log(
  `\n${sum(({ passed }) => passed)} passed, ${failures.length} failed, ${sum(({ skipped }) => skipped)} skipped`,
)
process.exitCode = failures.length === 0 ? 0 : 1

async function runLane(lane: readonly Stage[]): Promise<StageResult[]> {
  const options: StageOptions = {
    full: values.full,
    filters: positionals,
    strict: isStrict,
    prefixed: lanes.length > 1,
    interruption,
  }
  const done: StageResult[] = []
  for (const stage of lane) {
    if (interruption.asked.aborted) break
    console.log(`\n=== ${stage.name} ===`)
    done.push(await runStage(stage, options))
  }
  return done
}
