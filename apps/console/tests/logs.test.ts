import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callText, connectMcp } from '../../../e2e/src/mcp-client.ts'
import { untilStatus } from '../../../e2e/src/statuses.ts'
import { expectAccessible, expectNoSidewaysScroll } from './test-accessible.ts'
import { FIXTURE, PHONE, startConsole, type TestConsole } from './test-console.ts'

let toolhaven: TestConsole
let page: Page
beforeAll(async () => {
  toolhaven = await startConsole()
  const { api } = toolhaven.daemon()
  const names = ['alpha', 'beta', 'gamma']
  for (const name of names) await api.call('createWorkload', { body: { name, image: FIXTURE } })
  for (const name of names) await untilStatus(toolhaven.daemon(), name, 'running')
  page = await toolhaven.open('/servers')
})
afterAll(async () => {
  await toolhaven?.[Symbol.asyncDispose]()
  expect(toolhaven?.complaints).toEqual([])
})

async function call(server: string, tool: string, args: Record<string, unknown> = {}): Promise<void> {
  const { url } = await toolhaven.daemon().api.call('getWorkload', { params: { name: server } })
  await using connection = await connectMcp(url)
  await callText(connection, tool, args)
}
const say = (server: string, text: string, times = 1) => call(server, 'say', { text, times })
const log = () => page.getByRole('region', { name: 'Log' })
const lineOf = (text: string) => log().locator('.log-line').filter({ hasText: text })
const colourOf = (text: string) =>
  lineOf(text)
    .locator('.log-name')
    .evaluate((name) => getComputedStyle(name).color)

test('lines of several servers stand in the order of time as they come, each name in a colour of its own', async () => {
  await page.getByRole('checkbox', { name: 'Choose alpha' }).check()
  await page.getByRole('checkbox', { name: 'Choose beta' }).check()
  await page.getByRole('link', { name: 'Show logs' }).click()
  await page.getByRole('checkbox', { name: 'beta', checked: true }).waitFor()
  await page.getByRole('checkbox', { name: 'gamma', checked: false }).waitFor()
  await page.getByRole('searchbox', { name: 'Find' }).fill('ROUND')
  const said = [
    ['alpha', 'round 1'],
    ['beta', 'round 2'],
    ['alpha', 'round 3'],
  ] as const
  for (const [server, text] of said) {
    await say(server, text)
    await lineOf(text).waitFor()
  }
  const shown = await log().locator('.log-line').allInnerTexts()
  const wanted = said.map(([server, text]) => new RegExp(`^\\d\\d:\\d\\d:\\d\\d\\s*${server}\\s*stderr\\s*${text}$`))
  expect(shown).toEqual(wanted.map((line) => expect.stringMatching(line)))
  // Both are in view.
  const [alpha, beta] = [await colourOf('round 1'), await colourOf('round 2')]
  expect(alpha).not.toBe(beta)
  expect(await colourOf('round 3')).toBe(alpha)
  await page.getByRole('checkbox', { name: 'alpha' }).uncheck()
  await lineOf('round 1').waitFor({ state: 'detached' })
  expect(await colourOf('round 2')).toBe(beta)
  await page.reload()
  await lineOf('round 2').waitFor()
  expect(await lineOf('round').count()).toBe(1)
  await expectAccessible(page)
})

test('they are chosen by stream, paused while new ones come, and downloaded', async () => {
  await page.getByRole('checkbox', { name: 'alpha' }).check()
  await page.getByRole('combobox', { name: 'Stream' }).selectOption('stdout')
  await page.getByText(/^0 of \d+ lines$/).waitFor()
  await page.getByRole('combobox', { name: 'Stream' }).selectOption('stderr')
  await say('beta', 'round and round', 200)
  const top = () => log().evaluate((box) => box.scrollTop)
  await expect.poll(top).toBeGreaterThan(1_000)
  await page.getByRole('button', { name: 'Pause' }).click()
  await log().evaluate((box) => box.scrollTo(0, 0))
  await say('alpha', 'round 4')
  await page.getByText(/^204 (?:of \d+ )?lines$/).waitFor()
  expect(await top()).toBe(0)
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download' }).click(),
  ])
  const downloaded = await readFile(await file.path(), 'utf8')
  expect(downloaded.match(/^\S+Z (?:alpha|beta) stderr round/gm)).toHaveLength(204)
  await page.getByRole('button', { name: 'Follow' }).click()
  await lineOf('round 4').waitFor()
})

test('what servers wrote before their latest start is still there', async () => {
  await page.getByRole('combobox', { name: 'Run' }).selectOption('Previous')
  await page.getByText('There is no output of a previous run.').waitFor()
  await toolhaven.daemon().api.call('restartWorkload', { params: { name: 'alpha' } })
  await untilStatus(toolhaven.daemon(), 'alpha', 'running')
  await page.reload()
  await lineOf('round 1').waitFor()
  expect(await lineOf('round and round').count()).toBe(0)
  await page.setViewportSize(PHONE)
  await expectNoSidewaysScroll(page)
  await expectAccessible(page)
})

test('the page of a server has its earlier exits as they come, with the reason and the last lines of each', async () => {
  await page.goto(new URL('/servers/gamma', page.url()).href)
  await page.getByRole('region', { name: 'Address' }).waitFor()
  const exits = page.getByRole('region', { name: 'Earlier exits' })
  expect(await exits.count()).toBe(0)
  await say('gamma', 'no more room')
  await call('gamma', 'crash').catch(() => undefined)
  await exits.getByText('Ended: the server exited with code 3').click()
  await exits.getByText('no more room').waitFor()
  await expectNoSidewaysScroll(page)
  await expectAccessible(page)
})
