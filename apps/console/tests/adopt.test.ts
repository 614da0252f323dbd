import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { FIXTURE_PACKAGE } from '../../../e2e/src/fixture-package.ts'
import { expectAccessible, expectNoSidewaysScroll } from './test-accessible.ts'
import { PHONE, startConsole, type TestConsole } from './test-console.ts'

const KEY = 'sk-not-to-be-shown-anywhere'
const original = JSON.stringify(
  {
    mcpServers: {
      notes: { command: 'npx', args: ['-y', `${FIXTURE_PACKAGE}@1.0.0`], env: { NOTES_API_KEY: KEY } },
      script: { command: '/bin/sh', args: ['-c', 'my-server'] },
    },
  },
  null,
  4,
)

let toolhaven: TestConsole
let page: Page
let file: string
beforeAll(async () => {
  toolhaven = await startConsole()
  await mkdir(path.join(toolhaven.home.dir, 'home/.cursor'), { recursive: true })
  file = path.join(toolhaven.home.dir, 'home/.cursor/mcp.json')
  await writeFile(file, original)
  page = await toolhaven.open('/')
})
afterAll(async () => {
  await toolhaven?.[Symbol.asyncDispose]()
  expect(toolhaven?.complaints).toEqual([])
})

const firstSteps = () => page.getByRole('region', { name: 'First steps' })
const goTo = (place: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: place }).click()

test('the first steps say what the daemon found, and lead on', async () => {
  await firstSteps().getByRole('heading', { name: 'A runtime is found (done)' }).waitFor()
  await firstSteps().getByText('1 server runs without isolation.').waitFor()
  await firstSteps().getByRole('heading', { name: 'A server runs (to do)' }).waitFor()
  await expectAccessible(page)
  await page.setViewportSize(PHONE)
  await expectNoSidewaysScroll(page)
  await expectAccessible(page)
  await firstSteps().getByRole('link', { name: 'Look at them' }).click()
  await page.getByRole('heading', { name: 'Adopt servers', level: 1 }).waitFor()
})

test('a server of a client is adopted after its change was shown, and its key is out of the file', async () => {
  const panel = page.getByRole('region', { name: 'notes' })
  await panel.getByText('Moves the values of NOTES_API_KEY to the secret store.').waitFor()
  await panel.getByText(file).waitFor()
  await panel.getByText(`runs npx -y ${FIXTURE_PACKAGE}@1.0.0`).waitFor()
  await panel.getByText('thv adopt notes --yes').waitFor()
  const script = page.getByRole('region', { name: 'script' })
  await script.getByText(/It cannot be adopted/).waitFor()
  expect(await script.getByRole('button').count()).toBe(0)
  await expectNoSidewaysScroll(page)
  await expectAccessible(page)
  await panel.getByRole('button', { name: 'Adopt notes' }).click()
  await page.getByRole('region', { name: 'Adopted' }).getByRole('link', { name: 'notes' }).waitFor()
  const written = await readFile(file, 'utf8')
  expect(written).not.toContain(KEY)
  const { url } = await toolhaven.daemon().api.call('getWorkload', { params: { name: 'notes' } })
  expect(JSON.parse(written)).toMatchObject({ mcpServers: { notes: { url }, script: { command: '/bin/sh' } } })
  expect(await page.content()).not.toContain(KEY)
  const { files } = await toolhaven.daemon().api.call('previewClient', { params: { name: 'Cursor' }, query: {} })
  expect(files).toMatchObject([{ adopted: [{ key: 'notes', workload: 'notes' }], foreign: ['script'] }])
  await goTo('Clients')
  await page.getByRole('link', { name: 'Cursor', exact: true }).click()
  await page.getByText('notes was adopted and leads to').waitFor()
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Undo it' }).click()
  await page.getByRole('combobox', { name: 'Colours' }).selectOption('Light')
  await expectAccessible(page)
})

test('an adoption is undone, and the file is what it was, byte for byte', async () => {
  await page.getByRole('button', { name: 'Undo' }).click()
  const dialog = page.getByRole('alertdialog', { name: 'Give notes back to its clients?' })
  await dialog.getByText('notes-NOTES_API_KEY').waitFor()
  await dialog.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('button', { name: 'Adopt notes' }).waitFor()
  expect(await readFile(file, 'utf8')).toBe(original)
})

test('Home tells what happened since, and sends the first steps away for good', async () => {
  await goTo('Home')
  const events = page.getByRole('region', { name: 'Recent events' })
  await events.getByText('was removed').waitFor()
  await events.getByText('The secret notes-NOTES_API_KEY changed').first().waitFor()
  await expectNoSidewaysScroll(page)
  await expectAccessible(page)
  await firstSteps().getByRole('button', { name: 'Do not show again' }).click()
  await firstSteps().waitFor({ state: 'detached' })
  await page.reload()
  await page.getByRole('heading', { name: 'No servers yet' }).waitFor()
  expect(await firstSteps().count()).toBe(0)
})
