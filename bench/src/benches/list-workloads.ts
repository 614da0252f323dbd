import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Bench, type Figure, lessIsBetter, moreIsBetter } from '../figure.ts'
import { startBareServer } from '../rig/home.ts'
import { type Load, loadHttp } from '../rig/http-load.ts'
import { cpuMs } from '../rig/proc.ts'
import type { ServerProcess } from '../rig/server-process.ts'
import { inTurns, median, of, summarise } from '../rig/statistics.ts'

const PATH = '/api/v1beta/workloads'
const ROUNDS = 8
const ROUND_MS = 1500
const TARGET = { of: 'ratio', below: 1.5 } as const

interface Round extends Load {
  cpuPerRequestMs: number
}

export const listWorkloads: Bench = {
  name: 'list',
  title: 'GET /workloads with 100 workloads against a bare hono handler with the same JSON in memory',
  run: async (rig) => {
    const { daemon, api } = await rig.hundred()
    const file = join(rig.folder, 'workloads.json')
    await writeFile(file, JSON.stringify(await api.call('listWorkloads', {})))
    await using home = await rig.processHome()
    await using bare = await startBareServer(home, file)
    const contenders = { ours: () => measure(daemon, 8), bare: () => measure(bare, 8) }
    await inTurns(2, contenders) // until both are compiled
    return [...figures('8 connections', await inTurns(ROUNDS, contenders))]
  },
}

async function measure({ port, pid }: ServerProcess, connections: number): Promise<Round> {
  const before = cpuMs(pid)
  const load = await loadHttp({ port, path: PATH, connections, forMs: ROUND_MS })
  return { ...load, cpuPerRequestMs: (cpuMs(pid) - before) / load.latenciesMs.length }
}

function figures(label: string, rounds: ReadonlyMap<string, Round[]>): Figure[] {
  const [ours, bare] = [of(rounds, 'ours'), of(rounds, 'bare')]
  const throughput = (all: readonly Round[]) => median(all.map(({ perSecond }) => perSecond))
  const cpu = (all: readonly Round[]) => median(all.map(({ cpuPerRequestMs }) => cpuPerRequestMs))
  const latency = (all: readonly Round[]) => summarise(all.flatMap(({ latenciesMs }) => latenciesMs))
  const [oursMs, bareMs] = [latency(ours), latency(bare)]
  return [
    moreIsBetter({
      name: `throughput, ${label}`,
      unit: 'req/s',
      ours: throughput(ours),
      baseline: throughput(bare),
      target: TARGET,
    }),
    lessIsBetter({ name: 'p50', unit: 'ms', ours: oursMs.p50, baseline: bareMs.p50, target: TARGET }),
    lessIsBetter({ name: 'p99', unit: 'ms', ours: oursMs.p99, baseline: bareMs.p99 }),
    lessIsBetter({
      name: 'processor time per request',
      unit: 'ms',
      ours: cpu(ours),
      baseline: cpu(bare),
      target: TARGET,
    }),
  ]
}
