import { globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { sample } from '@toolhaven/testing/rotation'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { launchBrowser } from '@toolhaven/testing/browser'
import type { RunningSite } from '../server/serve-site.ts'
import { DOCS_ROUTES, OTHER_ROUTES, ROUTES } from './test-routes.ts'
import { DESKTOP, expectSeen, hydrated, MOBILE, openPage, paintedMode, startSite, type Watched } from './test-site.ts'

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

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

test('the specification names 107 routes', () => {
  expect(new Set(ROUTES).size).toBe(107)
})

test.each(ROUTES)(
  '%s answers 200 in both spellings, without a canonical link since it has no address',
  async (route) => {
    const other = route.endsWith('/') ? route.slice(0, -1) : `${route}/`
    const [first, second] = await Promise.all([fetch(`${site.url}${route}`), fetch(`${site.url}${other || '/'}`)])
    expect([first.status, second.status]).toEqual([200, 200])
    const html = await first.text()
    expect(html).not.toMatch(/<link[^>]*rel="?(?:canonical|alternate)"?/)
    expect(html).toMatch(/<meta[^>]*name="?generator"?[^>]*content="Docusaurus v3\.8\.1"/)
    expect(html).toMatch(/<html lang=en dir=ltr/)
  },
)

test('all documentation pages belong to the default docs version', async () => {
  const others = DOCS_ROUTES.map(async (route) => {
    const html = await (await fetch(`${site.url}${route}`)).text()
    return /<meta[^>]*name="?docusaurus_version"? content="?current"?/.test(html) ? [] : [route]
  })
  expect((await Promise.all(others)).flat()).toEqual([])
})

test('docs are served from the root with no prefix, and there is no blog', async () => {
  const statuses = ['/docs', '/docs/toolhaven/', '/next/toolhaven/', '/blog'].map(async (route) => {
    return (await fetch(`${site.url}${route}`)).status
  })
  expect(await Promise.all(statuses)).toEqual([404, 404, 404, 404])
})

test.each(Object.values({ DESKTOP, MOBILE }))(
  'the home page shows the tagline "simple and secure AI tools" at $width px',
  async (viewport) => {
    const { page, context } = await openPage(browser, site, { viewport })
    await page.goto('/')
    await expectSeen(page.getByText(/simple and secure AI tools/i).first())
    await context.close()
  },
)

const modes = ['light', 'dark'] as const
const sizes = { desktop: DESKTOP, mobile: MOBILE }
/** The pages that are not of the specification, such as those of newer commands, have to be as good as the others. */
const pages = [...new Set([...ROUTES, ...globSync('**/index.html', { cwd: inject('siteFolder') }).map(routeOf)])]
const cells = pages.flatMap((route) =>
  modes.flatMap((mode) => (['desktop', 'mobile'] as const).map((size) => ({ route, mode, size }))),
)

describe('every page', () => {
  test.each(sample(spread(cells), 8))('$route in $mode on $size is whole and clean', async ({ route, mode, size }) => {
    const watched = await openPage(browser, site, { viewport: sizes[size], colorScheme: mode })
    const { page } = watched
    try {
      await page.goto(route)
      await hydrated(page)
      expect(await page.title()).toMatch(/Toolhaven/)
      const title = page.locator('h1:not(.redoc-wrap h1)')
      expect(await title.count()).toBe(1)
      await expectSeen(title)
      if (size === 'desktop') await expectSidebar(page, route)
      expect(await paintedMode(page)).toBe(mode)
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
      if (route.endsWith('/reference/api')) await page.locator('.api-content h1').first().waitFor()
      if (route === '/theme-preview') await page.locator('.docusaurus-mermaid-container svg').nth(1).waitFor()
      await expectTableOfContents(page)
      expect(await violations(watched, route)).toEqual([])
      expect(watched.complaints).toEqual([])
    } finally {
      await watched.context.close()
    }
  })
})

/** As the specification spells it: some pages of folders end in a slash and some do not. */
function routeOf(file: string): string {
  const route = `/${file.replace(/\/?index\.html$/, '')}`
  return ROUTES.includes(`${route}/`) ? `${route}/` : route
}

/** Neighbours in the list are far apart on the site, so that each sample meets every kind of page. */
function spread<Cell>(list: readonly Cell[]): readonly Cell[] {
  const step = 61
  return list.map((_, index) => list[(index * step) % list.length]!)
}

async function expectSidebar(page: Page, route: string): Promise<void> {
  const sidebar = page.locator('.theme-doc-sidebar-container')
  expect(await sidebar.count()).toBe(OTHER_ROUTES.includes(route) ? 0 : 1)
  if (OTHER_ROUTES.includes(route)) return
  // The page before the start of the list has no entry of its own.
  const current = sidebar.locator('.menu__link[aria-current="page"]')
  await expectSeen((await current.count()) === 0 ? sidebar.locator('.menu__link').first() : current)
}

/** The table of contents has exactly the headings of levels 2 and 3 of the page. */
async function expectTableOfContents(page: Page): Promise<void> {
  const links = await page
    .locator('.theme-doc-toc-desktop .table-of-contents__link')
    .evaluateAll((all) => all.map((link) => link.getAttribute('href')))
  if (links.length === 0) return
  const headings = await page
    .locator('.theme-doc-markdown :is(h2, h3)[id]')
    .evaluateAll((all) =>
      all.filter((heading) => heading.closest('.tabs-container, details') === null).map(({ id }) => `#${id}`),
    )
  expect(links.filter((link) => !headings.includes(link ?? ''))).toEqual([])
}

async function violations({ page }: Watched, route: string): Promise<string[]> {
  // Not as a script of the page, which its content security policy would refuse.
  await page.evaluate(axeSource)
  const { outside, inside } = await page.evaluate(async (inViewer: boolean) => {
    const axe: unknown = Reflect.get(window, 'axe')
    const run: (context: unknown) => Promise<{
      violations: { id: string; impact: string; nodes: { target: string[]; failureSummary: string }[] }[]
    }> = Reflect.get(Object(axe), 'run')
    const ours = await run(inViewer ? { exclude: ['.redoc-wrap'] } : document)
    const viewer = inViewer ? await run({ include: ['.redoc-wrap'] }) : { violations: [] }
    const serious = viewer.violations.filter(
      ({ id, impact }) => id === 'heading-order' || impact === 'serious' || impact === 'critical',
    )
    const lines = (found: typeof serious) =>
      found.flatMap(({ id, nodes }) =>
        nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary.slice(0, 200)}`),
      )
    return { outside: lines(ours.violations), inside: lines(serious) }
  }, route.endsWith('/reference/api'))
  return [...outside, ...inside]
}
