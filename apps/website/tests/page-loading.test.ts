import type { Browser, Page } from 'playwright-core'
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

/** A connection that forbids prefetching, so that a page's resources are first asked for when it is opened. */
async function connection(page: Page, value: { effectiveType: string; saveData: boolean }): Promise<void> {
  await page.addInitScript((value) => Object.defineProperty(navigator, 'connection', { value }), value)
}
const SAVING = { effectiveType: '4g', saveData: true }

/** Holds back every script from now on. */
async function holdScripts(page: Page): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route('**/assets/js/**', async (route) => {
    await promise
    await route.continue()
  })
  return resolve
}

/** From now on timers fire only when they are told to. */
async function stopClock(page: Page): Promise<void> {
  await page.clock.install()
  await page.clock.pauseAt(Date.now() + 3_600_000)
}

const faqLink = (page: Page) => page.locator('.footer').getByRole('link', { name: 'FAQ' })

describe('page loading', () => {
  test('a loader appears after a delay of 200 ms', async () => {
    const { page, context } = await openPage(browser, fixture)
    await connection(page, SAVING)
    await page.goto('/lazy')
    await hydrated(page)
    const release = await holdScripts(page)
    await stopClock(page)
    await page.getByRole('button', { name: 'Load' }).click()
    await page.clock.runFor(199)
    expect(await page.locator('#place svg').count()).toBe(0)
    await page.clock.runFor(2)
    await page.locator('#place svg').scrollIntoViewIfNeeded()
    await expectSeen(page.locator('#place svg'))
    expect((await page.locator('#place svg').boundingBox())?.height).toBeGreaterThan(50)
    release()
    await expectSeen(page.getByText('The page that was waited for'))
    await context.close()
  })

  test('on failure the error text and a Retry button are shown, and Retry loads the page', async () => {
    const { page, context } = await openPage(browser, fixture)
    await connection(page, SAVING)
    await page.goto('/lazy')
    await hydrated(page)
    await page.route('**/assets/js/**', (route) => route.abort())
    await page.getByRole('button', { name: 'Load' }).click()
    await expectSeen(
      page
        .locator('#place')
        .getByText(/ChunkLoadError/)
        .first(),
    )
    await page.unroute('**/assets/js/**')
    await page.locator('#place').getByRole('button', { name: 'Retry' }).click()
    await expectSeen(page.getByText('The page that was waited for'))
    await context.close()
  })

  test('a route change preloads the next page and keeps the old one until it is there', async () => {
    const { page, context } = await openPage(browser, site)
    await connection(page, SAVING)
    await page.goto('/')
    await hydrated(page)
    const release = await holdScripts(page)
    const asked = page.waitForRequest('**/assets/js/**')
    await faqLink(page).click()
    await asked
    // The page is still where the link was: its heading may be out of the window.
    await expectSeen(faqLink(page))
    release()
    await expectSeen(page.locator('.theme-doc-markdown h1'))
    await context.close()
  })

  test('if preloading fails, the page reloads fully', async () => {
    const { page, context } = await openPage(browser, site)
    await connection(page, SAVING)
    await page.goto('/')
    await hydrated(page)
    await page.evaluate(() => Reflect.set(window, 'sameDocument', true))
    await page.route('**/assets/js/**', (route) => route.abort())
    const reloaded = page.waitForRequest((request) => request.isNavigationRequest())
    await faqLink(page).click()
    expect(new URL((await reloaded).url()).pathname).toBe('/toolhaven/faq')
    await page.waitForFunction(() => !('sameDocument' in window))
    await context.close()
  })

  test.each([
    ['links are prefetched', { effectiveType: '4g', saveData: false }, true],
    ['links are not prefetched on a slow 2g connection', { effectiveType: 'slow-2g', saveData: false }, false],
    ['links are not prefetched on a 2g connection', { effectiveType: '2g', saveData: false }, false],
    ['links are not prefetched when data-saver is on', SAVING, false],
  ])('%s', async (_case, value, prefetches) => {
    const { page, context } = await openPage(browser, site)
    await connection(page, value)
    await page.goto('/')
    await hydrated(page)
    if (prefetches) await page.waitForFunction(() => document.querySelector('link[rel=prefetch]') !== null)
    // Observers report visible links within a frame or two of the page being idle.
    else await page.evaluate(() => new Promise((done) => requestIdleCallback(() => requestAnimationFrame(done))))
    expect((await page.locator('link[rel=prefetch]').count()) > 0).toBe(prefetches)
    await context.close()
  })

  test('no address is prefetched twice, however many links lead to pages that share it', async () => {
    const { page, context } = await openPage(browser, site)
    await page.goto('/toolhaven/')
    await hydrated(page)
    await page.waitForFunction(() => document.querySelector('link[rel=prefetch]') !== null)
    await page.evaluate(() => new Promise((done) => requestIdleCallback(() => requestAnimationFrame(done))))
    const asked = await page
      .locator('link[rel=prefetch]')
      .evaluateAll((all) => all.map((link) => link.getAttribute('href')))
    expect(asked.length).toBeGreaterThan(5)
    expect(asked).toEqual([...new Set(asked)])
    await context.close()
  })
})

/** The bar is a line at the top of the window. */
function barSize(page: Page) {
  return page.locator('#nprogress .bar').evaluate((bar) => {
    const { height, backgroundColor, opacity } = getComputedStyle(bar)
    const { right } = bar.getBoundingClientRect()
    return {
      height: parseFloat(height),
      isPainted: right > 0 && backgroundColor !== 'rgba(0, 0, 0, 0)' && opacity !== '0',
    }
  })
}

describe('progress bar', () => {
  test('it starts 200 ms after a route change to a different path and finishes when the route has updated', async () => {
    const { page, context } = await openPage(browser, site)
    await connection(page, SAVING)
    await page.goto('/')
    await hydrated(page)
    const release = await holdScripts(page)
    await stopClock(page)
    await faqLink(page).click()
    await page.clock.runFor(199)
    expect(await page.locator('#nprogress').count()).toBe(0)
    await page.clock.runFor(2)
    await page.clock.runFor(10)
    await expect.poll(() => barSize(page)).toMatchObject({ height: 2, isPainted: true })
    release()
    await page.locator('.theme-doc-markdown h1').waitFor()
    await page.clock.runFor(2000)
    await page.locator('#nprogress').waitFor({ state: 'detached' })
    await context.close()
  })

  test('minimum 0.08, speed 200 ms, trickle every 800 ms', async () => {
    const { page, context } = await openPage(browser, site)
    await connection(page, SAVING)
    await page.goto('/')
    await hydrated(page)
    const release = await holdScripts(page)
    await stopClock(page)
    await faqLink(page).click()
    await page.clock.runFor(210)
    const bar = page.locator('#nprogress .bar')
    const left = async () => Number(/-(\d+(?:\.\d+)?)%/.exec((await bar.getAttribute('style')) ?? '')?.[1])
    expect(await left()).toBe(92)
    expect(await bar.getAttribute('style')).toMatch(/transition: (?:all )?200ms/)
    await page.clock.runFor(700)
    expect(await left()).toBe(92)
    await page.clock.runFor(500)
    expect(await left()).toBeLessThan(92)
    release()
    await context.close()
  })

  test('a change of the query or the hash alone starts none', async () => {
    const { page, context } = await openPage(browser, site)
    await page.goto('/toolhaven/faq')
    await hydrated(page)
    await stopClock(page)
    await page.locator('.theme-doc-toc-desktop a').first().click()
    await page.clock.runFor(1000)
    expect(await page.locator('#nprogress').count()).toBe(0)
    expect(new URL(page.url()).hash).not.toBe('')
    await context.close()
  })
})
