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
    const bare = summarise(of(rounds, 'bare'))
    return Object.entries(LABELS).flatMap(([key, name]) => {
      const ours = summarise(of(rounds, key))
      const isGoal = key === 'stopped' || key === 'running'
      return [
        lessIsBetter({
          ...{ name: `${name}, median`, unit: 'ms', ours: ours.p50, baseline: bare.p50 },
          ...(isGoal && { target: { of: 'ours', below: 500 } as const }),
        }),
        lessIsBetter({ name: `${name}, best`, unit: 'ms', ours: ours.min, baseline: bare.min }),
      ]
    })
  },
}

const LABELS = { none: 'no workload', stopped: `${COUNT} wanted stopped`, running: `${COUNT} wanted running` } as const

async function timed(start: () => Promise<ServerProcess>, check?: (server: ServerProcess) => Promise<void>): Promise<number> {
  await using server = await start()
  await check?.(server)
  return server.readyMs
}

/** A daemon that set the copies aside would start fast and prove nothing. */
async function checkCount(server: ServerProcess): Promise<void> {
  const { workloads } = await apiOf(server).call('listWorkloads', { query: { all: true } })
  if (workloads.length !== COUNT) throw new Error(`the daemon knows ${workloads.length} of ${COUNT} stored workloads`)
}

