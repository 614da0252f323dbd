import type { Bench } from '../figure.ts'
import {
  BEST_NPM,
  type Bar,
  type Comparison,
  DIRECT,
  OURS,
  RAW,
  type Result,
  type Value,
} from '../gateway/comparison.ts'
import { type Contestant, startAll } from '../gateway/contestants.ts'
import { makeEchoServers } from '../gateway/echo-server.ts'
import { figuresOf } from '../gateway/figures.ts'
import type { Shape } from '../gateway/load.ts'
import { type Measured, directP50, measureAll } from '../gateway/measure.ts'
import { openSse, openStreamable } from '../gateway/sessions.ts'
import type { Rig } from '../rig/rig.ts'

const KB = 1024
export const ROUNDS = { count: 5, forMs: 1000 }

interface Cell extends Shape {
  name: string
  /** Limits for our processor time, as a share of others'. */
  bars: readonly Bar[]
}

const CELLS: readonly Cell[] = [
  cell('100 B', 100, 1, 1, { against: BEST_NPM, below: 1 / 4 }),
  cell('100 B', 100, 10, 1),
  cell('100 B', 100, 10, 10, { against: BEST_NPM, below: 1 / 5 }, { against: RAW, below: 1.4 }),
  cell('10 KB', 10 * KB, 1, 1),
  cell('10 KB', 10 * KB, 10, 1, { against: BEST_NPM, below: 1 / 4 }),
  cell('10 KB', 10 * KB, 10, 10),
  cell('1 MB', KB * KB, 1, 1, { against: 'mcp-proxy (npm)', below: 1 / 8 }),
  cell('1 MB', KB * KB, 10, 1),
  cell('1 MB', KB * KB, 10, 10),
]

function cell(payload: string, bytes: number, sessions: number, inFlight: number, ...bars: Cell['bars']): Cell {
  return { name: `${payload}, ${sessions} × ${inFlight}`, bytes, sessions, inFlight, bars }
}

/** Processor time of the program between clients and a stdio server, per 1,000 calls. */
export const gateway: Bench = {
  name: 'gateway',
  title:
    'processor time for 1,000 calls (sessions × calls in flight of each) of a stdio server, against other programs',
  run: async (rig) => {
    await using stack = new AsyncDisposableStack()
    const servers = stack.use(await makeEchoServers(rig.folder))
    const comparisons: Comparison[] = []
    {
      await using started = new AsyncDisposableStack()
      const contestants = await startAll(rig, started, servers, 'streamable-http')
      for (const each of CELLS)
        comparisons.push(toComparison(each, await measure(rig, contestants, each, openStreamable)))
      comparisons.push(await latency(rig, contestants, () => directP50(servers, 100, ROUNDS.forMs)))
    }
    await using started = new AsyncDisposableStack()
    const contestants = await startAll(rig, started, servers, 'sse')
    const sse = cell('HTTP+SSE, 100 B', 100, 10, 10, { against: BEST_NPM, below: 1 / 2.5 })
    comparisons.push(toComparison(sse, await measure(rig, contestants, sse, openSse)))
    return { figures: comparisons.flatMap(figuresOf), comparisons }
  },
}

type Outcomes = readonly (readonly [name: string, outcome: Measured | { unable: string }])[]

/** Some programs refuse large messages. */
async function measure(
  rig: Rig,
  contestants: readonly Contestant[],
  each: Cell,
  open: typeof openStreamable,
): Promise<Outcomes> {
  const unable = new Map<string, string>()
  const measured = await measureAll(contestants, each, open, ROUNDS, (name, why) => {
    if (name === OURS) throw new Error(why)
    rig.say(`${each.name}: without ${name}: ${why}`)
    unable.set(name, why)
  })
  return contestants.map(({ name }) => [
    name,
    measured.get(name) ?? { unable: unable.get(name) ?? 'nothing was measured' },
  ])
}

function toComparison({ name, bars }: Cell, outcomes: Outcomes): Comparison {
  const values = ({ cpu, cpuLow, cpuHigh, perSecond }: Measured) => ({
    value: cpu,
    low: cpuLow,
    high: cpuHigh,
    perSecond,
  })
  return { name, of: 'processor time', results: toResults(outcomes, values), bars }
}

async function latency(
  rig: Rig,
  contestants: readonly Contestant[],
  direct: () => Promise<number>,
): Promise<Comparison> {
  const each = cell('p50 of 100 B', 100, 1, 1, { against: DIRECT, below: 7 })
  const before = await direct()
  const outcomes = await measure(rig, contestants, each, openStreamable)
  const value = (before + (await direct())) / 2
  const results = { [DIRECT]: { value }, ...toResults(outcomes, ({ p50 }) => ({ value: p50 })) }
  return { name: each.name, of: 'p50', results, bars: each.bars }
}

const toResults = (outcomes: Outcomes, toValue: (measured: Measured) => Value): Record<string, Result> =>
  Object.fromEntries(
    outcomes.map(([name, outcome]) => [name, 'unable' in outcome ? outcome : toValue(outcome)] as const),
  )
