import type { Bench, Figure } from './figure.ts'
import type { Comparison } from './gateway/comparison.ts'

export interface BenchReport {
  bench: Pick<Bench, 'name' | 'title'>
  figures: Figure[]
  comparisons?: Comparison[]
  /** Why there are none. */
  failure?: string
}

const HEAD = ['', 'unit', 'ours', 'baseline', 'ratio', 'target', ''] as const

/** All figures as one table; ratios above 1 mean that ours is worse. */
export function renderTable(reports: readonly BenchReport[]): string {
  const rows = reports.flatMap(({ figures }) => figures.map(toRow))
  const widths = HEAD.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)))
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) =>
        column < 2 || column > 4 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd()
  const parts = reports.flatMap(({ bench, figures, failure }) => [
    '',
    `${bench.name}: ${bench.title}`,
    ...(failure === undefined ? figures.map((figure) => line(toRow(figure))) : [`could not be measured: ${failure}`]),
    ...figures.flatMap(({ note }) => (note === undefined ? [] : [`(${note})`])),
  ])
  return [line(HEAD), ...parts].join('\n')
}

function toRow(figure: Figure): string[] {
  const { name, unit, ours, baseline, ratio, target, ok } = figure
  const limit = target === undefined ? '' : `${target.of} ≤ ${target.below}`
  const verdict = ok === undefined ? '' : ok ? 'reached' : 'MISSED'
  return [name, unit, short(ours), short(baseline), `${ratio.toFixed(2)}×`, limit, verdict]
}

function short(value: number): string {
  if (value >= 100) return value.toFixed(0)
  return value >= 10 ? value.toFixed(1) : value.toFixed(3)
}
