import { type Bench, lessIsBetter } from '../figure.ts'
import { startBareServer, startDaemon } from '../rig/home.ts'
import type { ServerProcess } from '../rig/server-process.ts'
import { inTurns, of, summarise } from '../rig/statistics.ts'
import { storeWorkloads, wantAll } from '../rig/stored-workloads.ts'
import { apiOf } from '../rig/workloads.ts'

const COUNT = 100
const ROUNDS = 7

export const ready: Bench = {
  name: 'ready',
  title: 'From the spawn to the first answer against an empty hono server',
  run: async (rig) => {
    await using empty = await rig.processHome()
    await using stored = await rig.processHome()
    await storeWorkloads(rig, stored, COUNT)
    const daemonWith = (wanted: 'running' | 'stopped') => async () => {
      await wantAll(stored, wanted)
      return timed(() => startDaemon(stored), checkCount)
    }
    const rounds = await inTurns(ROUNDS, {
      stopped: daemonWith('stopped'),
      running: daemonWith('running'),
      none: () => timed(() => startDaemon(empty)),
      bare: () => timed(() => startBareServer(empty)),
    })
    const wall = (name: string) => summarise(of(rounds, name).map(({ wallMs }) => wallMs))
    const cpu = (name: string) => summarise(of(rounds, name).map(({ cpuMs }) => cpuMs))
    return Object.entries(LABELS).flatMap(([key, name]) => {
      const isGoal = key === 'stopped' || key === 'running'
      return [
        lessIsBetter({
          ...{ name: `${name}, median`, unit: 'ms', ours: wall(key).p50, baseline: wall('bare').p50 },
          ...(isGoal && { target: { of: 'ours', below: 500 } as const }),
        }),
        lessIsBetter({ name: `${name}, best`, unit: 'ms', ours: wall(key).min, baseline: wall('bare').min }),
        lessIsBetter({
          name: `${name}, processor time, median`,
          unit: 'ms',
          ours: cpu(key).p50,
          baseline: cpu('bare').p50,
        }),
      ]
    })
  },
}

const LABELS = { none: 'no workload', stopped: `${COUNT} wanted stopped`, running: `${COUNT} wanted running` } as const

interface Start {
  wallMs: number
  cpuMs: number
}

async function timed(
  start: () => Promise<ServerProcess>,
  check?: (server: ServerProcess) => Promise<void>,
): Promise<Start> {
  await using server = await start()
  await check?.(server)
  return { wallMs: server.readyMs, cpuMs: server.readyCpuMs }
}

/** A daemon that set the copies aside would start fast and prove nothing. */
async function checkCount(server: ServerProcess): Promise<void> {
  const { workloads } = await apiOf(server).call('listWorkloads', { query: { all: true } })
  if (workloads.length !== COUNT) throw new Error(`the daemon knows ${workloads.length} of ${COUNT} stored workloads`)
}
