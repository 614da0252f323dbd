import type { Figure } from '../figure.ts'
import { PEER_VERSIONS } from '../rig/peers.ts'
import { type Comparison, OURS, PROGRAMS, judgedBars } from './comparison.ts'
import { describeRun, type GatewayRun, programTitle, resultText, shortNumber } from './wording.ts'

/** The tables of one run, as Markdown. */
export function gatewayReport(run: GatewayRun): string {
  const { comparisons, costs } = run
  const reasons = reasonsIn(comparisons)
  return [
    'Processor time of the program in the middle, in milliseconds per 1,000 calls (payload, sessions × calls in flight of each):',
    comparisonTable(comparisons.filter(({ of }) => of === 'processor time')),
    'The median time of one call, in milliseconds:',
    comparisonTable(comparisons.filter(({ of }) => of === 'p50')),
    ...(reasons.length === 0 ? [] : [reasons.map((reason) => `- ${reason}`).join('\n')]),
    ...(costs.length === 0 ? [] : ['What parts of the gateway cost:', costsTable(costs)]),
    [
      escapeMarkdown(describeRun(run).join(' ')),
      `Medians of ${run.rounds} rounds or more; each run writes the lowest and the highest of them to \`bench/results/latest.json\`.`,
      `The others: ${PEER_VERSIONS.join(', ')}.`,
    ].join('\n'),
  ].join('\n\n')
}

/** A row for each load, a column for each program that was asked at all. */
function comparisonTable(comparisons: readonly Comparison[]): string {
  const columns = PROGRAMS.filter((name) => comparisons.some(({ results }) => results[name] !== undefined))
  const head = ['', ...columns.map(programTitle), 'target']
  const rows = comparisons.map((comparison) => [
    comparison.name,
    ...columns.map((name) => {
      const text = resultText(comparison.results[name])
      return name === OURS ? `**${text}**` : text
    }),
    judgedBars(comparison)
      .map(({ against, below, ratio }) => `${limit(below)} ${against}: ${ratio.toFixed(2)}, ${verdict(ratio <= below)}`)
      .join('; '),
  ])
  return table(head, rows, columns.length)
}

function costsTable(figures: readonly Figure[]): string {
  const rows = figures.map(({ name, unit, ours, baseline, ratio, target, ok }) => {
    // Where the bar is a value, the program next to it is not a rival.
    const isRatio = target?.of !== 'ours'
    return [
      name.trim(),
      unit,
      `**${shortNumber(ours)}**`,
      isRatio ? shortNumber(baseline) : '–',
      isRatio ? `${ratio.toFixed(2)} ×` : '–',
      target === undefined ? '' : `≤ ${target.below}${isRatio ? ' ×' : ` ${unit}`}, ${verdict(ok === true)}`,
    ]
  })
  return table(['', 'unit', programTitle(OURS), 'against', 'ratio', 'target'], rows, 0)
}

function table(head: readonly string[], rows: readonly (readonly string[])[], numbers: number): string {
  const line = (cells: readonly string[]) => `| ${cells.map(escapeMarkdown).join(' | ')} |`
  const marks = head.map((_, at) => (at > 0 && at <= numbers ? '--:' : '---'))
  return [line(head), `|${marks.join('|')}|`, ...rows.map(line)].join('\n')
}

/** Shares below one are said as fractions. */
function limit(below: number): string {
  return below < 1 ? `≤ 1/${Number((1 / below).toFixed(2))} of` : `≤ ${below} ×`
}

const verdict = (isReached: boolean) => (isReached ? 'reached' : 'missed')

/** Each reason once, however many loads it concerns. */
function reasonsIn(comparisons: readonly Comparison[]): string[] {
  const unable = comparisons.flatMap(({ name, results }) =>
    Object.entries(results).flatMap(([program, result]) =>
      'unable' in result ? [{ program, name, why: result.unable.replace(/^Error: /, '') }] : [],
    ),
  )
  const groups = Map.groupBy(unable, ({ program, why }) => `${program}: ${why}`)
  return [...groups].map(([reason, all]) => escapeMarkdown(`${reason} (${all.map(({ name }) => name).join('; ')})`))
}

const escapeMarkdown = (text: string) =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('|', String.raw`\|`)
