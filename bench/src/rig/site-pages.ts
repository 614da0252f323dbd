import { cp, glob, readFile, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { type Browser, type Page, chromium } from 'playwright-core'
import { serveSite } from '../../../apps/website/server/serve-site.ts'

/** What one visit with an empty cache cost. */
export interface Loaded {
  /** When the largest part of the first screen was painted. */
  paintMs: number
  scriptBytes: number
  otherBytes: number
}

export interface SiteRig extends AsyncDisposable {
  load: (route: string, withScripts: boolean) => Promise<Loaded>
}

/** Serves a built site twice, the second time without its scripts, to one browser. */
export async function startSiteRig(folder: string, copy: string): Promise<SiteRig> {
  if (!existsSync(path.join(folder, 'index.html'))) throw new Error('there is no built site: run npm run build:site')
  await cp(folder, copy, { recursive: true })
  for await (const file of glob('**/*.html', { cwd: copy })) {
    const html = await readFile(path.join(copy, file), 'utf8')
    await writeFile(path.join(copy, file), html.replaceAll(/<script\b[^>]*>[\s\S]*?<\/script>/g, ''))
  }
  const stack = new AsyncDisposableStack()
  const whole = stack.use(await serveSite({ folder, port: 0, host: '127.0.0.1' }))
  const bare = stack.use(await serveSite({ folder: copy, port: 0, host: '127.0.0.1' }))
  const browser = await launch()
  stack.defer(() => browser.close())
  return {
    load: (route, withScripts) => load(browser, `${(withScripts ? whole : bare).url}${route}`, withScripts),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

function launch(): Promise<Browser> {
  const executablePath = ['/usr/bin/chromium', '/usr/bin/google-chrome'].find((file) => existsSync(file))
  if (executablePath === undefined) throw new Error('there is no Chromium: install the package chromium')
  // The browser's own sandbox needs rights that root in a container does not have; the pages are ours.
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] })
}

async function load(browser: Browser, url: string, withScripts: boolean): Promise<Loaded> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
  try {
    const page = await context.newPage()
    page.setDefaultTimeout(120_000)
    // What is fetched ahead for other pages does not belong to this one.
    await page.addInitScript(() =>
      Object.defineProperty(navigator, 'connection', { value: { effectiveType: '4g', saveData: true } }),
    )
    const sizes = { scriptBytes: 0, otherBytes: 0 }
    page.on('response', (response) => {
      const kind = response.request().resourceType() === 'script' ? 'scriptBytes' : 'otherBytes'
      sizes[kind] += Number(response.headers()['content-length'] ?? 0)
    })
    await page.goto(url, { waitUntil: 'load' })
    const untilLoad = { ...sizes }
    if (withScripts) await page.waitForFunction(() => document.documentElement.dataset['hasHydrated'] === 'true')
    return { paintMs: await largestPaint(page), ...untilLoad }
  } finally {
    await context.close()
  }
}

function largestPaint(page: Page): Promise<number> {
  return page.evaluate(() => {
    const { promise, resolve } = Promise.withResolvers<number>()
    // All entries so far arrive at once. The last one is the largest.
    new PerformanceObserver((list) => resolve(list.getEntries().at(-1)?.startTime ?? 0)).observe({
      type: 'largest-contentful-paint',
      buffered: true,
    })
    return promise
  })
}
