import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { gatewayChart } from './gateway/chart.ts'
import { gatewayReport } from './gateway/report.ts'
import type { GatewayRun, Machine } from './gateway/wording.ts'
import { PEER_NAMES } from './rig/peers.ts'
import type { BenchReport } from './table.ts'

export const BEGIN = '<!-- gateway figures: written by npm run bench -- --only gateway --publish -->'
export const END = '<!-- end of gateway figures -->'
const CHART = 'docs/gateway-bench.svg'

export interface Results {
  date: string
  machine: Machine
  reports: readonly BenchReport[]
}

/**
 * Writes the figures of a run into the README of the repository, and their chart next to it. Writes nothing if one is
 * missing.
 */
export async function publish(root: string, results: Results, rounds: number): Promise<void> {
  const run = publishable(results, rounds)
  const readme = join(root, 'README.md')
  const changed = withFigures(await readFile(readme, 'utf8'), `${image(run)}\n\n${gatewayReport(run)}`)
  await mkdir(dirname(join(root, CHART)), { recursive: true })
  await writeFile(join(root, CHART), gatewayChart(run))
  await writeFile(readme, changed)
}

/** Throws where there is no place for figures: better before a long run than after it. */
export async function checkPlace(root: string): Promise<void> {
  withFigures(await readFile(join(root, 'README.md'), 'utf8'), '')
}

/** Everything else is unchanged. */
export function withFigures(readme: string, figures: string): string {
  const begin = readme.indexOf(BEGIN)
  const end = readme.indexOf(END, begin)
  if (begin === -1 || end === -1) throw new Error(`README.md has no place for figures: "${BEGIN}" … "${END}"`)
  return `${readme.slice(0, begin + BEGIN.length)}\n\n${figures}\n\n${readme.slice(end)}`
}

function publishable({ date, machine, reports }: Results, rounds: number): GatewayRun {
  const find = (wanted: string) => reports.find(({ bench }) => bench.name === wanted)
  const gateway = find('gateway')
  const costs = find('gateway-costs')
  for (const report of [gateway, costs])
    if (report?.failure !== undefined) throw new Error(`${report.bench.name} could not be measured: ${report.failure}`)
  const comparisons = gateway?.comparisons ?? []
  if (comparisons.length === 0) throw new Error('gateway was not measured')
  for (const { name, results } of comparisons) {
    const absent = PEER_NAMES.filter((peer) => results[peer] === undefined)
    if (absent.length > 0) throw new Error(`${name} was measured without ${absent.join(', ')}`)
  }
  return { date, machine, rounds, comparisons, costs: costs?.figures ?? [] }
}

function image({ comparisons }: GatewayRun): string {
  const alt = `Bar chart: the cost of Toolhaven's gateway beside other programs in ${comparisons.length} measurements; the tables below have its values`
  return `![${alt}](${CHART})`
}
