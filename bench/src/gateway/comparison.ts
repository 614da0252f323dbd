import { NPM_PEERS, PEER_NAMES } from '../rig/peers.ts'

export const OURS = 'ours'
export const RAW = 'raw node:http bridge'
export const SDK = 'naive SDK bridge'
/** No program in between. */
export const DIRECT = 'direct stdio'
/** In the order in which they are shown. */
export const PROGRAMS: readonly string[] = [OURS, RAW, SDK, ...PEER_NAMES, DIRECT]

/** A median with its lowest and highest round, where there were rounds. In milliseconds. */
export interface Value {
  value: number
  low?: number
  high?: number
  perSecond?: number
}

/** A program that could not do it says why. */
export type Result = Value | { unable: string }

/** The limit for our value, as a share of another's. */
export interface Bar {
  /** A program, or the best npm peer. */
  against: string
  below: number
}

/** What every program measured for the same load, in the same turns. By name, including ours. */
export interface Comparison {
  name: string
  of: 'processor time' | 'p50'
  results: Readonly<Record<string, Result>>
  bars: readonly Bar[]
}

export interface JudgedBar extends Bar {
  /** The program that was meant. */
  program: string
  ratio: number
}

export const BEST_NPM = 'the best npm peer'

export function valueOf({ results }: Pick<Comparison, 'results'>, name: string): Value | undefined {
  const result = results[name]
  return result === undefined || 'unable' in result ? undefined : result
}

export function oursIn(comparison: Comparison): Value {
  const ours = valueOf(comparison, OURS)
  if (ours === undefined) throw new Error(`${comparison.name}: nothing was measured for ${OURS}`)
  return ours
}

/** Without those against a program that measured nothing. */
export function judgedBars(comparison: Comparison): JudgedBar[] {
  const ours = oursIn(comparison).value
  return comparison.bars.flatMap((bar) => {
    const program = bar.against === BEST_NPM ? bestNpmIn(comparison) : bar.against
    const theirs = program === undefined ? undefined : valueOf(comparison, program)
    return program === undefined || theirs === undefined ? [] : [{ ...bar, program, ratio: ours / theirs.value }]
  })
}

function bestNpmIn(comparison: Comparison): string | undefined {
  const value = (name: string) => valueOf(comparison, name)?.value ?? Infinity
  return NPM_PEERS.filter((name) => value(name) < Infinity).toSorted((one, other) => value(one) - value(other))[0]
}
