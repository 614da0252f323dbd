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

/** Nobody's clients are there while another is measured: open streams cost their program nothing, but let it be so. */
export async function measureAll(
  contestants: readonly Contestant[],
  shape: Shape,
  open: typeof openStreamable,
  { count, forMs }: Rounds,
): Promise<Map<string, Measured>> {
  await using stack = new AsyncDisposableStack()
  const ready = new Map<string, Askers>()
  for (const { name, url, headers } of contestants) ready.set(name, stack.use(await open(url, shape, headers)))
  const rounds = Object.fromEntries(
    contestants.map(({ name, pid }) => [name, () => oneRound(pid, ready.get(name)?.asks ?? [], shape.bytes, forMs)]),
  )
  await inTurns(1, rounds)
  const results = await inTurns(count, rounds)
  return new Map([...results].map(([name, all]) => [name, summary(all)]))
}

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

/** Nothing in between: what no proxy can go below. In milliseconds. */
export async function directP50({ program }: EchoServers, bytes: number, forMs: number): Promise<number> {
  await using session = await openStdio(program, [], {})
  const ask = async (id: number, text: string) =>
    Buffer.from(await session.call(echo(text.replace(/^\d+/, String(id)))))
  await load([ask], bytes, forMs / 2)
  return summarise((await load([ask], bytes, forMs)).latenciesMs).p50
}
