import { openStdio } from '../rig/mcp-stdio.ts'
import { echo } from '../rig/mcp.ts'
import { cpuMs } from '../rig/proc.ts'
import { inTurns, median, summarise } from '../rig/statistics.ts'
import type { Contestant } from './contestants.ts'
import type { EchoServers } from './echo-server.ts'
import { type Shape, load } from './load.ts'
import type { Askers, openStreamable } from './sessions.ts'

/** Medians over the rounds, and the spread of the first. */
export interface Measured {
  /** Of the program in between, in ms per 1,000 calls. */
  cpu: number
  cpuLow: number
  cpuHigh: number
  perSecond: number
  p50: number
  p99: number
}

export interface Rounds {
  count: number
  forMs: number
}

/** Calls that do not count, for at most this many seconds: then a just-in-time compiler has seen everything. */
const WARM_CALLS = 20_000
const WARM_MS = 5_000

/** In turns, after all are warm. A program that cannot do it at all is reported and left out. */
export async function measureAll(
  contestants: readonly Contestant[],
  shape: Shape,
  open: typeof openStreamable,
  { count, forMs }: Rounds,
  onUnable: (name: string, why: string) => void = (name, why) => {
    throw new Error(`${name}: ${why}`)
  },
): Promise<Map<string, Measured>> {
  await using stack = new AsyncDisposableStack()
  const rounds: Record<string, () => Promise<Round>> = {}
  for (const { name, pid, url, headers } of contestants) {
    try {
      const { asks } = stack.use(await open(url, shape, headers))
      const round = () => oneRound(pid, asks, shape.bytes, forMs)
      await warmUp(pid, asks, shape.bytes)
      rounds[name] = round
    } catch (error) {
      onUnable(name, describeFirstLine(error))
    }
  }
  const results = await inTurns(count, rounds)
  return new Map([...results].map(([name, all]) => [name, summary(all)]))
}

async function warmUp(pid: number, asks: Askers['asks'], bytes: number): Promise<void> {
  const until = performance.now() + WARM_MS
  for (let calls = 0; calls < WARM_CALLS && performance.now() < until;)
    calls += (await oneRound(pid, asks, bytes, 500)).latenciesMs.length
}

/** Of an answer that was refused, its status. */
const describeFirstLine = (error: unknown) => String(error).split('\n')[0]?.trim() ?? ''

type Round = Awaited<ReturnType<typeof oneRound>>

async function oneRound(pid: number, asks: Askers['asks'], bytes: number, forMs: number) {
  const cpuBefore = cpuMs(pid)
  const begun = performance.now()
  const { latenciesMs } = await load(asks, bytes, forMs)
  const seconds = (performance.now() - begun) / 1000
  return {
    cpu: ((cpuMs(pid) - cpuBefore) / latenciesMs.length) * 1000,
    perSecond: latenciesMs.length / seconds,
    latenciesMs,
  }
}

function summary(rounds: readonly Round[]): Measured {
  const cpus = rounds.map(({ cpu }) => cpu)
  const { p50, p99 } = summarise(rounds.flatMap(({ latenciesMs }) => latenciesMs))
  return {
    cpu: median(cpus),
    cpuLow: Math.min(...cpus),
    cpuHigh: Math.max(...cpus),
    perSecond: median(rounds.map(({ perSecond }) => perSecond)),
    p50,
    p99,
  }
}

/** Nothing in between: no proxy can be faster. In milliseconds. */
export async function directP50({ program }: EchoServers, bytes: number, forMs: number): Promise<number> {
  await using session = await openStdio(program, [], {})
  const ask = async (id: number, text: string) =>
    Buffer.from(await session.call(echo(text.replace(/^\d+/, String(id)))))
  await load([ask], bytes, forMs / 2)
  return summarise((await load([ask], bytes, forMs)).latenciesMs).p50
}
