import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { launchBrowser } from '@toolhaven/testing/browser'
import type { RunningSite } from '../server/serve-site.ts'
import { links } from '../site/settings.ts'
import { expectMode, expectSeen, openPage, SharedPages, startSite } from './test-site.ts'

let site: RunningSite
let browser: Browser
let pages: SharedPages
beforeAll(async () => {
  site = await startSite()
  browser = await launchBrowser()
  pages = new SharedPages(browser, site)
})
afterAll(async () => {
  const complaints = await pages?.complaints()
  await browser?.close()
  await site?.[Symbol.asyncDispose]()
  expect(complaints).toEqual([])
})

const toggle = (page: Page) => page.getByRole('button', { name: /Switch between dark and light mode/ })

/** Opens it with the mouse and gives its links, all of which can be seen then. */
async function dropdown(page: Page, label: string): Promise<[string, string | null][]> {
  const item = page.locator('.navbar .dropdown', { has: page.getByRole('button', { name: label, exact: true }) })
  await item.hover()
  const found = await item.locator('.dropdown__link').all()
  for (const link of found) await expectSeen(link)
  const read = await Promise.all(
    found.map(async (link) => [await link.innerText(), await link.getAttribute('href')] as const),
  )
  await page.mouse.move(600, 850)
  return read.map(([text, href]) => [text.trim(), href])
}

async function seenHref(link: Locator): Promise<string | null> {
  await expectSeen(link)
  return link.getAttribute('href')
}

describe('navbar', () => {
  test('the Docs dropdown has Home, Tutorials and the three kinds of guides', async () => {
    expect(await dropdown(await pages.visit('/'), 'Docs')).toEqual([
      ['Home', '/toolhaven'],
      ['Tutorials', '/toolhaven/tutorials'],
      ['Desktop UI guides', '/toolhaven/guides-ui/'],
      ['CLI guides', '/toolhaven/guides-cli/'],
      ['Kubernetes operator guides', '/toolhaven/guides-k8s/'],
    ])
  })

  test('the References dropdown has commands, API, registry schema and operator CRD', async () => {
    expect(await dropdown(await pages.visit('/'), 'References')).toEqual([
      ['CLI commands (thv)', '/toolhaven/reference/cli/thv'],
      ['API', '/toolhaven/reference/api'],
      ['Registry schema', '/toolhaven/reference/registry-schema'],
      ['Operator CRD', '/toolhaven/reference/crd-spec'],
    ])
  })

  test('icon links go to source hosting, a chat community and a video channel', async () => {
    const navbar = (await pages.visit('/')).locator('.navbar')
    expect(await seenHref(navbar.getByRole('link', { name: 'Source code' }))).toBe(links.source)
    expect(await seenHref(navbar.getByRole('link', { name: 'Chat community' }))).toBe(links.chat)
    expect(await seenHref(navbar.getByRole('link', { name: 'Video channel' }))).toBe(links.video)
  })

  test('a search button sits in the navbar', async () => {
    const page = await pages.visit('/toolhaven/faq')
    await expectSeen(page.locator('.navbar').getByRole('button', { name: /search/i }))
  })

  test('language and docs version are dropdowns, with one entry each', async () => {
    const page = await pages.visit('/toolhaven/faq')
    expect((await dropdown(page, 'English')).map(([label]) => label)).toEqual(['English'])
    expect(await dropdown(page, 'Next')).toEqual([['Next', '/toolhaven/faq']])
  })

  test('the colour toggle offers light, dark and system', async () => {
    const page = await pages.visit('/')
    const seen: (string | null)[] = []
    for (const painted of ['light', 'dark', 'dark'] as const) {
      seen.push(await toggle(page).getAttribute('title'))
      await toggle(page).click()
      await expectMode(page, painted)
    }
    expect(seen).toEqual(['system mode', 'light mode', 'dark mode'])
  })

  test('the logo leads to /', async () => {
    const page = await pages.visit('/toolhaven/quickstart')
    await page.locator('.navbar__brand').click()
    await page.waitForURL(`${site.url}/`)
    await expectSeen(page.getByRole('heading', { level: 1 }))
  })
})

describe('footer', () => {
  test('it adds a professional network link and a microblog link, and the year is 2025', async () => {
    const page = await pages.visit('/')
    const footer = page.locator('footer')
    await footer.scrollIntoViewIfNeeded()
    expect(await seenHref(footer.getByRole('link', { name: 'Professional network' }))).toBe(links.network)
    expect(await seenHref(footer.getByRole('link', { name: 'Microblog' }))).toBe(links.microblog)
    await expectSeen(footer.getByText(/© 2025\b/))
  })
})

describe('sidebar', () => {
  const category = (page: Page, label: string) =>
    page.locator('.theme-doc-sidebar-item-category', { has: page.locator(`> div > a:text-is("${label}")`) }).first()

  test('sections can be collapsed and expanded by the visitor', async () => {
    const page = await pages.visit('/toolhaven/faq')
    const concepts = category(page, 'Concepts')
    const button = concepts.getByRole('button').first()
    const first = concepts.locator('ul a').first()
    await first.scrollIntoViewIfNeeded()
    await expectSeen(first)
    await button.click()
    await first.waitFor({ state: 'hidden' })
    await button.click()
    await expectSeen(first)
  })

  test('categories are not auto-collapsed and the sidebar cannot be hidden', async () => {
    const page = await pages.visit('/toolhaven/guides-cli/install')
    await category(page, 'Concepts').locator('> div > a').click()
    await page.waitForURL('**/toolhaven/concepts')
    const first = category(page, 'CLI guides').locator('> ul > li > a').first()
    await first.scrollIntoViewIfNeeded()
    await expectSeen(first)
    expect(await page.getByRole('button', { name: 'Collapse sidebar', exact: true }).count()).toBe(0)
  })

  test('the collapse animation takes 1 ms when reduced motion is preferred', async () => {
    const page = await pages.visit('/toolhaven/faq')
    await page.emulateMedia({ reducedMotion: 'reduce' })
    const seen = await page.evaluate(async () => {
      const button = [...document.querySelectorAll<HTMLElement>('.theme-doc-sidebar-menu [aria-expanded=true]')].at(0)
      const list = button?.closest('li')?.querySelector('ul')
      if (button === undefined || list == null) throw new Error('there is nothing to collapse')
      const { promise, resolve } = Promise.withResolvers<string>()
      new MutationObserver(() => {
        if (list.style.transition !== '') resolve(list.style.transition)
      }).observe(list, { attributes: true })
      const clickable = button
        .closest('.menu__list-item-collapsible')
        ?.querySelector<HTMLElement>('button, a[role=button]')
      ;(clickable ?? button).click()
      return promise
    })
    expect(seen).toMatch(/height 1ms/)
    await page.emulateMedia({ reducedMotion: 'no-preference' })
  })

  test('the current page is in sight in the sidebar, however long that is, and the commands are nested', async () => {
    const page = await pages.visit('/toolhaven/reference/cli/thv_config_otel_set-endpoint')
    await expectSeen(page.locator('.theme-doc-sidebar-container .menu__link[aria-current="page"]'))
    expect(await page.evaluate(() => window.scrollY)).toBe(0)
    const crumbs = await page.locator('.theme-doc-breadcrumbs .breadcrumbs__link').allInnerTexts()
    expect(crumbs.filter(Boolean)).toEqual(['Reference', 'Commands (thv)', 'config', 'otel', 'set-endpoint'])
  })

  test('the folder of the commands leads to the first of them, with and without scripts', async () => {
    const { page, context, complaints } = await openPage(browser, site)
    await page.goto('/toolhaven/reference/cli/')
    await page.waitForURL('**/toolhaven/reference/cli/thv')
    await expectSeen(page.getByRole('heading', { level: 1, name: 'thv' }))
    expect(complaints).toEqual([])
    await page.route('**/*.js', (route) => route.abort())
    await page.goto('/toolhaven/reference/cli')
    await page.waitForURL('**/toolhaven/reference/cli/thv')
    await context.close()
  })
})

describe('preferred docs version', () => {
  const KEY = 'docs-preferred-version-default'
  const stored = (page: Page) => page.evaluate((key) => localStorage.getItem(key), KEY)

  test('it is stored when it is chosen', async () => {
    const page = await pages.visit('/toolhaven/faq')
    await page.locator('.navbar').getByRole('button', { name: 'Next', exact: true }).hover()
    await page.locator('.dropdown__menu').getByRole('link', { name: 'Next', exact: true }).click()
    expect(await stored(page)).toBe('current')
    await page.mouse.move(600, 850)
  })

  test('it is cleared if it no longer names an existing version', async () => {
    const { page, context } = await openPage(browser, site)
    await page.addInitScript((key) => localStorage.setItem(key, '0.0.1'), KEY)
    await page.goto('/toolhaven/faq')
    await page.waitForFunction((key) => localStorage.getItem(key) === null, KEY)
    await context.close()
  })
})

describe('content', () => {
  test('the table of contents covers heading levels 2 to 3', async () => {
    const page = await pages.visit('/theme-preview')
    const names = (from: string) =>
      page.locator(`.theme-doc-markdown :is(${from})`).evaluateAll((all) => all.map(({ id }) => id))
    const entries = page.locator('.theme-doc-toc-desktop a')
    await expectSeen(entries.first())
    const listed = await entries.evaluateAll((all) => all.map((link) => link.getAttribute('href')?.slice(1)))
    expect(listed).toEqual(await names('h2, h3'))
    expect((await names('h2, h3, h4')).length).toBeGreaterThan(listed.length)
  })

  test.each(['bash', 'json', 'powershell', 'docker', 'promql'])('code blocks support %s', async (language) => {
    const page = await pages.visit('/theme-preview')
    const block = page.locator(`.language-${language} code`).first()
    await block.scrollIntoViewIfNeeded()
    await expectSeen(block)
    expect((await block.innerText()).length).toBeGreaterThan(10)
    const colors = await page
      .locator(`.language-${language} .token:not(.plain)`)
      .evaluateAll((all) => all.map((token) => getComputedStyle(token).color))
    expect(new Set(colors).size).toBeGreaterThan(1)
  })

  test('marks of runnable blocks are not shown', async () => {
    const page = await pages.visit('/toolhaven/tutorials/quickstart-cli')
    const blocks = page.locator('.theme-code-block')
    expect(await blocks.count()).toBeGreaterThan(2)
    await blocks.first().scrollIntoViewIfNeeded()
    await expectSeen(blocks.first())
    expect(await page.locator('[class*=codeBlockTitle]').allInnerTexts()).not.toContain('run')
  })

  test('diagrams are there in both modes', async () => {
    const page = await pages.visit('/theme-preview')
    const shown = page.locator('.diagram img:visible').first()
    const drawing = () => shown.evaluate((image: HTMLImageElement) => image.naturalWidth > 20 && image.currentSrc)
    await shown.scrollIntoViewIfNeeded()
    await expect.poll(drawing).toContain('-dark.svg')
    await expectSeen(shown)
    expect(await shown.getAttribute('alt')).toMatch(/^Diagram with: \w/)
    await toggle(page).click()
    await expect.poll(drawing).toContain('-light.svg')
  })
})

describe('the page of the API', () => {
  const API = '/toolhaven/reference/api'

  test('its specification is fetched as a static asset from a path under /api-specs/', async () => {
    const { page, context, complaints } = await openPage(browser, site)
    const fetched = page.waitForResponse((response) => new URL(response.url()).pathname.startsWith('/api-specs/'))
    await page.goto(API)
    expect(await (await fetched).json()).toMatchObject({ openapi: expect.stringMatching(/^3\./) })
    await page.locator('.api-content h1').first().waitFor()
    expect(complaints).toEqual([])
    await context.close()
  })

  test('its operations can be read before any script has run', async () => {
    const { page, context } = await openPage(browser, site)
    await page.route('**/*.js', (route) => route.abort())
    await page.goto(API)
    const operation = page.locator('[id="tag/workloads/operation/restartWorkload"]')
    await operation.scrollIntoViewIfNeeded()
    await expectSeen(operation.getByText('Restart a workload').first())
    await context.close()
  })

  test.each(['operation/restartWorkload', 'tag/workloads/operation/restartWorkload'])(
    'its menu highlights the operation that #%s names, and shows it',
    async (hash) => {
      const page = await pages.visit(API)
      await page.locator('.api-content h1').first().waitFor()
      await page.evaluate((target) => (location.hash = target), 'tag/clients')
      await page.evaluate((target) => (location.hash = target), hash)
      const active = page.locator('.menu-content label.active').last()
      await expect.poll(() => active.innerText()).toContain('Restart a workload')
      await expectSeen(active)
      const shown = page.locator('.redoc-wrap [id="tag/workloads/operation/restartWorkload"]')
      await expect.poll(async () => Math.abs((await shown.boundingBox())?.y ?? NaN)).toBeLessThan(450)
    },
  )

  test('its menu is 300 px wide and has the colours of the mode', async () => {
    const page = await pages.visit(API)
    for (const mode of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: mode })
      await page.locator('.api-content h1').first().waitFor()
      const style = () =>
        page.locator('.menu-content').evaluate((element) => {
          const { width, backgroundColor } = getComputedStyle(element)
          return [width, backgroundColor]
        })
      await expect.poll(style).toEqual(['300px', mode === 'dark' ? 'rgb(8, 18, 23)' : 'rgb(253, 254, 254)'])
    }
  })
})
