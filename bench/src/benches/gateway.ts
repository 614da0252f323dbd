import { type Bench, type Figure, lessIsBetter } from '../figure.ts'
import { type Contestant, OURS, RAW, startAll } from '../gateway/contestants.ts'
import { makeEchoServers } from '../gateway/echo-server.ts'
import type { Shape } from '../gateway/load.ts'
import { type Measured, directP50, measureAll } from '../gateway/measure.ts'
import { openSse, openStreamable } from '../gateway/sessions.ts'
import { NPM_PEERS } from '../rig/peers.ts'
import type { Rig } from '../rig/rig.ts'
import { of } from '../rig/statistics.ts'

const KB = 1024
const ROUNDS = { count: 5, forMs: 1000 }

interface Cell extends Shape {
  name: string
  /** What our processor time may be, as a share of others'. */
  bars: { against: string; below: number }[]
}

const BEST_NPM = 'the best npm peer'

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
    const figures: Figure[] = []
    {
      await using started = new AsyncDisposableStack()
      const contestants = await startAll(rig, started, servers, 'streamable-http')
      for (const each of CELLS) figures.push(...(await measureCell(rig, contestants, each)))
      figures.push(await latency(contestants, () => directP50(servers, 100, ROUNDS.forMs)))
    }
    await using started = new AsyncDisposableStack()
    const contestants = await startAll(rig, started, servers, 'sse')
    const sse = cell('HTTP+SSE, 100 B', 100, 10, 10, { against: BEST_NPM, below: 1 / 2.5 })
    figures.push(...toFigures(sse, await measureAll(contestants, sse, openSse, ROUNDS)))
    return figures
  },
}

/** Some programs refuse large messages. */
async function measureCell(rig: Rig, contestants: readonly Contestant[], each: Cell): Promise<Figure[]> {
  const onUnable = (name: string, why: string) => {
    if (name === OURS) throw new Error(why)
    rig.say(`${each.name}: without ${name}: ${why}`)
  }
  return toFigures(each, await measureAll(contestants, each, openStreamable, ROUNDS, onUnable))
}

function toFigures({ name, bars }: Cell, measured: ReadonlyMap<string, Measured>): Figure[] {
  const ours = of(measured, OURS)
  const others = [...measured.keys()].filter((other) => other !== OURS)
  const bestNpm = NPM_PEERS.filter((peer) => measured.has(peer)).toSorted(
    (one, other) => of(measured, one).cpu - of(measured, other).cpu,
  )[0]
  return others.map((other, at) => {
    const bar = bars.find(({ against }) => against === other || (against === BEST_NPM && other === bestNpm))
    return lessIsBetter({
      name: `${at === 0 ? `${name}, against` : '  and'} ${other}`,
      unit: 'ms',
      ours: ours.cpu,
      baseline: of(measured, other).cpu,
      spread: {
        ours: [ours.cpuLow, ours.cpuHigh],
        baseline: [of(measured, other).cpuLow, of(measured, other).cpuHigh],
      },
      perSecond: { ours: ours.perSecond, baseline: of(measured, other).perSecond },
      ...(bar && { target: { of: 'ratio', below: bar.below } }),
    })
  })
}

async function latency(contestants: readonly Contestant[], direct: () => Promise<number>): Promise<Figure> {
  const ours = contestants.filter(({ name }) => name === OURS)
  const before = await direct()
  const measured = of(await measureAll(ours, { bytes: 100, sessions: 1, inFlight: 1 }, openStreamable, ROUNDS), OURS)
  return lessIsBetter({
    name: '100 B, 1 × 1, p50 against the bare pipe',
    unit: 'ms',
    ours: measured.p50,
    baseline: Math.max(before, await direct()),
    target: { of: 'ratio', below: 7 },
  })
}
