import { readFile, writeFile } from 'node:fs/promises'
import { gateway } from './benches/gateway.ts'
import { chart, markdownTable } from './gateway/report.ts'
import type { BenchReport } from './table.ts'

const README = new URL('../../README.md', import.meta.url)
const CHART = new URL('../../docs/gateway-bench.svg', import.meta.url)
const TABLE = /(<!-- gateway figures -->\n)[\s\S]*?(\n<!-- end of figures -->)/

/** Puts the gateway's figures where people look for them. */
export async function publish(reports: readonly BenchReport[]): Promise<void> {
  const figures = reports.find(({ bench }) => bench.name === gateway.name)?.figures ?? []
  if (figures.length === 0) throw new Error('there are no figures of the gateway to publish; measure it too')
  const readme = await readFile(README, 'utf8')
  if (!TABLE.test(readme)) throw new Error('the README has no place for the figures of the gateway')
  await writeFile(README, readme.replace(TABLE, `$1\n${markdownTable(figures)}\n$2`))
  await writeFile(CHART, chart(figures))
}
