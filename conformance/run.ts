import { parseArgs } from 'node:util'
import { faultsOf, limitsTable, table } from './src/report.ts'
import { runWays, type Row } from './src/run-ways.ts'
import { SUITE_RUNS } from './src/suites.ts'
import { WAYS } from './src/targets.ts'

/** `npm run test:conformance -- --suite 0.2 --revision 2025-11-25 --via stdio --scenario tools-list`; all of it without. */
const { values } = parseArgs({
  options: {
    suite: { type: 'string' },
    revision: { type: 'string' },
    via: { type: 'string', multiple: true },
    scenario: { type: 'string', multiple: true, default: [] },
  },
})
const runs = SUITE_RUNS.filter(
  ({ name, revision }) => name === (values.suite ?? name) && revision === (values.revision ?? revision),
)
const ways = WAYS.filter((way) => values.via?.includes(way) ?? true)
if (runs.length === 0 || ways.length === 0)
  throw new Error('Nothing to run: suites are 0.1 and 0.2, revisions 2025-11-25 and 2026-07-28.')

const rows: Row[] = []
for (const run of runs) {
  const found = await runWays(run, ways, values.scenario)
  process.stdout.write(`${table(found)}\n\n`)
  rows.push(...found)
}
const faults = faultsOf(rows)
process.stdout.write(`Known limits:\n${limitsTable()}\n\n`)
for (const fault of faults) process.stdout.write(`${fault}\n`)
process.stdout.write(`${rows.length} scenarios, ${faults.length} faults\n`)
process.exitCode = faults.length === 0 ? 0 : 1
