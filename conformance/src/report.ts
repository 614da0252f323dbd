import { KNOWN_LIMITS } from './known-limits.ts'
import type { Cell, Row } from './run-ways.ts'
import { WAYS } from './targets.ts'

/** Everything that makes the run fail. */
export function faultsOf(rows: readonly Row[]): string[] {
  return rows.flatMap(({ suite, revision, scenario, isRequired, cells }) =>
    WAYS.flatMap((way) => {
      const { state, notes } = cells[way] ?? { state: 'limit', notes: [] }
      const isFault = state === 'differs' || (state === 'fail' && (isRequired || way !== 'direct'))
      return isFault ? [`${suite} ${revision} ${scenario}, ${way}: ${notes.join('; ')}`] : []
    }),
  )
}

/** One line per scenario. Results behind the gateway are compared with the fixture itself. */
export function table(rows: readonly Row[]): string {
  const head = [
    'suite',
    'revision',
    'scenario',
    'required',
    'direct',
    'via stdio',
    'via SSE',
    'via HTTP',
    'older server',
  ]
  const lines = rows.map(({ suite, revision, scenario, isRequired, cells }) => [
    suite,
    revision,
    scenario,
    isRequired ? 'yes' : 'no',
    ...WAYS.map((way) => said(cells[way])),
  ])
  const widths = head.map((title, column) => Math.max(title.length, ...lines.map((line) => line[column]?.length ?? 0)))
  const print = (line: readonly string[]) =>
    `| ${line.map((text, column) => text.padEnd(widths[column] ?? 0)).join(' | ')} |`
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`
  return [print(head), rule, ...lines.map(print)].join('\n')
}

export function limitsTable(): string {
  return KNOWN_LIMITS.map(({ revision, way, scenario, reason, withLimit }) => {
    const mark = withLimit === undefined ? 'known limit' : '*'
    return `| ${mark} | ${revision} | ${scenario} | ${way} | ${reason} |`
  }).join('\n')
}

function said(cell: Cell | undefined): string {
  if (cell === undefined) return '-'
  return cell.state === 'limit' ? 'known limit' : cell.state === 'equal so far' ? 'equal *' : cell.state
}
