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
  const { api } = toolhaven.daemon()
  for (const name of ['notes', 'time']) {
    await api.call('createWorkload', { body: { name, image: FIXTURE } })
    await untilStatus(toolhaven.daemon(), name, 'running')
  }
  page = await toolhaven.open('/groups')
})
afterAll(async () => {
  await toolhaven?.[Symbol.asyncDispose]()
  expect(toolhaven?.complaints).toEqual([])
})

const panel = (name: string) => page.getByRole('main').getByRole('region', { name, exact: true })
const groupOf = async (name: string) => (await toolhaven.daemon().api.call('getWorkload', { params: { name } })).group
const cursorFile = () => readFile(path.join(toolhaven.home.dir, 'home/.cursor/mcp.json'), 'utf8').catch(() => '')
const goTo = (place: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: place }).click()

test('a group is created by keyboard, and a name that cannot be is refused in the form', async () => {
  await panel('default').getByText('2 servers, 2 running.').waitFor()
  const name = page.getByLabel('Name of a new group')
  await name.fill('Research')
  await name.press('Enter')
  await page.getByRole('alert').getByText('must be lower case').waitFor()
  expect(await name.inputValue()).toBe('Research')
  await name.fill('research')
  await page.getByText('thv group create research').waitFor()
  await name.press('Enter')
  await panel('research').getByText('No servers.').waitFor()
  await page.getByRole('status').getByText('The group research is created.').waitFor()
  await expectAccessible(page)
})

test('servers move to another group without a restart, from the group and from the list of servers', async () => {
  await toolhaven.daemon().api.call('createClient', { body: { name: 'Cursor', groups: ['research'] } })
  await panel('default').getByText('Servers of default').click()
  await panel('default').getByRole('checkbox', { name: 'Choose notes' }).check()
  await panel('default').getByRole('combobox', { name: 'Move to' }).selectOption('research')
  await panel('default').getByText('thv move notes --group research').waitFor()
  await panel('default').getByRole('button', { name: 'Move', exact: true }).click()
  await panel('research').getByText('1 server, 1 running.').waitFor()
  await panel('research').getByText('Seen by Cursor.').waitFor()
  expect(await groupOf('notes')).toBe('research')
  await expect.poll(cursorFile).toContain('notes')

  await goTo('Servers')
  await page.getByRole('checkbox', { name: 'Choose time' }).check()
  const chosen = page.getByRole('region', { name: 'Chosen servers' })
  await chosen.getByRole('combobox', { name: 'Move to' }).selectOption('research')
  await chosen.getByText('thv move time --group research').waitFor()
  await chosen.getByText('The same with the command line').click()
  await chosen.getByText('thv stop time').waitFor()
  await expectAccessible(page)
  await chosen.getByRole('button', { name: 'Move', exact: true }).click()
  await chosen.waitFor({ state: 'detached' })
  expect(await groupOf('time')).toBe('research')
  await expect.poll(cursorFile).toContain('time')
})

test('deleting a group says before what becomes of its servers and clients', async () => {
  await goTo('Groups')
  await panel('research').getByRole('button', { name: 'Delete' }).click()
  const dialog = page.getByRole('alertdialog', { name: 'Delete the group research?' })
  await dialog.getByText('notes and time move to the group default, without a restart.').waitFor()
  await dialog.getByText('Cursor no longer sees them.').waitFor()
  await dialog.getByRole('radio', { name: 'Remove them too' }).check()
  await dialog.getByText(/^notes and time are removed with their configuration/).waitFor()
  await dialog.getByText('thv group rm research --with-workloads --yes').waitFor()
  await expectAccessible(page)
  await dialog.getByRole('radio', { name: 'Move to the group default' }).check()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await panel('research').waitFor({ state: 'detached' })
  await panel('default').getByText('2 servers, 2 running.').waitFor()
  expect(await groupOf('notes')).toBe('default')
  await expect.poll(cursorFile).not.toContain('notes')
})

test('a group that others make appears, and all of it fits a phone in both modes', async () => {
  await toolhaven.daemon().api.call('createGroup', { body: { name: 'made-by-others' } })
  await panel('made-by-others').waitFor()
  await page.setViewportSize(PHONE)
  for (const mode of ['Light', 'Dark']) {
    await page.getByRole('combobox', { name: 'Colours' }).selectOption(mode)
    await expectNoSidewaysScroll(page)
    await expectAccessible(page)
  }
  await panel('made-by-others').getByRole('button', { name: 'Delete' }).click()
  const dialog = page.getByRole('alertdialog', { name: 'Delete the group made-by-others?' })
  await dialog.getByText('It has no servers.').waitFor()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await panel('made-by-others').waitFor({ state: 'detached' })
})
