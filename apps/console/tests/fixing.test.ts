import { mkdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { untilStatus } from '../../../e2e/src/statuses.ts'
import { expectAccessible, expectNoSidewaysScroll } from './test-accessible.ts'
import { FIXTURE, PHONE, startConsole, type TestConsole } from './test-console.ts'

let toolhaven: TestConsole
let page: Page
beforeAll(async () => {
  toolhaven = await startConsole()
  await mkdir(path.join(toolhaven.home.dir, 'home/.cursor'), { recursive: true })
  await toolhaven.daemon().api.call('createWorkload', {
    body: { name: 'chatty', image: FIXTURE, cmd_arguments: ['--behaviour=chatty'] },
  })
  await untilStatus(toolhaven.daemon(), 'chatty', 'running')
  page = await toolhaven.open('/servers/chatty')
})
afterAll(async () => {
  await toolhaven?.[Symbol.asyncDispose]()
  expect(toolhaven?.complaints).toEqual([])
})

const goTo = (place: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: place }).click()
const tab = (name: string) =>
  page.getByRole('navigation', { name: 'Pages of chatty' }).getByRole('link', { name }).click()

test('a log is searched from hit to hit, paused, linked to and downloaded', async () => {
  await tab('Logs')
  const log = page.getByRole('region', { name: 'Log' })
  await log.locator('time').first().waitFor()
  await expectAccessible(page)
  // As with a finger or the scroll bar, which make no wheel and no key.
  await expect.poll(() => log.evaluate((box) => box.scrollTop)).toBeGreaterThan(100)
  await log.evaluate((box) => box.scrollTo(0, 0))
  await page.getByRole('button', { name: 'Follow' }).waitFor()
  const text = (await log.locator('.log-line bdi').first().innerText()).split(' ')[0] ?? ''
  await page.getByRole('searchbox', { name: 'Find' }).fill(text)
  await page.getByRole('button', { name: 'Next' }).click()
  await page.getByText(/^1 of \d+ found$/).waitFor()
  await log.locator('time').first().click()
  await page.waitForURL(/[?&]at=/)
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download' }).click(),
  ])
  expect(file.suggestedFilename()).toBe('chatty.log')
  expect(await readFile(await file.path(), 'utf8')).toContain(text)
})

test('a tool is turned off after the difference was shown', async () => {
  await tab('Tools')
  await page.getByRole('checkbox', { name: /^echo/ }).uncheck()
  await page.getByText('Applying restarts the server.').waitFor()
  await page.getByText(/^Turns off: echo\./).waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Apply' }).click()
  await page.getByRole('region', { name: 'Plan' }).waitFor({ state: 'detached' })
  const { tools } = await toolhaven.daemon().api.call('getWorkload', { params: { name: 'chatty' } })
  expect(tools).not.toContain('echo')
  expect(tools).toContain('add')
})

test('a tool gets another name and description, which clients see', async () => {
  await page.getByRole('button', { name: 'Rename add' }).click()
  await page.getByRole('textbox', { name: 'Name of add for clients' }).fill('sum')
  await page.getByRole('textbox', { name: 'Description of add for clients' }).fill('Adds two numbers')
  const plan = page.getByRole('region', { name: 'Plan' })
  await plan.getByText('Clients see add as sum.').waitFor()
  await plan.getByText('thv edit chatty --tools-override names.json').waitFor()
  await expectAccessible(page)
  await plan.getByRole('button', { name: 'Apply' }).click()
  await plan.waitFor({ state: 'detached' })
  const { tools_override } = await toolhaven.daemon().api.call('getWorkload', { params: { name: 'chatty' } })
  expect(tools_override).toEqual({ add: { name: 'sum', description: 'Adds two numbers' } })
  await page.getByText('seen as sum').waitFor()
  await page.getByRole('link', { name: 'Try add' }).click()
  await page.getByRole('form', { name: 'Try sum' }).getByText('Adds two numbers').waitFor()
})

test('a client is connected to a group, and its file has the entry', async () => {
  await goTo('Clients')
  const cursor = page.getByRole('switch', { name: 'Cursor in default', exact: true })
  await cursor.click()
  await page.getByRole('switch', { name: 'Cursor in default', exact: true, checked: true }).waitFor()
  expect(await cursor.evaluate((control) => control === document.activeElement)).toBe(true)
  await expectAccessible(page)
  const file = path.join(toolhaven.home.dir, 'home/.cursor/mcp.json')
  // Without an entry of ours it goes, since it was not there before.
  const read = () => readFile(file, 'utf8').catch(() => '')
  await expect.poll(read).toContain('chatty')
  await cursor.click()
  await expect.poll(read).not.toContain('chatty')
})

test('a secret is stored, replaced and deleted, and its value is never shown', async () => {
  await goTo('Secrets')
  await page.getByLabel('Name').fill('api-key')
  await page.getByLabel('Value').fill('first-value')
  await page.getByRole('button', { name: 'Store' }).click()
  await page.getByRole('link', { name: 'Replace api-key' }).click()
  await page.getByLabel('Value').fill('second-value')
  await page.getByRole('button', { name: 'Replace' }).click()
  await page.getByText('secret api-key updated').waitFor()
  await page.getByRole('link', { name: 'Replace api-key' }).click()
  await expect.poll(() => page.getByLabel('Name').inputValue()).toBe('api-key')
  await page.getByText('no server', { exact: true }).waitFor()
  const secrets = [{ name: 'api-key', target: 'API_KEY' }]
  await toolhaven.daemon().api.call('createWorkload', { body: { name: 'user', image: FIXTURE, secrets } })
  await page.getByRole('cell', { name: 'user', exact: true }).waitFor()
  await expectAccessible(page)
  expect(await page.content()).not.toMatch(/first-value|second-value/)
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('user cannot start again until you store a new value.').waitFor()
  await page.getByRole('alertdialog', { name: 'Delete api-key?' }).getByRole('button', { name: 'Delete' }).click()
  await page.getByText('There are no secrets yet.').waitFor()
})

test('on a phone the places that do not fit are behind one button, by keyboard too', async () => {
  await page.setViewportSize(PHONE)
  await page.getByRole('button', { name: 'More' }).focus()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Secrets', level: 1 }).waitFor()
  for (const place of ['Clients', 'Registry']) {
    await goTo(place)
    await page.getByRole('heading', { name: place, level: 1 }).waitFor()
    await expectNoSidewaysScroll(page)
    await expectAccessible(page)
  }
})
