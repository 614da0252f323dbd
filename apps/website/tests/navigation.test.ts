import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RunningSite } from '../server/serve-site.ts'
import { links } from '../site/settings.ts'
import { MOBILE, hydrated, launchBrowser, openPage, startSite } from './test-site.ts'

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

async function visit(route: string, options = {}): Promise<Page> {
  const { page } = await openPage(browser, site, options)
  await page.goto(route)
  await hydrated(page)
  return page
}

async function dropdown(page: Page, label: string): Promise<[string, string | null][]> {
  const item = page.locator('.navbar .dropdown', { has: page.getByRole('button', { name: label, exact: true }) })
  await item.hover()
  return item
    .locator('.dropdown__link')
    .evaluateAll((all) => all.map((link) => [link.textContent, link.getAttribute('href')]))
}

describe('navbar', () => {
  test('the logo links to /', async () => {
    const page = await visit('/toolhaven/faq')
    expect(await page.locator('.navbar__brand').getAttribute('href')).toBe('/')
    await page.context().close()
  })

  test('the Docs dropdown has Home, Tutorials and the three kinds of guides', async () => {
    const page = await visit('/')
    expect(await dropdown(page, 'Docs')).toEqual([
      ['Home', '/toolhaven'],
      ['Tutorials', '/toolhaven/tutorials'],
      ['Desktop UI guides', '/toolhaven/guides-ui/'],
      ['CLI guides', '/toolhaven/guides-cli/'],
      ['Kubernetes operator guides', '/toolhaven/guides-k8s/'],
    ])
    await page.context().close()
  })

  test('the References dropdown has commands, API, registry schema and operator CRD', async () => {
    const page = await visit('/')
    expect(await dropdown(page, 'References')).toEqual([
      ['CLI commands (thv)', '/toolhaven/reference/cli/thv'],
      ['API', '/toolhaven/reference/api'],
      ['Registry schema', '/toolhaven/reference/registry-schema'],
      ['Operator CRD', '/toolhaven/reference/crd-spec'],
    ])
    await page.context().close()
  })

  test('icon links go to source hosting, a chat community and a video channel', async () => {
    const page = await visit('/')
    for (const [name, href] of [
      ['Source code', links.source],
      ['Chat community', links.chat],
      ['Video channel', links.video],
    ] as const) {
      expect(await page.locator('.navbar').getByRole('link', { name }).getAttribute('href')).toBe(href)
    }
    await page.context().close()
  })

  test('a search button sits in the navbar', async () => {
    const page = await visit('/toolhaven/faq')
    expect(
      await page
        .locator('.navbar')
        .getByRole('button', { name: /search/i })
        .count(),
    ).toBe(1)
    await page.context().close()
  })

  test('language and docs version are dropdowns, with one entry each', async () => {
    const page = await visit('/toolhaven/faq')
    expect((await dropdown(page, 'English')).map(([label]) => label)).toEqual(['English'])
    expect(await dropdown(page, 'Next')).toEqual([['Next', '/toolhaven/faq']])
    await page.context().close()
  })

  test('the colour toggle offers light, dark and system', async () => {
    const page = await visit('/')
    const toggle = page.getByRole('button', { name: /Switch between dark and light mode/ })
    const seen: (string | null)[] = []
    for (let step = 0; step < 3; step += 1) {
      seen.push(await toggle.getAttribute('title'))
      await toggle.click()
    }
    expect(seen).toEqual(['system mode', 'light mode', 'dark mode'])
    await page.context().close()
  })
})

describe('footer', () => {
  test('it adds a professional network link and a microblog link, and the year is 2025', async () => {
    const page = await visit('/')
    const footer = page.locator('footer')
    expect(await footer.getByRole('link', { name: 'Professional network' }).getAttribute('href')).toBe(links.network)
    expect(await footer.getByRole('link', { name: 'Microblog' }).getAttribute('href')).toBe(links.microblog)
    expect(await footer.innerText()).toMatch(/© 2025\b/)
    await page.context().close()
  })
})

describe('mobile navigation', () => {
  const open = '.navbar-sidebar--show'

  test('on narrow screens the navbar offers a sidebar that opens and closes', async () => {
    const page = await visit('/toolhaven/faq', { viewport: MOBILE })
    await page.getByRole('button', { name: 'Toggle navigation bar' }).click()
    await page.locator(open).waitFor()
    await page.getByRole('button', { name: 'Close navigation bar' }).click()
    await page.waitForFunction((open) => document.querySelector(open) === null, open)
    await page.context().close()
  })

  test('it closes when the viewport returns to desktop width', async () => {
    const page = await visit('/toolhaven/faq', { viewport: MOBILE })
    await page.getByRole('button', { name: 'Toggle navigation bar' }).click()
    await page.locator(open).waitFor()
    await page.setViewportSize({ width: 1200, height: 900 })
    await page.waitForFunction((open) => document.querySelector(open) === null, open)
    await page.context().close()
  })

  test('wider than 996 px is desktop, otherwise mobile', async () => {
    const page = await visit('/toolhaven/faq', { viewport: { width: 996, height: 900 } })
    const button = page.getByRole('button', { name: 'Toggle navigation bar' })
    await button.waitFor({ state: 'visible' })
    await page.setViewportSize({ width: 997, height: 900 })
    await button.waitFor({ state: 'hidden' })
    await page.locator('.theme-doc-sidebar-container').waitFor({ state: 'visible' })
    await page.context().close()
  })
})

describe('sidebar', () => {
  const category = (page: Page, label: string) =>
    page.locator('.theme-doc-sidebar-item-category', { has: page.locator(`> div > a:text-is("${label}")`) }).first()

  test('sections can be collapsed and expanded by the visitor', async () => {
    const page = await visit('/toolhaven/faq')
    const concepts = category(page, 'Concepts')
    const button = concepts.getByRole('button').first()
    expect(await button.getAttribute('aria-expanded')).toBe('true')
    await button.click()
    await concepts.locator('ul a').first().waitFor({ state: 'hidden' })
    await button.click()
    await concepts.locator('ul a').first().waitFor({ state: 'visible' })
    await page.context().close()
  })

  test('categories are not auto-collapsed and the sidebar cannot be hidden', async () => {
    const page = await visit('/toolhaven/guides-cli/install')
    await category(page, 'Concepts').locator('> div > a').click()
    await page.waitForURL('**/toolhaven/concepts')
    expect(await category(page, 'CLI guides').locator('> ul > li').first().isVisible()).toBe(true)
    expect(await page.getByRole('button', { name: 'Collapse sidebar', exact: true }).count()).toBe(0)
    await page.context().close()
  })

  test('the collapse animation takes 1 ms when reduced motion is preferred', async () => {
    const page = await visit('/toolhaven/faq', { reducedMotion: 'reduce' })
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
    await page.context().close()
  })

  test('the current page is in sight in the sidebar, however long that is', async () => {
    const page = await visit('/toolhaven/reference/cli/thv_version')
    const link = page.locator('.theme-doc-sidebar-container .menu__link[aria-current="page"]')
    await expect.poll(async () => (await link.boundingBox())?.y, { timeout: 30_000 }).toBeLessThan(900)
    expect(await page.evaluate(() => window.scrollY)).toBe(0)
    await page.context().close()
  })

  test('the CLI reference is nested as its commands are', async () => {
    const page = await visit('/toolhaven/reference/cli/thv_config_otel_set-endpoint')
    const crumbs = await page.locator('.theme-doc-breadcrumbs .breadcrumbs__link').allInnerTexts()
    expect(crumbs.filter(Boolean)).toEqual(['Reference', 'Commands (thv)', 'config', 'otel', 'set-endpoint'])
    await page.context().close()
  })
})

describe('preferred docs version', () => {
  const KEY = 'docs-preferred-version-default'
  const stored = (page: Page) => page.evaluate((key) => localStorage.getItem(key), KEY)

  test('it is stored when it is chosen', async () => {
    const page = await visit('/toolhaven/faq')
    await page.locator('.navbar').getByRole('button', { name: 'Next', exact: true }).hover()
    await page.locator('.dropdown__menu').getByRole('link', { name: 'Next', exact: true }).click()
    expect(await stored(page)).toBe('current')
    await page.context().close()
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
    const page = await visit('/theme-preview')
    const names = (selector: string, from = 'h2, h3, h4') =>
      page.locator(`${selector} :is(${from})`).evaluateAll((all) => all.map(({ id }) => id))
    const listed = await page
      .locator('.theme-doc-toc-desktop a')
      .evaluateAll((all) => all.map((link) => link.getAttribute('href')?.slice(1)))
    expect(listed).toEqual(await names('.theme-doc-markdown', 'h2, h3'))
    expect((await names('.theme-doc-markdown')).length).toBeGreaterThan(listed.length)
    await page.context().close()
  })

  test('the API specification file is fetched as a static asset from a path under /api-specs/', async () => {
    const { page, context, complaints } = await openPage(browser, site)
    const fetched = page.waitForResponse((response) => new URL(response.url()).pathname.startsWith('/api-specs/'))
    await page.goto('/toolhaven/reference/api')
    expect(await (await fetched).json()).toMatchObject({ openapi: expect.stringMatching(/^3\./) })
    expect(complaints).toEqual([])
    await context.close()
  })

  test('the operations of the API are in the page before any script has run', async () => {
    const { page, context } = await openPage(browser, site)
    await page.route('**/*.js', (route) => route.abort())
    await page.goto('/toolhaven/reference/api')
    const operation = page.locator('[id="tag/workloads/operation/restartWorkload"]')
    expect(await operation.innerText()).toContain('Restart a workload')
    await context.close()
  })

  test.each(['bash', 'json', 'powershell', 'docker', 'promql'])('code blocks support %s', async (language) => {
    const page = await visit('/theme-preview')
    const colors = await page
      .locator(`.language-${language} .token:not(.plain)`)
      .evaluateAll((all) => all.map((token) => getComputedStyle(token).color))
    expect(new Set(colors).size).toBeGreaterThan(1)
    await page.context().close()
  })

  test('marks of runnable blocks are not shown', async () => {
    const page = await visit('/toolhaven/tutorials/quickstart-cli')
    expect(await page.locator('.theme-code-block').count()).toBeGreaterThan(2)
    expect(await page.locator('[class*=codeBlockTitle]').allInnerTexts()).not.toContain('run')
    await page.context().close()
  })

  test('diagrams are drawn, and drawn anew in the other mode', async () => {
    const page = await visit('/theme-preview')
    const fill = () =>
      page
        .locator('.docusaurus-mermaid-container svg .node rect')
        .first()
        .evaluate((box) => getComputedStyle(box).fill)
    await page.locator('.docusaurus-mermaid-container svg').nth(1).waitFor()
    const dark = await fill()
    await page.getByRole('button', { name: /Switch between dark and light mode/ }).click()
    await expect.poll(fill).not.toBe(dark)
    await page.context().close()
  })

  test.each(['light', 'dark'] as const)('the API page has a themed menu of 300 px (%s)', async (colorScheme) => {
    const page = await visit('/toolhaven/reference/api', { colorScheme })
    await page.locator('.api-content h1').first().waitFor()
    const menu = page.locator('.menu-content')
    expect(await menu.evaluate((element) => getComputedStyle(element).width)).toBe('300px')
    const background = await menu.evaluate((element) => getComputedStyle(element).backgroundColor)
    expect(background).toBe(colorScheme === 'dark' ? 'rgb(8, 18, 23)' : 'rgb(253, 254, 254)')
    await page.context().close()
  })
})
