import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

const axeFile = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

/** Fails with the rules that the page breaks and where. */
export async function expectAccessible(page: Page): Promise<void> {
  // Evaluated as from developer tools: the page's own policy forbids scripts of others.
  await page.evaluate(await readFile(axeFile, 'utf8'))
  const found: unknown = await page.evaluate(`axe.run(document).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html, failureSummary }) => html + failureSummary).join(' | ')))`)
  expect(found).toEqual([])
}

/** Nothing may stick out: a page that scrolls sideways loses its readers on a phone. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const overhang = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
  expect(overhang, 'what sticks out of the window').toBeLessThanOrEqual(0)
}
