import type { Figure } from '../figure.ts'

/** The gateway's figures for people: one row for each cell, one column for each program. */
export function markdownTable(figures: readonly Figure[]): string {
  const cells = group(figures)
  const others = [...new Set(figures.flatMap(({ contestants }) => contestants?.other ?? []))]
  const head = ['', 'Toolhaven', ...others]
  const rows = [...cells].map(([cell, members]) => {
    const value = (other: string) => members.find(({ contestants }) => contestants?.other === other)
    const ours = members[0]?.ours
    const shown = others.map((other) => {
      const found = value(other)
      return found === undefined ? '–' : `${round(found.baseline)} (${(1 / found.ratio).toFixed(1)}×)`
    })
    return [cell, ours === undefined ? '–' : round(ours), ...shown]
  })
  const line = (parts: readonly string[]) => `| ${parts.join(' | ')} |`
  return [line(head), line(head.map((_, at) => (at === 0 ? '---' : '--:'))), ...rows.map(line)].join('\n')
}

const BAR = { height: 18, gap: 6, left: 190, width: 420, right: 110 }
const CHARTED = ['100 B, 10 × 10', '10 KB, 10 × 1', '1 MB, 1 × 1']

/** Bars as long as what a program needs, in multiples of what we need. */
export function chart(figures: readonly Figure[]): string {
  const groups = [...group(figures)].filter(([cell]) => CHARTED.includes(cell))
  const longest = Math.max(...groups.flatMap(([, members]) => members.map(({ ratio }) => 1 / ratio)))
  const parts: string[] = []
  let y = 48
  for (const [cell, members] of groups) {
    parts.push(text({ x: 8, y, size: 13, weight: 600 }, cell))
    y += 10
    const bars = [{ name: 'Toolhaven', times: 1, isOurs: true }, ...members.map(toBar)]
    for (const { name, times, isOurs } of bars.toSorted((one, other) => one.times - other.times)) {
      const width = Math.max(2, (times / longest) * BAR.width)
      const middle = y + BAR.height - 5
      parts.push(
        text({ x: BAR.left - 8, y: middle, size: 12, anchor: 'end' }, name),
        `<rect x="${BAR.left}" y="${y}" width="${width.toFixed(1)}" height="${BAR.height}" rx="3" fill="${isOurs ? '#2563eb' : '#94a3b8'}"/>`,
        text({ x: BAR.left + width + 6, y: middle, size: 12 }, `${times.toFixed(1)}×`),
      )
      y += BAR.height + BAR.gap
    }
    y += 22
  }
  const size = { width: BAR.left + BAR.width + BAR.right, height: y }
  const title = 'Processor time per call of the program between client and server; Toolhaven = 1'
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}" role="img" aria-label="${title}" font-family="system-ui, sans-serif">`,
    `<rect width="100%" height="100%" fill="#ffffff"/>`,
    text({ x: 8, y: 22, size: 14, weight: 600 }, title),
    ...parts,
    '</svg>\n',
  ].join('\n')
}

const toBar = ({ contestants, ratio }: Figure) => ({ name: contestants?.other ?? '', times: 1 / ratio, isOurs: false })

interface TextStyle {
  x: number
  y: number
  size: number
  weight?: number
  anchor?: 'end'
}

function text({ x, y, size, weight = 400, anchor }: TextStyle, content: string): string {
  const end = anchor === undefined ? '' : ` text-anchor="${anchor}"`
  return `<text x="${x.toFixed(1)}" y="${y}" font-size="${size}" font-weight="${weight}" fill="#0f172a"${end}>${content}</text>`
}

function group(figures: readonly Figure[]): Map<string, Figure[]> {
  const cells = new Map<string, Figure[]>()
  for (const figure of figures) {
    const cell = figure.contestants?.cell
    if (cell !== undefined) cells.set(cell, [...(cells.get(cell) ?? []), figure])
  }
  return cells
}

const round = (value: number) => (value >= 100 ? value.toFixed(0) : value.toFixed(1))
