import { setTimeout as pause } from 'node:timers/promises'
import { until } from '@toolhaven/testing/testbed/until'
import { expect, test } from 'vitest'
import { type DaemonProcess, startDaemon } from './src/daemon-process.ts'
import { type CountingServer, startSseServer, startStreamableServer } from './src/soak/counting-servers.ts'
import { type Figures, growing, tableOf, takeFigures } from './src/soak/figures.ts'
import { RawClient } from './src/soak/raw-client.ts'
import { SSE, STREAMABLE, TurnedAway, type Visit } from './src/soak/visits.ts'
import { usePlatform } from './src/platform.ts'
import { untilRecovered, untilStatus } from './src/statuses.ts'

const MINUTE_MS = 60_000
const MINUTES = Number(process.env['THV_SOAK_MINUTES'] ?? 15)
const SAMPLES = 30
/** Short enough to be over several times before the middle. */
const IDLE_SECONDS = Math.max(15, 5 * MINUTES)
const BETWEEN_VISITS_MS = 100
const BETWEEN_RESTARTS_MS = 10_000

const platform = usePlatform('process')

/** Five servers on pipes, five over HTTP. */
async function startWorkloads(daemon: DaemonProcess, fixture: string, servers: readonly CountingServer[]) {
  const onPipes = Array.from({ length: 5 }, (_, at) => ({
    ...{ name: `pipe-${at}`, image: fixture },
    proxy_mode: at < 3 ? ('streamable-http' as const) : ('sse' as const),
  }))
  const remote = servers.map(({ url, transport }, at) => ({
    ...{ name: `remote-${at}`, url, transport, limits: { session_idle_seconds: IDLE_SECONDS } },
  }))
  const bodies = [...onPipes, ...remote]
  await Promise.all(bodies.map((body) => daemon.api.call('createWorkload', { body })))
  for (const { name } of bodies) await untilStatus(daemon, name, 'running')
  return Promise.all(bodies.map(({ name }) => daemon.api.call('getWorkload', { params: { name } })))
}

interface Visited {
  done: number
  turnedAway: number
  /** What no client should get. */
  surprises: string[]
}

/** Visits a workload again and again. */
async function visit(url: string, visits: readonly Visit[], visited: Visited, signal: AbortSignal): Promise<void> {
  for (let at = 0; !signal.aborted; at += 1) {
    const client = new RawClient(url)
    const doIt = visits[at % visits.length]
    try {
      await doIt?.(client, new URL(url).pathname)
      visited.done += 1
    } catch (error) {
      if (error instanceof TurnedAway) visited.turnedAway += 1
      else if (!client.isGone) visited.surprises.push(`${doIt?.name} at ${url}: ${String(error)}`)
    } finally {
      client.vanish()
    }
    await pause(BETWEEN_VISITS_MS)
  }
}

async function restartInTurn(daemon: DaemonProcess, names: readonly string[], signal: AbortSignal): Promise<void> {
  for (let at = 0; !signal.aborted; at += 1) {
    const name = names[at % names.length] ?? ''
    await daemon.api.call('restartWorkload', { params: { name } })
    await untilRecovered(daemon, name)
    await pause(BETWEEN_RESTARTS_MS, undefined, { signal }).catch(() => undefined)
  }
}

test(
  `descriptors, sessions at remote servers and files level off within ${MINUTES} minutes, and memory grows slowly`,
  { timeout: (MINUTES + 20) * MINUTE_MS },
  async (context) => {
    const here = platform(context)
    await using disposing = new AsyncDisposableStack()
    const starts = [startStreamableServer, startStreamableServer, startStreamableServer, startSseServer, startSseServer]
    const servers = await Promise.all(starts.map(async (start) => disposing.use(await start())))
    await using home = await here.makeHome()
    await using daemon = await startDaemon(home)
    const workloads = await startWorkloads(daemon, here.fixture, servers)
    const remoteSessions = () => servers.reduce((sum, { sessionCount }) => sum + sessionCount(), 0)

    const over = new AbortController()
    // A restart ends all sessions at the server: those that are never restarted show whether anything else does.
    const restarted = workloads.filter((_, at) => at % 2 === 0).map(({ name }) => name)
    const restarts = restartInTurn(daemon, restarted, over.signal)
    const visited: Visited = { done: 0, turnedAway: 0, surprises: [] }
    const visiting = workloads.flatMap(({ url }) => {
      const { short, long } = url.endsWith('/sse') ? SSE : STREAMABLE
      return [visit(url, short, visited, over.signal), visit(url, [long], visited, over.signal)]
    })
    const figures: Figures[] = []
    for (let at = 0; at < SAMPLES; at += 1) {
      await pause((MINUTES * MINUTE_MS) / SAMPLES)
      figures.push(await takeFigures(daemon.pid, home.stateDir, remoteSessions()))
    }
    over.abort()
    await restarts
    await Promise.all(visiting)
    const { done, turnedAway, surprises } = visited
    process.stdout.write(`${tableOf(figures)}\n${done} visits, ${turnedAway} turned away by a restart\n`)
    expect(surprises).toEqual([])
    expect(turnedAway).toBeLessThan(done / 2)
    expect(growing(figures)).toEqual([])
    // Only the gateway's own session is left, one at each.
    await until(
      'the sessions of clients to end',
      () => remoteSessions() <= servers.length,
      IDLE_SECONDS * 1000 + 3 * MINUTE_MS,
    )
  },
)
