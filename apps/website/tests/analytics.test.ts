import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { launchBrowser } from '@toolhaven/testing/browser'
import type { RunningSite } from '../server/serve-site.ts'
import { hydrated, openPage, startFixture, startSite } from './test-site.ts'

let site: RunningSite
let browser: Browser
beforeAll(async () => {
  site = await startSite()
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  await site?.[Symbol.asyncDispose]()
})

const views = async () => (await fetch(`${site.url}/insights/views`)).json()

describe('analytics', () => {
  test('the script comes from /insights/script.js on the site itself, counts page views and sets no cookie', async () => {
    const { page, context, complaints } = await openPage(browser, site)
    const loaded = page.waitForResponse('**/insights/script.js')
    await page.goto('/toolhaven/faq')
    expect((await loaded).status()).toBe(200)
    await hydrated(page)
    await page.locator('footer').getByRole('link', { name: 'Quickstart' }).click()
    await page.waitForURL('**/toolhaven/quickstart')
    await expect.poll(views).toEqual({ '/toolhaven/faq': 1, '/toolhaven/quickstart': 1 })
    expect(await context.cookies()).toEqual([])
    expect(complaints).toEqual([])
    await context.close()
  })

  test('views of what is not a page are not counted', async () => {
    await fetch(`${site.url}/insights/view`, { method: 'POST', body: '/made-up' })
    expect(Object.keys(await views())).not.toContain('/made-up')
  })

  test('if the script fails to load, the site logs one console message and shows nothing', async () => {
    const { page, context } = await openPage(browser, site)
    const said: string[] = []
    page.on('console', (message) => message.type() === 'log' && said.push(message.text()))
    await page.route('**/insights/script.js', (route) => route.abort())
    await page.goto('/toolhaven/faq')
    await hydrated(page)
    await expect.poll(() => said.length).toBe(1)
    expect(said[0]).toMatch(/analytics script could not be loaded/)
    expect(await page.locator('body').innerText()).not.toMatch(/analytics script/)
    await context.close()
  })

  test('a debug variant is used in development', async () => {
    await using fixture = await startFixture('development')
    // Code in development is evaluated from texts, which our policy forbids and the server of development allows.
    const { page, context } = await openPage(browser, fixture, { bypassCSP: true })
    const said: string[] = []
    page.on('console', (message) => said.push(message.text()))
    const loaded = page.waitForResponse('**/insights/script.debug.js')
    await page.goto('/first')
    await loaded
    await expect.poll(() => said).toContain('[insights] view /first')
    await context.close()
  })

  test('a tag manager is included when a container id is configured, and only then', async () => {
    await using fixture = await startFixture('other')
    const policy = (url: string) => fetch(url).then(({ headers }) => headers.get('content-security-policy'))
    expect(await (await fetch(`${fixture.url}/first`)).text()).toContain('GTM-FIXTURE')
    expect(await policy(fixture.url)).toContain('https://www.googletagmanager.com')
    expect(await (await fetch(site.url)).text()).not.toContain('googletagmanager')
    expect(await policy(site.url)).not.toContain('googletagmanager')
  })
})
