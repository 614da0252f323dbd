import type { Figure } from '../figure.ts'
import { type Comparison, OURS, type Result } from './comparison.ts'

export interface Machine {
  node: string
  cpu: string
  cores: number
  loadBefore: readonly number[]
  loadAfter: readonly number[]
}

/** The text about one run of the gateway's benches. */
export interface GatewayRun {
  /** As in ISO 8601. */
  date: string
  machine: Machine
  rounds: number
  comparisons: readonly Comparison[]
  /** Of `gateway-costs`; empty where it did not run. */
  costs: readonly Figure[]
}

export const programTitle = (name: string) => (name === OURS ? 'Toolhaven' : name)

/** Three significant digits, or all digits before the point. */
export function shortNumber(value: number): string {
  const decimals = value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3
  return value.toLocaleString('en-US', { minimumFractionDigits: decimals, maximumFractionDigits: decimals })
}

/** A program that was not asked has a dash. */
export function resultText(result: Result | undefined): string {
  if (result === undefined) return '–'
  if (!('unable' in result)) return shortNumber(result.value)
  return /HTTP\/1\.1 4\d\d/.test(result.unable) ? 'refused' : 'failed'
}

/** Where and when, and how busy the machine was. */
export function describeRun({ date, machine }: Pick<GatewayRun, 'date' | 'machine'>): [string, string] {
  const { cores, cpu, node, loadBefore, loadAfter } = machine
  const load = (all: readonly number[]) => all.map((each) => each.toFixed(1)).join(' ')
  return [
    `Measured on ${date.slice(0, 10)} with Node ${node.replace(/^v/, '')} on ${cores} cores, ${cpu.trim()}.`,
    `Load average ${load(loadBefore)} before and ${load(loadAfter)} after.`,
  ]
}
