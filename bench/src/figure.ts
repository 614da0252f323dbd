import type { Comparison } from './gateway/comparison.ts'
import type { Rig } from './rig/rig.ts'

/** One line of the table. Ours and the baseline were measured in the same run, in turns. */
export interface Figure {
  name: string
  unit: string
  ours: number
  baseline: number
  /** Above 1 means that ours is worse, whatever the unit. */
  ratio: number
  /** What must stay below which value. */
  target?: { of: 'ratio' | 'ours'; below: number }
  ok?: boolean
  note?: string
  /** Lowest and highest round. */
  spread?: { ours: readonly [number, number]; baseline: readonly [number, number] }
  perSecond?: { ours: number; baseline: number }
}

export interface Bench {
  name: string
  title: string
  run: (rig: Rig) => Promise<Figure[] | Compared>
}

/** Figures with their raw values, where there is more than one rival. */
export interface Compared {
  figures: Figure[]
  comparisons: Comparison[]
}

type Measured = Omit<Figure, 'ratio' | 'ok'>

/** For values that should be small: times, memory. */
export function lessIsBetter(measured: Measured): Figure {
  return judge({ ...measured, ratio: measured.ours / measured.baseline })
}

/** For values that should be large: operations per second. */
export function moreIsBetter(measured: Measured): Figure {
  return judge({ ...measured, ratio: measured.baseline / measured.ours })
}

function judge(figure: Figure): Figure {
  const { target } = figure
  return target === undefined ? figure : { ...figure, ok: figure[target.of] <= target.below }
}
