import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { launchBrowser } from '@toolhaven/testing/browser'
import type { RunningSite } from '../server/serve-site.ts'
import { expectSeen, hydrated, openPage, startFixture, startSite } from './test-site.ts'

let site: RunningSite
let fixture: RunningSite
let browser: Browser
beforeAll(async () => {
  site = await startSite()
  fixture = await startFixture('no-docs')
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  await site?.[Symbol.asyncDispose]()
  await fixture?.[Symbol.asyncDispose]()
})

describe('error catalogue', () => {
  test('page crash: "This page crashed." with a "Try again" button', async () => {
    const { page, context } = await openPage(browser, fixture)
    await page.goto('/crash')
    await hydrated(page)
    await page.getByRole('button', { name: 'Break' }).click()
    await expectSeen(page.getByRole('heading', { name: 'This page crashed.', exact: true }))
    await page.evaluate(() => (window.crashAgain = false))
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('button', { name: 'Break' }).waitFor()
    await context.close()
  })

  test('home page fails to initialise: a red banner that suggests a corrected base URL', async () => {
    const { page, context } = await openPage(browser, site)
    await page.route('**/*.js', (route) => route.abort())
    const html = await (await fetch(site.url)).text()
    await page.route('**/below/this/', (route) => route.fulfill({ body: html, contentType: 'text/html' }))
    await page.goto('/below/this/')
    const banner = page.locator('#site-load-banner')
    await expectSeen(banner)
    expect(await banner.innerText()).toContain('Your site did not load properly')
    expect(await banner.innerText()).toContain('Try the base URL /below/this/')
    expect(await banner.evaluate((element) => getComputedStyle(element).borderColor)).toBe('rgb(255, 0, 0)')
    await context.close()
  })

  test('a home page that did load shows no banner, nor does another page that did not', async () => {
    const { page, context } = await openPage(browser, site)
    await page.goto('/')
    await hydrated(page)
    expect(await page.locator('#site-load-banner').count()).toBe(0)
    await page.route('**/*.js', (route) => route.abort())
    await page.goto('/toolhaven/faq')
    expect(await page.locator('#site-load-banner').count()).toBe(0)
    await context.close()
  })

  test('unmatched path: the not-found page, with status 404, in the layout without the sidebar', async () => {
    const { page, context, complaints } = await openPage(browser, site)
    const response = await page.goto('/toolhaven/no-such-page')
    await hydrated(page)
    expect(response?.status()).toBe(404)
    await expectSeen(page.getByRole('heading', { level: 1, name: 'Page not found' }))
    expect(await page.title()).toBe('Page not found | Toolhaven')
    expect(await page.locator('.theme-doc-sidebar-container').count()).toBe(0)
    await expectSeen(page.locator('.navbar').getByRole('button', { name: 'Search', exact: true }))
    // The browser's own line about the answer, and nothing else.
    expect(complaints.filter((line) => !line.includes('status of 404'))).toEqual([])
    await context.close()
  })

  test.each([
    ['all of its scripts lost', '**/assets/js/**'],
    ['the scripts of the page itself lost', /\/assets\/js\/(?!runtime~main|main)/],
  ])(
    'page load failure at the first visit, with %s: the error text and a Retry button that works',
    async (_case, lost) => {
      const { page, context } = await openPage(browser, site)
      await page.route(lost, (route) => route.abort())
      await page.goto('/toolhaven/faq')
      const message = page.getByRole('alert').filter({ hasText: 'This page did not load completely' })
      await expectSeen(message)
      expect(await message.innerText()).toMatch(/\/assets\/js\/\S+\.js/)
      // The page can be read meanwhile.
      await expectSeen(page.locator('.theme-doc-markdown h1'))
      await page.unroute(lost)
      await message.getByRole('button', { name: 'Retry' }).click()
      await hydrated(page)
      expect(await message.count()).toBe(0)
      await context.close()
    },
  )

  test('docs version lookup when the docs plugin is off: a failure message', async () => {
    const { page, context } = await openPage(browser, fixture)
    await page.goto('/versions')
    await expectSeen(page.getByRole('heading', { name: 'This page crashed.' }))
    expect(await page.locator('main, #__docusaurus').first().innerText()).toContain(
      'Docusaurus plugin global data not found for "docusaurus-plugin-content-docs"',
    )
    await context.close()
  })
})

describe('paths ending in .html or /index.html are normalised', () => {
  test.each([
    ['/toolhaven/faq.html', '/toolhaven/faq'],
    ['/toolhaven/faq/index.html', '/toolhaven/faq'],
    ['/index.html', '/'],
    ['/toolhaven/faq.html?a=b', '/toolhaven/faq?a=b'],
  ])('%s moves to %s', async (from, to) => {
    const response = await fetch(`${site.url}${from}`, { redirect: 'manual' })
    expect([response.status, response.headers.get('location')]).toEqual([301, to])
  })

  test('where the host does not redirect, the page puts its address right', async () => {
    const { page, context, complaints } = await openPage(browser, site)
    const html = await (await fetch(`${site.url}/toolhaven/faq`)).text()
    await page.route('**/toolhaven/faq/index.html', (route) => route.fulfill({ body: html, contentType: 'text/html' }))
    await page.goto('/toolhaven/faq/index.html')
    await hydrated(page)
    expect(new URL(page.url()).pathname).toBe('/toolhaven/faq')
    await expectSeen(page.locator('.theme-doc-markdown h1'))
    expect(complaints).toEqual([])
    await context.close()
  })
})
