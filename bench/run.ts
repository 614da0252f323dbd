import { mkdir, writeFile } from 'node:fs/promises'
import { availableParallelism, cpus, loadavg, release, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { bundleCli } from '../tools/bundle-cli.ts'
import { cli } from './src/benches/cli.ts'
import { coldStart } from './src/benches/cold-start.ts'
import { gateway, ROUNDS } from './src/benches/gateway.ts'
import { gatewayCosts } from './src/benches/gateway-costs.ts'
import { isolation } from './src/benches/isolation.ts'
import { listWorkloads } from './src/benches/list-workloads.ts'
import { memory } from './src/benches/memory.ts'
import { openConsole } from './src/benches/open-console.ts'
import { ready } from './src/benches/ready.ts'
import { search } from './src/benches/search.ts'
import { site } from './src/benches/site.ts'
import type { Bench } from './src/figure.ts'
import { checkPlace, publish } from './src/publish.ts'
import { installPeers } from './src/rig/peers.ts'
import { makeRig } from './src/rig/rig.ts'
import { type BenchReport, renderTable } from './src/table.ts'

const BENCHES: readonly Bench[] = [
  ready,
  cli,
  coldStart,
  gateway,
  gatewayCosts,
  isolation,
  memory,
  listWorkloads,
  openConsole,
  search,
  site,
]
const ROOT = fileURLToPath(new URL('..', import.meta.url))
const RESULTS = new URL('results/', import.meta.url)

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    strict: { type: 'boolean', default: false },
    publish: { type: 'boolean', default: false },
  },
})
process.exitCode = await main(values)

async function main({ only, strict, publish: isPublic }: typeof values): Promise<number> {
  const unknown = only?.find((name) => !BENCHES.some((bench) => bench.name === name))
  if (unknown !== undefined) {
    console.error(`there is no bench "${unknown}"; choose from ${BENCHES.map(({ name }) => name).join(', ')}`)
    return 2
  }
  const chosen = BENCHES.filter(({ name }) => only?.includes(name) ?? true)
  if (isPublic && !chosen.includes(gateway)) {
    console.error('--publish is for the figures of the gateway: choose it with --only gateway')
    return 2
  }
  if (isPublic && !(await publishing(preparePublishing))) return 1
  await bundleCli()
  const machine = { ...describeMachine(), loadBefore: loadavg() }
  const reports = await runAll(chosen)
  const results = { date: new Date().toISOString(), machine: { ...machine, loadAfter: loadavg() }, reports }
  await mkdir(RESULTS, { recursive: true })
  await writeFile(new URL('latest.json', RESULTS), `${JSON.stringify(results, undefined, 2)}\n`)
  console.log(renderTable(reports))
  const { cpu, cores, loadBefore } = machine
  console.log(
    `\n${cores} cores, ${cpu}; load average ${loadBefore.map((load) => load.toFixed(1)).join(' ')} before, ${loadavg()
      .map((load) => load.toFixed(1))
      .join(' ')} after`,
  )
  const missed = reports.flatMap(({ bench, figures }) =>
    figures.filter(({ ok }) => ok === false).map(({ name }) => `${bench.name}: ${name.trim()}`),
  )
  if (missed.length > 0) console.log(`\nTargets missed:\n${missed.map((name) => `  ${name}`).join('\n')}`)
  if (isPublic && !(await publishing(() => publish(ROOT, results, ROUNDS.count)))) return 1
  const isBad = missed.length > 0 || reports.some(({ failure }) => failure !== undefined)
  return strict && isBad ? 1 : 0
}

/** Finds before the benches what would prevent publishing after them. */
async function preparePublishing(): Promise<void> {
  await checkPlace(ROOT)
  await installPeers()
}

async function publishing(step: () => Promise<void>): Promise<boolean> {
  try {
    await step()
    return true
  } catch (error) {
    console.error(`nothing is published: ${describe(error)}`)
    return false
  }
}

async function runAll(benches: readonly Bench[]): Promise<BenchReport[]> {
  await using rig = await makeRig((line) => console.error(line))
  const reports: BenchReport[] = []
  for (const bench of benches) {
    console.error(`measuring ${bench.name} …`)
    const { name, title } = bench
    try {
      const outcome = await bench.run(rig)
      reports.push({ bench: { name, title }, ...(Array.isArray(outcome) ? { figures: outcome } : outcome) })
    } catch (error) {
      reports.push({ bench: { name, title }, figures: [], failure: describe(error) })
    }
  }
  return reports
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function describeMachine() {
  return {
    node: process.version,
    kernel: release(),
    cpu: cpus()[0]?.model ?? 'unknown processor',
    cores: availableParallelism(),
    memoryGb: Math.round(totalmem() / 2 ** 30),
  }
}
