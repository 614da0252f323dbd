import { readFileSync } from 'node:fs'
import path from 'node:path'

export interface GatewayCost {
  program: string
  /** Milliseconds of processor time for 1,000 calls. */
  cost: number
}

const PAGE = path.resolve(__dirname, '../docs/toolhaven/concepts/performance.md')
/** Small messages from ten clients at once: what a gateway costs beside the server's own work. */
const SHOWN = '100 B, 10 × 10'
/** Not products: what the bench compares itself with. */
const YARDSTICKS = ['raw node:http bridge', 'naive SDK bridge']

/** The figures that the home page shows: one row of the page that has all of them, which the bench writes. */
export function gatewayCosts(): GatewayCost[] {
  const lines = readFileSync(PAGE, 'utf8').split('\n')
  const at = lines.findIndex((line) => line.startsWith(`| ${SHOWN} |`))
  const head = lines.findLastIndex((line, number) => number < at && line.startsWith('| Measurement |'))
  if (at === -1 || head === -1) throw new Error(`The page on performance has no row ${SHOWN}`)
  const [programs, costs] = [cellsOf(lines[head]), cellsOf(lines[at])]
  return programs.flatMap((program, number) => {
    const cost = Number(costs[number]?.replaceAll(',', ''))
    return YARDSTICKS.includes(program) || !(cost > 0) ? [] : [{ program, cost }]
  })
}

function cellsOf(line = ''): string[] {
  return line
    .split('|')
    .slice(2, -1)
    .map((cell) => cell.trim())
}
