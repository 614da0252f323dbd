import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { launchBrowser } from '@toolhaven/testing/browser'
import type { RunningSite } from '../server/serve-site.ts'
import { expectMode, expectSeen, hydrated, MOBILE, openPage, startSite, type Watched } from './test-site.ts'

let site: RunningSite
let browser: Browser
let watched: Watched
let page: Page
beforeAll(async () => {
  site = await startSite()
  browser = await launchBrowser()
  watched = await openPage(browser, site, { viewport: MOBILE })
  page = watched.page
  await page.goto('/toolhaven/faq')
  await hydrated(page)
})
afterAll(async () => {
  await browser?.close()
  await site?.[Symbol.asyncDispose]()
  expect(watched.complaints).toEqual([])
})

/** A test that failed half-way must not fail the next ones. */
afterEach(async () => {
  await page.setViewportSize(MOBILE)
  if (!(await sidebar().isVisible())) return
  await page.reload()
  await hydrated(page)
})

const opener = () => page.getByRole('button', { name: 'Toggle navigation bar' })
const sidebar = () => page.locator('.navbar-sidebar')
const closer = () => sidebar().getByRole('button', { name: 'Close navigation bar' })
const link = (name: string) => sidebar().getByRole('link', { name, exact: true })

async function open(): Promise<void> {
  await opener().click()
  await expectSeen(closer())
}

async function isClosed(): Promise<void> {
  await sidebar().waitFor({ state: 'hidden' })
  await expectSeen(page.getByRole('heading', { level: 1 }))
}

describe('the sidebar of narrow screens', () => {
  test.each(['light', 'dark'] as const)(
    'fills the height of the window and hides the page behind it (%s)',
    async (mode) => {
      await page.emulateMedia({ colorScheme: mode })
      await expectMode(page, mode)
      await open()
      await expect.poll(() => sidebar().boundingBox()).toMatchObject({ x: 0, y: 0, height: MOBILE.height })
      const color = await sidebar().evaluate((element) => getComputedStyle(element).backgroundColor)
      expect(color).toMatch(/^rgb\(/)
      await expectSeen(link('Overview'))
      await closer().click()
      await isClosed()
    },
  )

  test('shows links that lead where they say', async () => {
    await open()
    await link('Overview').click()
    await page.waitForURL('**/toolhaven/')
    await isClosed()
    await open()
    await sidebar()
      .getByRole('button', { name: /Back to main menu/ })
      .click()
    await sidebar().getByRole('button', { name: 'References' }).click()
    const first = sidebar().locator('.navbar-sidebar__item').first()
    await expect.poll(() => first.boundingBox()).toMatchObject({ x: 0 })
    const schema = first.getByRole('link', { name: 'Registry schema' })
    await expectSeen(schema)
    await schema.click()
    await page.waitForURL('**/toolhaven/reference/registry-schema')
    await isClosed()
  })

  test('closes with Escape, and gives focus back to the button that opened it', async () => {
    await open()
    await page.keyboard.press('Escape')
    await isClosed()
    expect(await opener().evaluate((button) => button === document.activeElement)).toBe(true)
  })

  test('closes with a click beside it', async () => {
    await open()
    await page.mouse.click(MOBILE.width - 10, MOBILE.height / 2)
    await isClosed()
  })

  test('closes when the window returns to desktop width', async () => {
    await open()
    await page.setViewportSize({ width: 1200, height: 900 })
    await sidebar().waitFor({ state: 'detached' })
    await page.setViewportSize(MOBILE)
    await isClosed()
  })

  test('is offered up to 996 px; wider is desktop', async () => {
    await page.setViewportSize({ width: 996, height: 900 })
    await expectSeen(opener())
    await page.setViewportSize({ width: 997, height: 900 })
    await opener().waitFor({ state: 'hidden' })
    await expectSeen(page.locator('.theme-doc-sidebar-container .menu__link').first())
    await page.setViewportSize(MOBILE)
  })
})

test.each([390, 1280])('no command or flag in the text breaks in its middle (%i px)', async (width) => {
  await page.setViewportSize({ width, height: 900 })
  await page.goto('/toolhaven/guides-cli/run-mcp-servers')
  await hydrated(page)
  const broken = await page.locator('.markdown :not(pre, a) > code').evaluateAll((all) =>
    all
      .flatMap((code) => (code.textContent.length <= 24 ? [code] : [...code.querySelectorAll('span')]))
      .filter((part) => part.getClientRects().length > 1)
      .map((part) => part.textContent),
  )
  expect(broken).toEqual([])
})

test('sentences that a program prints wrap, and its tables keep their columns', async () => {
  await page.goto('/toolhaven/tutorials/quickstart-cli')
  await hydrated(page)
  const outputs = await page
    .locator('.code-output pre')
    .evaluateAll((all) => all.map((pre) => ({ text: pre.textContent, hides: pre.scrollWidth > pre.clientWidth })))
  expect(outputs.filter(({ text, hides }) => hides && !/ {2,}\S.* {2,}/.test(text))).toEqual([])
  expect(outputs.some(({ text, hides }) => hides && text.startsWith('NAME'))).toBe(true)
})

test.each([
  ['/toolhaven/concepts/mcp-primer', '.diagram'],
  ['/toolhaven/guides-cli/client-configuration', '.code-output pre'],
  ['/toolhaven/guides-cli/telemetry-and-metrics', '.markdown pre'],
])('what scrolls on a phone has a shadow at its edge: %s %s', async (path, selector) => {
  await page.setViewportSize(MOBILE)
  await page.goto(path)
  await hydrated(page)
  const shadows = await page
    .locator(selector)
    .evaluateAll((all) =>
      all
        .filter((box) => box.scrollWidth > box.clientWidth)
        .map((box) => getComputedStyle(box).backgroundImage.split('linear-gradient').length - 1),
    )
  expect(new Set(shadows)).toEqual(new Set([2]))
})
