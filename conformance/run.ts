import { parseArgs } from 'node:util'
import { REAL_CLIENTS } from './src/clients/real-clients.ts'
import { BACKS, tryClient } from './src/clients/try-client.ts'
import { faultsOf, limitsTable, table } from './src/report.ts'
import { runWays, type Row } from './src/run-ways.ts'
import { SUITE_RUNS } from './src/suites.ts'
import { WAYS } from './src/targets.ts'

/**
 * `npm run test:conformance -- --suite 0.2 --revision 2025-11-25 --via stdio --scenario tools-list`, or `-- --clients`;
 * all of it without.
 */
const { values } = parseArgs({
  options: {
    suite: { type: 'string' },
    revision: { type: 'string' },
    via: { type: 'string', multiple: true },
    scenario: { type: 'string', multiple: true, default: [] },
    clients: { type: 'boolean', default: false },
  },
})
const isPartial = Boolean(values.suite ?? values.revision ?? values.via) || values.scenario.length > 0
const runs = SUITE_RUNS.filter(
  ({ name, revision }) => name === (values.suite ?? name) && revision === (values.revision ?? revision),
)
const ways = WAYS.filter((way) => values.via?.includes(way) ?? true)
if (runs.length === 0 || ways.length === 0)
  throw new Error('Nothing to run: suites are 0.1 and 0.2, revisions 2025-11-25 and 2026-07-28.')

const rows: Row[] = []
for (const run of values.clients ? [] : runs) {
  const found = await runWays(run, ways, values.scenario)
  process.stdout.write(`${table(found)}\n\n`)
  rows.push(...found)
}
const faults = faultsOf(rows)
if (!values.clients) process.stdout.write(`Known limits:\n${limitsTable()}\n\n`)
for (const fault of faults) process.stdout.write(`${fault}\n`)
if (!values.clients) process.stdout.write(`${rows.length} scenarios, ${faults.length} faults\n`)

let unequal = 0
for (const client of values.clients || !isPartial ? REAL_CLIENTS : [])
  for (const back of BACKS)
    for (const { front, isEqual, direct, proxied } of await tryClient(client, back)) {
      process.stdout.write(`${client.name}, server behind ${back}, front ${front}: ${isEqual ? 'equal' : 'differs'}\n`)
      if (isEqual) continue
      unequal++
      process.stdout.write(`  direct:  ${JSON.stringify(direct)}\n  proxied: ${JSON.stringify(proxied)}\n`)
    }
process.exitCode = faults.length + unequal === 0 ? 0 : 1
