import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { launchBrowser } from '@toolhaven/testing/browser'
import type { RunningSite } from '../server/serve-site.ts'
import { fakeHits } from './test-search-host.ts'
import { hydrated, openPage, startFixture, type Watched } from './test-site.ts'

let browser: Browser
let site: RunningSite
let watched: Watched
let page: Page

/** A site that shows three hits of a section and says nowhere where view events should go. */
beforeAll(async () => {
  browser = await launchBrowser()
  site = await startFixture('no-docs')
})
afterAll(async () => {
  await browser?.close()
  await site?.[Symbol.asyncDispose]()
})

beforeEach(async () => {
  await watched?.context.close()
  watched = await openPage(browser, site)
  page = watched.page
  const hits = fakeHits(20, ['Guides', 'Reference'])
  await page.route('**/1/indexes/**', (route) =>
    route.fulfill({ json: { results: [{ hits, nbHits: 20, queryID: 'query-1' }] } }),
  )
  await page.goto('/crash')
  await hydrated(page)
})

async function search(query: string): Promise<void> {
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').waitFor()
  await page.keyboard.insertText(query)
  await page.getByRole('option').first().waitFor()
}

it('section 9: hits per group are configurable', async () => {
  await search('x')
  const groups = await page.getByRole('listbox').all()
  expect(await Promise.all(groups.map((group) => group.getByRole('option').count()))).toEqual([3, 3])
})

it('section 7: there are no view events when no address for them is configured', async () => {
  const sent: string[] = []
  page.on('request', (request) => request.method() === 'POST' && sent.push(new URL(request.url()).pathname))
  const asked = page.waitForRequest((request) => request.url().includes('/queries'))
  await search('x')
  expect(JSON.parse((await asked).postData() ?? '').requests[0].clickAnalytics).toBe(false)
  // Timers of a page fire in the order of their times: had there been events, they would have been sent by then.
  await page.evaluate(() => new Promise((done) => setTimeout(done, 500)))
  expect(new Set(sent)).toEqual(new Set(['/1/indexes/*/queries']))
  expect(watched.complaints).toEqual([])
})
