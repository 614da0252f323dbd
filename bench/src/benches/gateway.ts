import { performance } from 'node:perf_hooks'
import { type Bench, type Figure, lessIsBetter, moreIsBetter } from '../figure.ts'
import { startDaemon } from '../rig/home.ts'
import { openHttp } from '../rig/mcp-http.ts'
import { openStdio } from '../rig/mcp-stdio.ts'
import { type McpSession, echo } from '../rig/mcp.ts'
import { PEER_NAMES, startPeer } from '../rig/peers.ts'
import { cpuMs } from '../rig/proc.ts'
import type { Rig } from '../rig/rig.ts'
import { inTurns, median, of, summarise } from '../rig/statistics.ts'
import { apiOf } from '../rig/workloads.ts'

const ROUNDS = 5
const ROUND_MS = 1500
const CLIENTS = [1, 16]

/** Someone who can be asked by many clients; `proxyPid` is the program in between, if there is one. */
interface Contender {
  sessions: McpSession[]
  proxyPid?: number
}

export const gateway: Bench = {
  name: 'gateway',
  title: 'tools/call "echo" over /mcp against the same server over its own pipes, and through other proxies',
  run: async (rig) => {
    await using stack = new AsyncDisposableStack()
    const contenders = new Map([
      ['ours', await ours(rig, stack)],
      ['direct', await direct(rig, stack)],
    ])
    for (const name of PEER_NAMES) {
      try {
        contenders.set(name, await peer(name, rig, stack))
      } catch (error) {
        rig.say(`without ${name}: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`)
      }
    }
    const figures: Figure[] = []
    for (const clients of CLIENTS) {
      const measures = Object.fromEntries(
        [...contenders].map(([name, contender]) => [name, () => measure(contender, clients)]),
      )
      await inTurns(1, measures)
      figures.push(...compare(clients, await inTurns(ROUNDS, measures)))
    }
    return figures
  },
}

async function ours(rig: Rig, stack: AsyncDisposableStack): Promise<Contender> {
  const home = stack.use(await rig.processHome())
  const daemon = stack.use(await startDaemon(home))
  const { port } = await apiOf(daemon).call('createWorkload', { body: { name: 'echo', image: rig.fixture.image } })
  return { sessions: await openMany(`http://127.0.0.1:${port}/mcp`, stack), proxyPid: daemon.pid }
}

/** One pipe: its "clients" are questions in flight at the same time. */
async function direct(rig: Rig, stack: AsyncDisposableStack): Promise<Contender> {
  const session = stack.use(await openStdio(process.execPath, [rig.fixture.file], {}))
  return { sessions: Array.from({ length: Math.max(...CLIENTS) }, () => session) }
}

async function peer(name: (typeof PEER_NAMES)[number], rig: Rig, stack: AsyncDisposableStack): Promise<Contender> {
  const proxy = stack.use(await startPeer(name, rig.fixture.file))
  return { sessions: await openMany(`${proxy.baseUrl}/mcp`, stack), proxyPid: proxy.pid }
}

async function openMany(url: string, stack: AsyncDisposableStack): Promise<McpSession[]> {
  const sessions: McpSession[] = []
  while (sessions.length < Math.max(...CLIENTS)) sessions.push(stack.use(await openHttp(url)))
  return sessions
}

interface Round {
  perSecond: number
  latenciesMs: number[]
  proxyCpuMs: number
}

async function measure({ sessions, proxyPid }: Contender, clients: number): Promise<Round> {
  const latenciesMs: number[] = []
  const cpuBefore = proxyPid === undefined ? 0 : cpuMs(proxyPid)
  const begun = performance.now()
  const askUntilTime = async (session: McpSession, client: number) => {
    for (let serial = 0; performance.now() - begun < ROUND_MS; serial++) {
      const text = `client ${client} asks ${serial}`
      const asked = performance.now()
      const answer = await session.call(echo(text))
      latenciesMs.push(performance.now() - asked)
      if (!answer.includes(text)) throw new Error(`"${text}" came back as ${answer.slice(0, 200)}`)
    }
  }
  await Promise.all(sessions.slice(0, clients).map(askUntilTime))
  const perSecond = (latenciesMs.length * 1000) / (performance.now() - begun)
  return {
    perSecond,
    latenciesMs,
    proxyCpuMs: proxyPid === undefined ? 0 : (cpuMs(proxyPid) - cpuBefore) / latenciesMs.length,
  }
}

function compare(clients: number, rounds: ReadonlyMap<string, Round[]>): Figure[] {
  const throughput = (all: readonly Round[]) => median(all.map(({ perSecond }) => perSecond))
  const cpu = (all: readonly Round[]) => median(all.map(({ proxyCpuMs }) => proxyCpuMs))
  const latency = (all: readonly Round[]) => summarise(all.flatMap(({ latenciesMs }) => latenciesMs))
  const mine = of(rounds, 'ours')
  const label = `${clients} ${clients === 1 ? 'client' : 'clients'}`
  return [...rounds.keys()]
    .filter((name) => name !== 'ours')
    .flatMap((name) => {
      const theirs = of(rounds, name)
      return [
        moreIsBetter({
          name: `${label}, against ${name}`,
          unit: 'calls/s',
          ours: throughput(mine),
          baseline: throughput(theirs),
        }),
        lessIsBetter({ name: '  p50', unit: 'ms', ours: latency(mine).p50, baseline: latency(theirs).p50 }),
        lessIsBetter({ name: '  p99', unit: 'ms', ours: latency(mine).p99, baseline: latency(theirs).p99 }),
        ...(name === 'direct'
          ? []
          : [
              lessIsBetter({
                name: '  processor time of the proxy',
                unit: 'ms/call',
                ours: cpu(mine),
                baseline: cpu(theirs),
              }),
            ]),
      ]
    })
}
