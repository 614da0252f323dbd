import type { Browser, Page } from 'playwright-core'
import { launchBrowser } from '@toolhaven/testing/browser'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BusyDaemon, startBusyDaemon } from './scripted/busy-daemon.ts'
import { costOfEvents, type PageCost } from './scripted/measure-page.ts'
import { WIDE } from './test-console.ts'

/** As many as are compared; the bench takes longer (bench/src/benches/open-console.ts). */
const ROUNDS = 3
const ROUND = { events: 250, milliseconds: 5_000 }

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser?.close())

async function openServers({ url }: BusyDaemon, servers: number): Promise<Page> {
  const page = await browser.newPage({ viewport: WIDE })
  await page.goto(`${url}/servers`)
  await page.getByText(`${servers} servers`).waitFor()
  return page
}

test('an event costs with 1,000 servers at most twice what it costs with 10, and nothing piles up', async () => {
  await using few = await startBusyDaemon(10)
  await using many = await startBusyDaemon(1_000)
  const [fewPage, manyPage] = [await openServers(few, 10), await openServers(many, 1_000)]
  const cost = (page: Page, daemon: BusyDaemon) =>
    costOfEvents(page, ROUND.events, () => daemon.send(ROUND.events, ROUND.milliseconds))
  // The first round pays for what is compiled once.
  for (const [page, daemon] of [[fewPage, few] as const, [manyPage, many] as const]) await cost(page, daemon)
  const costs: { ten: PageCost; thousand: PageCost }[] = []
  for (let round = 0; round < ROUNDS; round += 1)
    costs.push({ ten: await cost(fewPage, few), thousand: await cost(manyPage, many) })
  // Other programs only ever add to it, so that the least is what the page itself needs.
  const least = (of: 'ten' | 'thousand') => Math.min(...costs.map((each) => each[of].scriptPerEvent))
  expect(least('thousand') / least('ten'), JSON.stringify(costs)).toBeLessThanOrEqual(2)
  const [first, ...later] = costs.map(({ thousand }) => thousand.heap)
  expect(Math.min(...later) / (first ?? 0), JSON.stringify(costs)).toBeLessThanOrEqual(1.1)
  // What was last said is what is shown.
  await manyPage
    .getByText(/^step \d+ of its start$/)
    .first()
    .waitFor()
})
