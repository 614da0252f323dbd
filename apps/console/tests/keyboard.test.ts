import { mkdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { FIXTURE, PHONE, startConsole, type TestConsole, WIDE } from './test-console.ts'

let toolhaven: TestConsole
beforeAll(async () => {
  toolhaven = await startConsole()
  await mkdir(path.join(toolhaven.home.dir, 'home/.cursor'), { recursive: true })
})
afterAll(async () => {
  await toolhaven?.[Symbol.asyncDispose]()
  expect(toolhaven?.complaints).toEqual([])
})

const MOST_STOPS = 150

/** Goes on with Tab until the focus is there and can be seen, as a person without a mouse does. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor()
  for (let stop = 0; stop < MOST_STOPS; stop += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return expectSeen(page, target)
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab does not reach ${String(target)}`)
}

/** WCAG 2.2, 2.4.11: nothing that stays in place hides what has the focus. */
async function expectSeen(page: Page, target: Locator): Promise<void> {
  const isSeen = await target.evaluate((element) => {
    const { left, top, width, height } = element.getBoundingClientRect()
    const hit = document.elementFromPoint(left + width / 2, top + Math.min(height / 2, 20))
    return hit !== null && (element.contains(hit) || hit.contains(element))
  })
  expect(isSeen, `${String(target)} is hidden at ${page.url()}`).toBe(true)
}

async function press(page: Page, target: Locator, key = 'Enter'): Promise<void> {
  await tabTo(page, target)
  await page.keyboard.press(key)
}

const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true })
const title = (page: Page, name: string | RegExp) => page.getByRole('heading', { name, level: 1 })

test.each([
  { place: 'a desk', viewport: WIDE, name: 'first' },
  { place: 'a phone', viewport: PHONE, name: 'second' },
])('keys alone run a server, call a tool, connect a client and stop it, on $place', async ({ viewport, name }) => {
  const page = await toolhaven.open('/', { viewport })
  await title(page, 'Home').waitFor()
  await press(page, link(page, 'Servers'))
  await title(page, 'Servers').waitFor()
  await press(
    page,
    page
      .getByRole('main')
      .getByRole('link', { name: /^Run a / })
      .first(),
  )
  await tabTo(page, page.getByLabel('Package or image'))
  await page.keyboard.type(FIXTURE)
  await tabTo(page, page.getByLabel('Name', { exact: true }))
  await page.keyboard.type(name)
  await page.keyboard.press('Enter')
  await press(page, link(page, 'Try its tools'))
  await press(page, link(page, 'echo'))
  await tabTo(page, page.getByLabel('Raw JSON'))
  await page.keyboard.press('Control+a')
  await page.keyboard.type('{"text":"by keys"}')
  await press(page, page.getByRole('button', { name: 'Call', exact: true }))
  await page.getByRole('article').first().getByText('by keys').first().waitFor()
  await press(page, link(page, 'Clients'))
  const cursor = page.getByRole('switch', { name: 'Cursor in default' })
  await press(page, cursor, 'Space')
  await expect.poll(() => cursor.isChecked()).toBe(name === 'first')
  const file = path.join(toolhaven.home.dir, 'home/.cursor/mcp.json')
  // A file that held nothing else goes with the last entry.
  const written = () => readFile(file, 'utf8').catch(() => '')
  await expect.poll(async () => (await written()).includes('"first"')).toBe(name === 'first')
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: /^Find/ }).waitFor()
  await page.keyboard.type(`${name} running`)
  await page.keyboard.press('Enter')
  await press(page, page.getByRole('button', { name: 'Stop', exact: true }))
  await title(page, `${name} stopped`).waitFor()
})
