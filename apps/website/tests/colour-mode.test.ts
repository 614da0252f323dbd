import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { launchBrowser } from '@toolhaven/testing/browser'
import type { RunningSite } from '../server/serve-site.ts'
import {
  expectMode as isTheme,
  hydrated,
  openPage,
  paintedMode as theme,
  startFixture,
  startSite,
} from './test-site.ts'

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

const stored = (page: Page) => page.evaluate(() => localStorage.getItem('theme'))
const toggle = (page: Page) => page.getByRole('button', { name: /Switch between dark and light mode/ })

describe('colour mode', () => {
  test('with no choice the mode follows the system preference and updates when it changes', async () => {
    const { page, context } = await openPage(browser, site, { colorScheme: 'light' })
    await page.goto('/toolhaven/faq')
    await hydrated(page)
    expect(await theme(page)).toBe('light')
    expect(await stored(page)).toBeNull()
    await page.emulateMedia({ colorScheme: 'dark' })
    await isTheme(page, 'dark')
    await context.close()
  })

  test('a change of the system before the scripts are there is painted at once, and kept by them', async () => {
    const { page, context } = await openPage(browser, site, { colorScheme: 'dark' })
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    await page.route('**/*.js', async (route) => {
      await released
      await route.continue()
    })
    await page.goto('/toolhaven/faq', { waitUntil: 'commit' })
    await page.locator('h1').first().waitFor()
    expect(await theme(page)).toBe('dark')
    await page.emulateMedia({ colorScheme: 'light' })
    await isTheme(page, 'light')
    release()
    await hydrated(page)
    expect(await theme(page)).toBe('light')
    // What follows the mode in React follows too: its own listener has taken over.
    await page.emulateMedia({ colorScheme: 'dark' })
    await isTheme(page, 'dark')
    await context.close()
  })

  test('a change of the system does not touch an explicit choice, before the scripts are there or after', async () => {
    const { page, context } = await openPage(browser, site, { colorScheme: 'dark' })
    await page.addInitScript(() => localStorage.setItem('theme', 'dark'))
    await page.route('**/*.js', (route) => route.abort())
    await page.goto('/toolhaven/faq')
    await page.emulateMedia({ colorScheme: 'light' })
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)))
    expect(await theme(page)).toBe('dark')
    await context.close()
  })

  test('the toggle goes through light, dark and system, and stores these words under "theme"', async () => {
    const { page, context } = await openPage(browser, site, { colorScheme: 'dark' })
    await page.goto('/toolhaven/faq')
    await hydrated(page)
    const seen: unknown[] = []
    for (const effective of ['light', 'dark', 'dark'] as const) {
      await toggle(page).click()
      await isTheme(page, effective)
      seen.push(await stored(page))
    }
    expect(seen).toEqual(['light', 'dark', 'system'])
    await context.close()
  })

  test('an explicit choice is persisted', async () => {
    const { page, context } = await openPage(browser, site, { colorScheme: 'dark' })
    await page.goto('/')
    await hydrated(page)
    await toggle(page).click()
    await isTheme(page, 'light')
    await page.goto('/toolhaven/faq')
    expect(await theme(page)).toBe('light')
    await hydrated(page)
    expect(await theme(page)).toBe('light')
    await context.close()
  })

  test.each(['light', 'dark'] as const)(
    'the stored word "system" is no choice, also before any script is loaded (%s)',
    async (colorScheme) => {
      const { page, context } = await openPage(browser, site, { colorScheme })
      await page.addInitScript(() => localStorage.setItem('theme', 'system'))
      await page.route('**/*.js', (route) => route.abort())
      await page.goto('/toolhaven/faq')
      expect(await theme(page)).toBe(colorScheme)
      expect(await page.locator('html').getAttribute('data-theme-choice')).toBe('system')
      await context.close()
    },
  )

  test('an explicit choice is synced across browser tabs, and so is the way back to system', async () => {
    const { page, context } = await openPage(browser, site, { colorScheme: 'dark' })
    const other = await context.newPage()
    for (const tab of [page, other]) {
      await tab.goto('/toolhaven/faq')
      await hydrated(tab)
    }
    await toggle(page).click()
    await isTheme(other, 'light')
    await toggle(page).click()
    await isTheme(other, 'dark')
    await toggle(page).click()
    await other.waitForFunction(() => document.documentElement.dataset['themeChoice'] === 'system')
    expect([await stored(page), await stored(other)]).toEqual(['system', 'system'])
    await context.close()
  })

  test('if the switch is disabled, the stored value is deleted', async () => {
    await using fixture = await startFixture('other')
    const { page, context } = await openPage(browser, fixture, { colorScheme: 'dark' })
    await page.addInitScript(() => localStorage.setItem('theme', 'light'))
    await page.route('**/*googletagmanager*/**', (route) => route.abort())
    await page.goto('/first')
    await page.waitForFunction(() => localStorage.getItem('theme') === null)
    expect(await theme(page)).toBe('dark')
    expect(await toggle(page).count()).toBe(0)
    await context.close()
  })

  test('with no choice and no system-following, the configured default (dark) is used', async () => {
    await using fixture = await startFixture('no-docs')
    const { page, context } = await openPage(browser, fixture, { colorScheme: 'light' })
    await page.goto('/crash')
    await hydrated(page)
    expect(await theme(page)).toBe('dark')
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.emulateMedia({ colorScheme: 'light' })
    expect(await theme(page)).toBe('dark')
    await context.close()
  })
})
