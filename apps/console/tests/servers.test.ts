import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '@toolhaven/testing/testbed/until'
import { runThv } from '../../../e2e/src/daemon-process.ts'
import { untilStatus } from '../../../e2e/src/statuses.ts'
import { expectAccessible, expectNoSidewaysScroll } from './test-accessible.ts'
import { FIXTURE, PHONE, startConsole, type TestConsole } from './test-console.ts'

let toolhaven: TestConsole
let page: Page
beforeAll(async () => {
  toolhaven = await startConsole()
})
afterAll(async () => {
  await toolhaven?.[Symbol.asyncDispose]()
  expect(toolhaven?.complaints).toEqual([])
})

const run = (name: string, args: string[] = []) =>
  toolhaven.daemon().api.call('createWorkload', { body: { name, image: FIXTURE, cmd_arguments: args } })
const row = (name: string) => page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) })
const goTo = (place: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: place }).click()

test('the address that "thv ui" prints opens without a login, and says how to get a first server', async () => {
  const { code, output } = await runThv(toolhaven.home, ['ui', '--no-open'])
  expect({ code, output }).toEqual({ code: 0, output: `${toolhaven.daemon().baseUrl}/\n` })
  page = await toolhaven.open(output.trim())
  await page.getByRole('heading', { name: 'No servers yet' }).waitFor()
  await page.getByRole('link', { name: 'Find one in the registry' }).waitFor()
  await expectAccessible(page)
})

test('servers that others start appear and change without a reload, with the reason of a failure', async () => {
  await goTo('Servers')
  await run('good')
  await run('broken', ['--behaviour=crash-at-start'])
  await row('good').getByText('running').waitFor()
  await row('broken').getByText('error').waitFor()
  await row('broken')
    .getByText(/exited with code 1/)
    .waitFor()
  await expectAccessible(page)
  await toolhaven.daemon().api.call('stopWorkload', { params: { name: 'good' } })
  await row('good').getByText('stopped').waitFor()
})

test('filter and order lie in the address, and survive a reload', async () => {
  const find = page.getByRole('searchbox', { name: 'Find' })
  await find.fill('bk')
  await find.press('ArrowLeft')
  // Slow enough for the address to follow: the caret stays where it was.
  await find.pressSequentially('ro', { delay: 100 })
  expect(await find.inputValue()).toBe('brok')
  await row('good').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Status' }).click()
  await page.waitForURL(/\/servers\?q=brok&sort=status$/)
  await page.reload()
  await page.getByText('1 of 2 servers').waitFor()
  await page.getByRole('searchbox', { name: 'Find' }).fill('')
  await row('good').waitFor()
})

test('one server shows its address, permissions and last lines, and is started, stopped and removed', async () => {
  await page.getByRole('link', { name: 'broken', exact: true }).click()
  const reason = page.getByRole('region', { name: 'Reason' })
  await reason.getByText(/exited with code 1/).waitFor()
  await reason.getByRole('link', { name: 'Change its configuration' }).waitFor()
  await page.getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('alertdialog', { name: 'Remove broken?' }).getByRole('button', { name: 'Remove' }).click()
  await page.getByText('There is no server broken any more').waitFor()
  await goTo('Servers')
  await page.getByRole('link', { name: 'good', exact: true }).click()
  await page.getByRole('button', { name: 'Start' }).click()
  await page.getByRole('heading', { name: 'good running' }).waitFor()
  const { url } = await toolhaven.daemon().api.call('getWorkload', { params: { name: 'good' } })
  await page.getByRole('region', { name: 'Address' }).getByText(url).waitFor()
  await page.getByText('May not see your files.').waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByRole('button', { name: 'Start' }).waitFor()
})

test('several servers are chosen and stopped together, and one is started again', async () => {
  await run('other')
  await untilStatus(toolhaven.daemon(), 'other', 'running')
  await goTo('Servers')
  await row('other').waitFor()
  await page.getByRole('checkbox', { name: 'Choose all servers in the list' }).check()
  await page.getByRole('region', { name: 'Chosen servers' }).getByRole('button', { name: 'Stop' }).click()
  await row('other').getByText('stopped').waitFor()
  await page.getByRole('checkbox', { name: 'Choose good' }).check()
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  await row('good').getByText('running').waitFor()
  await row('other').getByText('stopped').waitFor()
})

test('a daemon that is away is told, and what changed meanwhile is there when it is back', async () => {
  await toolhaven.daemon().kill()
  await page.getByText(/Toolhaven stopped answering/).waitFor()
  await toolhaven.restartDaemon()
  await page.getByText(/Toolhaven stopped answering/).waitFor({ state: 'detached' })
  await row('good').getByText('running').waitFor()
})

test('a phone shows everything in one column, in both colour modes', async () => {
  await page.setViewportSize(PHONE)
  await page.getByRole('combobox', { name: 'Colours' }).selectOption('Light')
  await until('the page to be light', async () => {
    const color = await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)
    return color === 'rgb(253, 254, 254)' ? true : undefined
  })
  for (const place of ['Home', 'Servers']) {
    await goTo(place)
    await page.getByRole('heading', { name: place, level: 1 }).waitFor()
    await expectNoSidewaysScroll(page)
    await expectAccessible(page)
  }
})
