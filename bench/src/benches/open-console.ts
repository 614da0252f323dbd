import { launchBrowser } from '@toolhaven/testing/browser'
import { type BusyDaemon, startBusyDaemon } from '../../../apps/console/tests/scripted/busy-daemon.ts'
import { costOfEvents, type PageCost } from '../../../apps/console/tests/scripted/measure-page.ts'
import { buildConsole, isConsoleFresh } from '../../../tools/console-build.ts'
import { type Bench, type Figure, lessIsBetter } from '../figure.ts'
import { cpuMs } from '../rig/proc.ts'
import type { ServerProcess } from '../rig/server-process.ts'
import { median } from '../rig/statistics.ts'

const EVENTS_PER_SECOND = 50
const MINUTES = 10
const IDLE_ROUNDS = 6
const IDLE_MS = 30_000

/** What an open console costs: the browser while much happens, and the daemon while nothing does. */
export const openConsole: Bench = {
  name: 'console',
  title:
    'An open console with 1,000 servers and 50 events a second against one with 10; the daemon with it and without',
  run: async (rig) => {
    if (!isConsoleFresh()) await buildConsole()
    const { daemon } = await rig.hundred()
    return [...(await eventFigures()), await idleFigure(daemon)]
  },
}

async function eventFigures(): Promise<Figure[]> {
  const ten = await minutesOf(10, 2)
  const thousand = await minutesOf(1_000, MINUTES)
  const script = (all: readonly PageCost[]) => median(all.map(({ scriptPerEvent }) => scriptPerEvent))
  const heapAfter = (minute: number) => (thousand[minute - 1]?.heap ?? Number.NaN) / 1e6
  return [
    lessIsBetter({
      ...{ name: 'script for an event, 1,000 servers against 10', unit: 'ms', ours: script(thousand) },
      ...{ baseline: script(ten), target: { of: 'ratio', below: 2 } },
    }),
    lessIsBetter({
      ...{ name: `heap after ${MINUTES} minutes against 1`, unit: 'MB', ours: heapAfter(MINUTES) },
      ...{ baseline: heapAfter(1), target: { of: 'ratio', below: 1.1 } },
    }),
  ]
}

async function minutesOf(servers: number, minutes: number): Promise<PageCost[]> {
  await using daemon = await startBusyDaemon(servers)
  const browser = await launchBrowser()
  try {
    const page = await browser.newPage()
    await page.goto(`${daemon.url}/servers`)
    await page.getByText(`${servers} servers`).waitFor()
    const costs: PageCost[] = []
    for (let minute = 0; minute < minutes; minute += 1) costs.push(await minuteOf(daemon, page))
    return costs
  } finally {
    await browser.close()
  }
}

function minuteOf(daemon: BusyDaemon, page: Parameters<typeof costOfEvents>[0]): Promise<PageCost> {
  const events = EVENTS_PER_SECOND * 60
  return costOfEvents(page, events, () => daemon.send(events, 60_000))
}

/** In turns: what else the daemon does then is the same for both. */
async function idleFigure({ port, pid }: ServerProcess): Promise<Figure> {
  const [without, withPage]: [number[], number[]] = [[], []]
  const browser = await launchBrowser()
  try {
    for (let round = 0; round < IDLE_ROUNDS; round += 1) {
      without.push(await idle(pid))
      const page = await browser.newPage()
      await page.goto(`http://127.0.0.1:${port}/servers`)
      await page.getByRole('heading', { name: 'Servers', level: 1 }).waitFor()
      // What opening it costs is over.
      await page.waitForTimeout(2_000)
      withPage.push(await idle(pid))
      await page.close()
    }
  } finally {
    await browser.close()
  }
  return lessIsBetter({
    ...{ name: 'processor time of the daemon in 30 s, one idle console open', unit: 'ms' },
    ...{ ours: median(withPage), baseline: median(without), target: { of: 'ratio', below: 1.1 } },
  })
}

async function idle(pid: number): Promise<number> {
  const before = cpuMs(pid)
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS))
  return cpuMs(pid) - before
}
