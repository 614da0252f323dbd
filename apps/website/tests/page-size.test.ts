import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { launchBrowser } from '@toolhaven/testing/browser'
import type { RunningSite } from '../server/serve-site.ts'
import { DOCS_ROUTES } from './test-routes.ts'
import { openPage, startSite } from './test-site.ts'

/** The bar is 140 KB. */
const LIMIT = 139_500
/** In the script that holds the text of a page; what stands behind it about its neighbours has no slug. */
const OWN_ROUTE = /"slug":"[^"]*","permalink":"(?<route>[^"]+)"/
/** Loads a viewer of its own, which is larger than the rest. */
const API = '/toolhaven/reference/api'

let site: RunningSite
let browser: Browser
beforeAll(async () => {
  site = await startSite(inject('siteFolder'), { asForReaders: true })
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  await site?.[Symbol.asyncDispose]()
})

/**
 * Each page of the build and the size of its text as script; all else is the same on every page. Zipped, which is quick
 * and says which is the largest.
 */
async function textSizes(): Promise<Map<string, number>> {
  const sizes = new Map<string, number>()
  for (const file of globSync('assets/js/*.js', { cwd: inject('siteFolder') })) {
    const script = await readFile(path.join(inject('siteFolder'), file), 'utf8')
    const route = OWN_ROUTE.exec(script)?.groups?.['route']
    if (route !== undefined) sizes.set(route, gzipSync(script).length)
  }
  return sizes
}

async function scriptOf(route: string, waitUntil: 'load' | 'networkidle' = 'load'): Promise<number> {
  const { page, context } = await openPage(browser, site)
  let size = 0
  page.on('response', (response) => {
    if (response.url().endsWith('.js')) size += Number(response.headers()['content-length'])
  })
  // What is fetched ahead of other pages is no part of this one.
  await page.addInitScript(() =>
    Object.defineProperty(navigator, 'connection', { value: { effectiveType: '4g', saveData: true } }),
  )
  await page.goto(route, { waitUntil })
  await context.close()
  return size
}

test('the page with the most text of all loads less than 139.5 KB of script', async () => {
  const sizes = await textSizes()
  expect(DOCS_ROUTES.filter((route) => !sizes.has(route))).toEqual([])
  const [largest] = [...sizes].filter(([route]) => route !== API).toSorted(([, one], [, other]) => other - one)
  const size = await scriptOf(largest?.[0] ?? '')
  expect(size).toBeGreaterThan(50_000)
  expect(size, largest?.[0]).toBeLessThan(LIMIT)
})

test('a page with diagrams loads no script that draws them', async () => {
  expect(await scriptOf('/theme-preview', 'networkidle')).toBeLessThan(140_000)
})
