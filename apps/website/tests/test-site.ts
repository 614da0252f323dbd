import path from 'node:path'
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core'
import { expect, inject } from 'vitest'
import { openSearch } from '../server/open-search.ts'
import { type RunningSite, serveSite } from '../server/serve-site.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    siteFolder: string
    fixtureFolders: Record<string, string>
  }
}

export const DESKTOP = { width: 1280, height: 900 }
export const MOBILE = { width: 390, height: 844 }

/**
 * The site that was built once for all test files, served with its embedded search. It is compressed in a hurry, since each
 * file of tests does it again; `asForReaders` takes the time.
 */
export async function startSite(folder = inject('siteFolder'), { asForReaders = false } = {}): Promise<RunningSite> {
  const search = await openSearch(folder)
  const place = { folder, port: 0, host: '127.0.0.1' }
  return serveSite({ ...place, ...(asForReaders ? {} : { quality: 1 }), ...(search === undefined ? {} : { search }) })
}

/** One of the sites of tests/fixture-site, built with another configuration. */
export function startFixture(name: string): Promise<RunningSite> {
  const folder = inject('fixtureFolders')[name]
  if (folder === undefined) throw new Error(`There is no fixture site called ${name}`)
  return startSite(path.resolve(folder))
}

export interface Watched {
  page: Page
  context: BrowserContext
  /** Console errors, uncaught errors and requests to other hosts, as one line each. */
  complaints: string[]
}

export interface PageOptions {
  viewport?: { width: number; height: number }
  colorScheme?: 'light' | 'dark'
  reducedMotion?: 'reduce'
  hasTouch?: true
  bypassCSP?: true
}

/** A page of its own context (storage included) that notes what a reader's console would show. */
export async function openPage(browser: Browser, site: RunningSite, options: PageOptions = {}): Promise<Watched> {
  const context = await browser.newContext({ viewport: DESKTOP, colorScheme: 'dark', ...options, baseURL: site.url })
  // Deadlines against hanging: a busy machine must not fail a correct test.
  context.setDefaultTimeout(100_000)
  const page = await context.newPage()
  const complaints: string[] = []
  watch(page, new URL(site.url).host, complaints)
  return { page, context, complaints }
}

function watch(page: Page, host: string, complaints: string[]): void {
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(`console: ${message.text()}`)
  })
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`))
  page.on('request', (request) => {
    const url = new URL(request.url())
    if (url.protocol.startsWith('http') && url.host !== host) complaints.push(`outside request: ${request.url()}`)
  })
}

/** Until React has taken over the page: the attribute is in the HTML already, as `false`. */
export async function hydrated(page: Page): Promise<void> {
  await page.waitForFunction(() => document.documentElement.dataset['hasHydrated'] === 'true')
}

/** Fails unless a person sees it and would hit it with a click: in the window, opaque, and with nothing in front of it. */
export async function expectSeen(locator: Locator): Promise<void> {
  await expect.poll(() => whatHidesIt(locator), { message: String(locator) }).toBe('nothing')
}

function whatHidesIt(locator: Locator): Promise<string> {
  return locator.evaluate((element) => {
    const { left, top, width, height } = element.getBoundingClientRect()
    if (width < 1 || height < 1) return `it measures ${width} by ${height}`
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return 'its style'
    const hit = document.elementFromPoint(left + width / 2, top + height / 2)
    if (hit === null) return `its place, ${left} ${top}`
    return element.contains(hit) ? 'nothing' : `what is in front of it: ${hit.outerHTML.slice(0, 100)}`
  })
}

export type Mode = 'light' | 'dark'

/** The mode that the page is painted in, whatever its attributes say. */
export function paintedMode(page: Page): Promise<Mode> {
  return page.evaluate(() => {
    const painted = [document.body, document.documentElement].map(
      (element) => getComputedStyle(element).backgroundColor,
    )
    const [red = 0, green = 0, blue = 0] =
      (painted.find((color) => !color.endsWith(', 0)')) ?? '').match(/\d+/g)?.map(Number) ?? []
    return red + green + blue < 384 ? 'dark' : 'light'
  })
}

export async function expectMode(page: Page, mode: Mode): Promise<void> {
  await expect.poll(() => paintedMode(page)).toBe(mode)
}

/** Pages that stay open for all tests of a file: each leaves its page as it found it. */
export class SharedPages {
  readonly #open = new Map<string, Promise<Watched>>()
  readonly #browser: Browser
  readonly #site: RunningSite

  constructor(browser: Browser, site: RunningSite) {
    this.#browser = browser
    this.#site = site
  }

  async visit(route: string, options: PageOptions = {}): Promise<Page> {
    const key = JSON.stringify([route, options])
    const opening = this.#open.get(key) ?? this.#load(route, options)
    this.#open.set(key, opening)
    return (await opening).page
  }

  /** What the consoles of all of them would show. */
  async complaints(): Promise<string[]> {
    return (await Promise.all(this.#open.values())).flatMap(({ complaints }) => complaints)
  }

  async #load(route: string, options: PageOptions): Promise<Watched> {
    const watched = await openPage(this.#browser, this.#site, options)
    await watched.page.goto(route)
    await hydrated(watched.page)
    return watched
  }
}
