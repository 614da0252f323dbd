import { readdir, readFile } from 'node:fs/promises'

const MEASURES = ['megabytes', 'descriptors', 'remote sessions', 'files'] as const
type Measure = (typeof MEASURES)[number]
export type Figures = Record<Measure, number>

/** What a daemon has at a moment. */
export async function takeFigures(pid: number, stateDir: string, remoteSessions: number): Promise<Figures> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return {
    megabytes: Math.round(Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024),
    descriptors: (await readdir(`/proc/${pid}/fd`)).length,
    'remote sessions': remoteSessions,
    files: (await readdir(stateDir, { recursive: true })).length,
  }
}

/** A share of the middle, and so much besides, by which a figure may be higher at the end: what comes and goes is never even. */
const MARGIN: Figures = { megabytes: 0.15, descriptors: 0.1, 'remote sessions': 0.1, files: 0.1 }
// Resident memory still grew by 3 to 6 MB a minute at the end of two runs, at 15 visits a second. Sessions of clients that vanished
// are part of it: 15 minutes are too short for 1,000 at each workload. Once one workload had them, 5,000 more visits left it as it was.
const LEEWAY: Figures = { megabytes: 20, descriptors: 30, 'remote sessions': 30, files: 5 }

/** Those that are higher at the end than in the middle. By then, everything that has a bound should have reached it. */
export function growing(all: readonly Figures[]): string[] {
  const part = (from: number, to: number) => all.slice(Math.floor(all.length * from), Math.ceil(all.length * to))
  const [middle, end] = [part(0.4, 0.65), part(0.75, 1)]
  return MEASURES.flatMap((measure) => {
    const [before, after] = [meanOf(middle, measure), meanOf(end, measure)]
    const isHigher = after > before * (1 + MARGIN[measure]) + LEEWAY[measure]
    return isHigher ? [`${measure}: ${Math.round(before)} in the middle, ${Math.round(after)} at the end`] : []
  })
}

const meanOf = (all: readonly Figures[], measure: Measure) =>
  all.reduce((sum, figures) => sum + figures[measure], 0) / all.length

export const tableOf = (all: readonly Figures[]): string =>
  [MEASURES, ...all.map((figures) => MEASURES.map((measure) => figures[measure]))]
    .map((row) => row.map((cell) => String(cell).padStart(16)).join(''))
    .join('\n')
