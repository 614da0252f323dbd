import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { FIXTURE_PACKAGE } from '../../../e2e/src/fixture-package.ts'
import { untilStatus } from '../../../e2e/src/statuses.ts'
import { expectAccessible, expectNoSidewaysScroll } from './test-accessible.ts'
import { FIXTURE, PHONE, startConsole, type TestConsole, WIDE } from './test-console.ts'

const KEY = 'sk-not-to-be-shown-anywhere'
const original = JSON.stringify({
  mcpServers: {
    notes: { command: 'npx', args: ['-y', `${FIXTURE_PACKAGE}@1.0.0`], env: { NOTES_API_KEY: KEY } },
    script: { command: '/bin/sh', args: ['-c', 'my-server'] },
  },
})

let toolhaven: TestConsole
let page: Page
let file: string
beforeAll(async () => {
  toolhaven = await startConsole()
  await mkdir(path.join(toolhaven.home.dir, 'home/.cursor'), { recursive: true })
  file = path.join(toolhaven.home.dir, 'home/.cursor/mcp.json')
  await writeFile(file, original)
  const { api } = toolhaven.daemon()
  await api.call('createGroup', { body: { name: 'research' } })
  await api.call('createWorkload', { body: { name: 'time', image: FIXTURE } })
  await api.call('createWorkload', { body: { name: 'library', image: FIXTURE, group: 'research' } })
  for (const name of ['time', 'library']) await untilStatus(toolhaven.daemon(), name, 'running')
  page = await toolhaven.open('/clients')
})
afterAll(async () => {
  await toolhaven?.[Symbol.asyncDispose]()
  expect(toolhaven?.complaints).toEqual([])
})

const fileShown = () => page.getByRole('region', { name: file })
const urlOf = async (name: string) => (await toolhaven.daemon().api.call('getWorkload', { params: { name } })).url ?? ''
const written = async () => JSON.parse(await readFile(file, 'utf8')).mcpServers

test('a client’s name leads to its file, with the entries of others and what becomes of them', async () => {
  await page.getByRole('link', { name: 'Cursor', exact: true }).click()
  await page.getByRole('heading', { name: 'Cursor', level: 1 }).waitFor()
  await page.getByText('It is installed.').waitFor()
  await fileShown().getByText('No Toolhaven entries below mcpServers.').waitFor()
  const own = page.getByRole('region', { name: 'Your own entries' })
  await own.getByRole('listitem').filter({ hasText: 'script' }).getByText('It cannot be adopted').waitFor()
  expect(await page.content()).not.toContain(KEY)
  await expectAccessible(page)
  await page.setViewportSize(PHONE)
  await expectNoSidewaysScroll(page)
  await expectAccessible(page)
  await page.setViewportSize(WIDE)
  await own.getByRole('link', { name: 'Adopt notes' }).click()
  await page.getByRole('heading', { name: 'Adopt servers', level: 1 }).waitFor()
  await page.goBack()
})

test('choosing groups shows what would be written, writes nothing, and has an address', async () => {
  await page.getByRole('checkbox', { name: 'default' }).check()
  await fileShown().getByRole('heading', { name: 'What would be written' }).waitFor()
  await fileShown()
    .getByText(await urlOf('time'))
    .waitFor()
  await page.getByRole('checkbox', { name: 'research' }).check()
  await fileShown()
    .getByText(await urlOf('library'))
    .waitFor()
  await page.getByText('thv client register Cursor --group default --group research').waitFor()
  await page.reload()
  await fileShown()
    .getByText(await urlOf('library'))
    .waitFor()
  expect(await page.getByRole('checkbox', { name: 'research' }).isChecked()).toBe(true)
  expect(await readFile(file, 'utf8')).toBe(original)
  await expectAccessible(page)
  await page.setViewportSize(PHONE)
  await expectNoSidewaysScroll(page)
  await expectAccessible(page)
  await page.setViewportSize(WIDE)
})

test('what was shown is written, and nothing else', async () => {
  await page.getByRole('button', { name: 'Write it' }).press('Enter')
  await fileShown().getByRole('heading', { name: 'Its file' }).waitFor()
  expect(await written()).toEqual({
    ...JSON.parse(original).mcpServers,
    time: { url: await urlOf('time'), type: 'http' },
    library: { url: await urlOf('library'), type: 'http' },
  })
  expect(await page.getByRole('button', { name: 'Write it' }).count()).toBe(0)
})

test('leaving a group shows which entry goes, and takes out that one', async () => {
  await page.getByRole('checkbox', { name: 'research' }).uncheck()
  await fileShown().getByRole('deletion').getByText('library').waitFor()
  await page.getByText('thv client remove Cursor --group research').waitFor()
  await page.getByRole('button', { name: 'Write it' }).click()
  await fileShown().getByRole('heading', { name: 'Its file' }).waitFor()
  await fileShown().getByText('library').waitFor({ state: 'detached' })
  expect(Object.keys(await written())).toEqual(['notes', 'script', 'time'])
})

test('a server that stops goes out of what is shown, without a reload', async () => {
  await fileShown()
    .getByText(await urlOf('time'))
    .waitFor()
  await toolhaven.daemon().api.call('stopWorkload', { params: { name: 'time' } })
  await fileShown().getByText('No Toolhaven entries below mcpServers.').waitFor()
  await expect.poll(async () => Object.keys(await written())).toEqual(['notes', 'script'])
})

test('a file that cannot be read is named, with the place, and is left as it is', async () => {
  await writeFile(file, '{"mcpServers": {,}}')
  await page.reload()
  await fileShown().getByRole('alert').getByText(file).waitFor()
  await expectAccessible(page)
  expect(await readFile(file, 'utf8')).toBe('{"mcpServers": {,}}')
})
