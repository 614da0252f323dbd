import { PEER_NAMES } from '../rig/peers.ts'
import { type Comparison, DIRECT, OURS, PROGRAMS, valueOf } from './comparison.ts'
import { describeRun, type GatewayRun, programTitle, resultText, shortNumber } from './wording.ts'

const WIDTH = 920
const MARGIN = 28
const PANELS_A_ROW = 3
/** Where the names end and the first bar begins. */
const NAMES_END = 168
const BARS_BEGIN = 180
const PANEL_WIDTH = 240
const BAR = { longest: 164, height: 12, pitch: 20 }
const HEAD = 128
const PANEL_TITLE = 28
const PANEL_GAP = 24
const FOOT = 60

/** Its own colours on its own background, because a page may be light or dark without telling. */
const STYLE = `
    text { font: 12px system-ui, -apple-system, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif; fill: #1f2933; }
    .ground { fill: #ffffff; stroke: #d5dbe3; }
    .heading { font-size: 19px; font-weight: 700; }
    .panel { font-size: 13px; font-weight: 600; }
    .quiet { fill: #5a6675; }
    .axis { stroke: #c3cad3; }
    .ours { fill: #0b8f6f; }
    text.ours { font-weight: 700; fill: #08745a; }
    .peer { fill: #7f9fca; }
    .bridge { fill: #aab4c0; }
    .direct { fill: #d6b583; }
    @media (prefers-color-scheme: dark) {
      text { fill: #e3e9f0; }
      .ground { fill: #151b23; stroke: #333d49; }
      .quiet { fill: #9ba8b7; }
      .axis { stroke: #465260; }
      .ours { fill: #27bd95; }
      text.ours { fill: #43d3ac; }
      .peer { fill: #4f78b3; }
      .bridge { fill: #647180; }
      .direct { fill: #8d7346; }
    }`

/**
 * Bars for every load. Each panel has its own scale from zero: between 0.1 ms and seconds a common scale would show
 * nothing.
 */
export function gatewayChart(run: GatewayRun): string {
  const ordered = run.comparisons.toSorted((one, other) => Number(one.of === 'p50') - Number(other.of === 'p50'))
  let top = HEAD
  const rows: string[] = []
  for (let at = 0; at < ordered.length; at += PANELS_A_ROW) {
    const row = ordered.slice(at, at + PANELS_A_ROW)
    const programs = PROGRAMS.filter((name) => row.some(({ results }) => results[name] !== undefined))
    rows.push(panelRow(row, programs, top))
    top += PANEL_TITLE + programs.length * BAR.pitch + PANEL_GAP
  }
  const height = top + FOOT - PANEL_GAP
  const foot = describeRun(run).map((line, at) => `  ${text(MARGIN, height - 38 + at * 17, line, 'quiet')}`)
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="title desc">
  <title id="title">What the program between a client and an MCP server costs</title>
  <desc id="desc">${escapeXml(ordered.map(inWords).join(' '))}</desc>
  <style>${STYLE}
  </style>
  <rect class="ground" x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="10"/>
${heading()}
${rows.join('\n')}
${foot.join('\n')}
</svg>
`
}

function heading(): string {
  const legend = [
    { kind: 'ours', label: programTitle(OURS) },
    { kind: 'peer', label: 'programs others use' },
    { kind: 'bridge', label: 'bridges written for this bench' },
    { kind: 'direct', label: 'nothing in between' },
  ]
  let x = MARGIN
  const entries = legend.map(({ kind, label }) => {
    const entry = `  <rect class="${kind}" x="${x}" y="92" width="12" height="12" rx="3"/>${text(x + 18, 102, label, 'quiet')}`
    // Room enough for the widest letters of any of the fonts.
    x += 42 + label.length * 6.1
    return entry
  })
  const lines = [
    'Milliseconds of its processor time per 1,000 calls, by payload, sessions × calls in flight of each. Less is better.',
    'p50: the median time of one call in milliseconds. Bars begin at zero; each panel has its own scale.',
  ]
  return [
    `  ${text(MARGIN, 40, 'What the program between a client and an MCP server costs', 'heading')}`,
    ...lines.map((line, at) => `  ${text(MARGIN, 62 + at * 17, line, 'quiet')}`),
    ...entries,
  ].join('\n')
}

/** The names appear once, at the left of all panels of a row. */
function panelRow(row: readonly Comparison[], programs: readonly string[], top: number): string {
  const baselineOf = (at: number) => top + PANEL_TITLE + at * BAR.pitch + BAR.height - 2
  const names = programs.map((name, at) => {
    const kind = name === OURS ? 'ours' : ''
    return `  ${text(NAMES_END, baselineOf(at), programTitle(name), kind, 'end')}`
  })
  const panels = row.map((comparison, at) => panel(comparison, programs, BARS_BEGIN + at * PANEL_WIDTH, top))
  return [...names, ...panels].join('\n')
}

function panel(comparison: Comparison, programs: readonly string[], x: number, top: number): string {
  const values = programs.map((name) => valueOf(comparison, name))
  const longest = Math.max(...values.map((value) => value?.value ?? 0))
  const bars = programs.flatMap((name, at) => {
    const y = top + PANEL_TITLE + at * BAR.pitch
    const value = values[at]
    const said = resultText(comparison.results[name])
    const kind = name === OURS ? 'ours' : ''
    if (value === undefined) return [`  ${text(x + 8, y + BAR.height - 2, said, 'quiet')}`]
    const width = Math.max(2, (value.value / longest) * BAR.longest)
    const rounds =
      value.low === undefined || value.high === undefined
        ? ''
        : `, ${shortNumber(value.low)} to ${shortNumber(value.high)}`
    const title = `<title>${escapeXml(`${programTitle(name)}, ${comparison.name}: ${said} ms${rounds}`)}</title>`
    return [
      `  <rect class="${kindOf(name)}" x="${x}" y="${y}" width="${width.toFixed(1)}" height="${BAR.height}" rx="3">${title}</rect>`,
      `  ${text(x + Number(width.toFixed(1)) + 6, y + BAR.height - 2, said, kind)}`,
    ]
  })
  const [from, to] = [top + PANEL_TITLE - 5, top + PANEL_TITLE + programs.length * BAR.pitch - 3]
  return [
    `  ${text(x, top + 12, comparison.name, 'panel')}`,
    ...bars,
    `  <line class="axis" x1="${x - 0.5}" y1="${from}" x2="${x - 0.5}" y2="${to}"/>`,
  ].join('\n')
}

function kindOf(name: string): string {
  if (name === OURS) return 'ours'
  if (name === DIRECT) return 'direct'
  return PEER_NAMES.some((peer) => peer === name) ? 'peer' : 'bridge'
}

function inWords({ name, results }: Comparison): string {
  const parts = PROGRAMS.filter((program) => results[program] !== undefined).map(
    (program) => `${programTitle(program)} ${resultText(results[program])}`,
  )
  return `${name}: ${parts.join(', ')}.`
}

function text(x: number, y: number, content: string, kind: string, anchor = 'start'): string {
  const attributes = `${kind === '' ? '' : ` class="${kind}"`}${anchor === 'start' ? '' : ` text-anchor="${anchor}"`}`
  return `<text x="${Number(x.toFixed(1))}" y="${y}"${attributes}>${escapeXml(content)}</text>`
}

const escapeXml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
