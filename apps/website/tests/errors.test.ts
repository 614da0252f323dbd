import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RunningSite } from '../server/serve-site.ts'
import { hydrated, launchBrowser, openPage, startFixture, startSite } from './test-site.ts'

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
    await page.getByRole('heading', { name: 'This page crashed.', exact: true }).waitFor()
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
    await banner.waitFor()
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
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Page not found')
    expect(await page.locator('.theme-doc-sidebar-container').count()).toBe(0)
    expect(await page.locator('.navbar').count()).toBe(1)
    // The browser's own line about the answer, and nothing else.
    expect(complaints.filter((line) => !line.includes('status of 404'))).toEqual([])
    await context.close()
  })

  test('docs version lookup when the docs plugin is off: a failure message', async () => {
    const { page, context } = await openPage(browser, fixture)
    await page.goto('/versions')
    await page.getByRole('heading', { name: 'This page crashed.' }).waitFor()
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
    expect(await page.locator('.theme-doc-markdown h1').count()).toBe(1)
    expect(complaints).toEqual([])
    await context.close()
  })
})
