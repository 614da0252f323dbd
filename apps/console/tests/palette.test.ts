import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { untilStatus } from '../../../e2e/src/statuses.ts'
import { expectAccessible, expectNoSidewaysScroll } from './test-accessible.ts'
import { FIXTURE, PHONE, startConsole, type TestConsole } from './test-console.ts'

let toolhaven: TestConsole
let page: Page
beforeAll(async () => {
  toolhaven = await startConsole()
  await toolhaven.daemon().api.call('createWorkload', { body: { name: 'good', image: FIXTURE } })
  await untilStatus(toolhaven.daemon(), 'good', 'running')
  page = await toolhaven.open('/servers')
})
afterAll(async () => {
  await toolhaven?.[Symbol.asyncDispose]()
  expect(toolhaven?.complaints).toEqual([])
})

const palette = () => page.getByRole('dialog', { name: 'Find' })
const option = (name: string | RegExp) => palette().getByRole('option', { name })
const title = (name: string | RegExp) => page.getByRole('heading', { name, level: 1 })
const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim() ?? '')

test('the palette leads to a server, and gives the focus back when it is left', async () => {
  await title('Servers').waitFor()
  await page.getByRole('button', { name: 'Find' }).focus()
  await page.keyboard.press('Control+k')
  await palette().getByRole('combobox').waitFor()
  await option('Home').waitFor()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await palette().waitFor({ state: 'detached' })
  expect(await focused()).toMatch(/^Find/)
  await page.keyboard.press('Control+k')
  await page.keyboard.type('goo')
  await palette().getByRole('option', { name: 'good running', selected: true }).waitFor()
  await page.keyboard.press('Enter')
  await title(/^good/).waitFor()
  await palette().waitFor({ state: 'detached' })
})

test('what the page can do comes first, and is done', async () => {
  await page.keyboard.press('Control+k')
  const first = palette().getByRole('group', { name: 'On this page' })
  await first.getByRole('option', { name: /^Remove/ }).waitFor()
  await page.keyboard.type('stop')
  await page.keyboard.press('Enter')
  await title('good stopped').waitFor()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('remove good')
  await page.keyboard.press('Enter')
  // What cannot be undone is still asked first.
  await page.getByRole('alertdialog', { name: 'Remove good?' }).getByRole('button', { name: 'Keep' }).click()
})

test('it says that nothing was found, and what is typed finds by any word', async () => {
  await page.keyboard.press('Control+k')
  await page.keyboard.type('nothing is called this')
  await palette().getByText('Nothing matches these words.').waitFor()
  await expectAccessible(page)
  await palette().getByRole('combobox').fill('group default')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/servers\?group=default$/)
})

test('single keys search the page and open the log, until they are turned off', async () => {
  await title('Servers').waitFor()
  await page.keyboard.press('/')
  const search = page.getByRole('searchbox', { name: 'Find' })
  await page.keyboard.type('l?')
  expect(await search.inputValue()).toBe('l?')
  await search.fill('')
  await page.getByRole('link', { name: 'good', exact: true }).click()
  await title(/^good/).waitFor()
  await page.keyboard.press('l')
  await page.waitForURL(/\/servers\/good\/logs$/)
  await page.keyboard.press('?')
  const sheet = page.getByRole('dialog', { name: 'Keys' })
  await sheet.getByText('Open the log of the server that is shown').waitFor()
  await expectAccessible(page)
  await sheet.getByRole('checkbox').uncheck()
  await sheet.getByRole('button', { name: 'Close' }).click()
  await sheet.waitFor({ state: 'detached' })
  await page.keyboard.press('?')
  await page.keyboard.press('Control+k')
  await palette().waitFor()
  expect(await sheet.isVisible()).toBe(false)
})

test('on a phone the palette fits, in both colour modes', async () => {
  await page.setViewportSize(PHONE)
  await expectNoSidewaysScroll(page)
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await page.getByRole('combobox', { name: 'Colours' }).selectOption('Light')
  await page.getByRole('button', { name: 'Find' }).click()
  await option('Home').waitFor()
  await expectAccessible(page)
})
