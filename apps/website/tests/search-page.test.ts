import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchBrowser } from '@toolhaven/testing/browser'
import type { RunningSite } from '../server/serve-site.ts'
import { expectSeen, openPage, startSite } from './test-site.ts'

let browser: Browser
let site: RunningSite

beforeAll(async () => {
  browser = await launchBrowser()
  site = await startSite()
})
afterAll(async () => {
  await browser?.close()
  await site?.[Symbol.asyncDispose]()
})

it('section 2: /search takes the query parameter q and shows the results, their number, breadcrumbs and snippets', async () => {
  const { page, context, complaints } = await openPage(browser, site)
  await page.goto('/search?q=network%20isolation')
  const results = page.locator('main ol > li')
  await results.first().waitFor()
  expect(await page.getByRole('searchbox').inputValue()).toBe('network isolation')
  await expectSeen(results.first())
  const first = await results.first().innerText()
  expect(first).toContain('Network isolation')
  expect(first).toContain('CLI guides')
  const number = page.locator('main [role="status"]')
  await expectSeen(number)
  const count = Number((await number.innerText()).replace(/ results?$/, ''))
  expect(count).toBeGreaterThanOrEqual(await results.count())
  await expectSeen(page.locator('main ol mark').first())
  expect(await page.title()).toContain('Search results for "network isolation"')
  expect(await page.locator('meta[name="robots"]').getAttribute('content')).toContain('noindex')
  // Also that the page as built and the page with a query agree: React would complain here.
  expect(complaints).toEqual([])
  await context.close()
})

it('section 2: the address of /search follows what is typed, and more results come when asked for', async () => {
  const { page, context, complaints } = await openPage(browser, site)
  await page.goto('/search')
  await page.waitForSelector('html[data-has-hydrated="true"]')
  await page.getByRole('searchbox').fill('server')
  await page.waitForURL((url) => url.searchParams.get('q') === 'server')
  const results = page.locator('main ol > li')
  await results.first().waitFor()
  expect(await results.count()).toBe(20)
  await page.getByRole('button', { name: 'Show more results' }).click()
  await results.nth(39).waitFor()
  expect(complaints).toEqual([])
  await context.close()
})

it('section 8: /search says "Unable to fetch results" when the search fails', async () => {
  const { page, context } = await openPage(browser, site)
  await context.route('**/1/indexes/**', (route) => route.fulfill({ status: 500, body: '{}' }))
  await page.goto('/search?q=network')
  await expectSeen(page.getByText('Unable to fetch results'))
  await expectSeen(page.getByText('You might want to check your network connection.'))
  await context.close()
})
