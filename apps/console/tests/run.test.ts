import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectAccessible, expectNoSidewaysScroll } from './test-accessible.ts'
import { FIXTURE, PHONE, startConsole, type TestConsole, WIDE } from './test-console.ts'

const HIDDEN = 'Takes notes \u{202e}and more'
const registry = {
  version: '1.0.0',
  last_updated: '2026-01-15T00:00:00Z',
  servers: {
    'io.example/notes': {
      ...{ image: FIXTURE, description: HIDDEN, transport: 'stdio', tier: 'Community', status: 'active' },
      ...{ tools: ['add', 'echo'], tags: ['writing'], repository_url: 'https://example.com/notes' },
      source: 'https://registry.example/v0.1/servers/io.example%2Fnotes/versions/1.0.0',
      env_vars: [{ name: 'NOTES_KEY', description: 'Key of \u{202e}your notes', required: true, secret: true }],
      permissions: { network: { outbound: { allow_host: ['api.example.com'], allow_port: [443] } } },
    },
    other: {
      ...{ image: FIXTURE, description: '<img src=x onerror=alert(1)>', transport: 'stdio', tier: 'Official' },
      ...{ status: 'active', tools: [] },
    },
  },
}

let toolhaven: TestConsole
let page: Page
beforeAll(async () => {
  toolhaven = await startConsole()
  const file = path.join(toolhaven.home.dir, 'registry.json')
  await writeFile(file, JSON.stringify(registry))
  await toolhaven.daemon().api.call('updateRegistry', { params: { name: 'default' }, body: { local_path: file } })
  page = await toolhaven.open('/registry')
})
afterAll(async () => {
  await toolhaven?.[Symbol.asyncDispose]()
  expect(toolhaven?.complaints).toEqual([])
})

const outcome = () => page.getByRole('region', { name: 'Outcome' })

test('a server of the registry is found, explained and run with its secret', async () => {
  await page.getByText('<img src=x onerror=alert(1)>').waitFor()
  await page.getByRole('searchbox', { name: 'Find' }).fill('writing')
  await page.getByText('1 of 2 servers').waitFor()
  await page.getByText('U+202E').waitFor()
  await expectAccessible(page)
  await page.getByRole('link', { name: 'io.example/notes' }).click()
  await page.getByText('May reach api.example.com on port 443, and nothing else.').waitFor()
  await page
    .getByRole('link', { name: 'https://registry.example/v0.1/servers/io.example%2Fnotes/versions/1.0.0' })
    .waitFor()
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Run', exact: true }).click()
  await page.getByRole('group', { name: 'Variables and secrets' }).getByText('U+202E').waitFor()
  await page.getByLabel('NOTES_KEY').fill('a-secret-value')
  await page.getByRole('region', { name: 'Plan' }).getByText('Stores notes-NOTES_KEY in the secret store.').waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await outcome().getByText('running').waitFor()
  const { secrets } = await toolhaven.daemon().api.call('getWorkload', { params: { name: 'notes' } })
  expect(secrets).toEqual([{ name: 'notes-NOTES_KEY', target: 'NOTES_KEY' }])
  await page.getByRole('link', { name: 'Open notes' }).click()
  // The plan of the form has the sentence too.
  await page.getByRole('heading', { name: 'notes running' }).waitFor()
  await page.getByText('Gets the secret notes-NOTES_KEY as NOTES_KEY.').waitFor()
  expect(await page.content()).not.toContain('a-secret-value')
})

test('a server that asks for nothing has its whole form on the first screen', async () => {
  await page.goto(new URL('/run?server=other', toolhaven.daemon().baseUrl).href)
  const plan = page.getByRole('region', { name: 'Plan' })
  await plan.getByText('thv run --name other other').waitFor()
  await plan.getByText('May not see your files.').waitFor()
  const { y = 0, height = 0 } = (await page.getByRole('form', { name: 'Run a server' }).boundingBox()) ?? {}
  expect(y + height).toBeLessThanOrEqual(WIDE.height)
  await expectAccessible(page)
})

test('what is missing is no mistake before anyone has typed', async () => {
  await page.goto(new URL('/run?server=io.example%2Fnotes', toolhaven.daemon().baseUrl).href)
  const missing = /needs NOTES_KEY/
  await page.getByRole('list', { name: 'In the way' }).getByText(missing).waitFor()
  const besideField = page.getByRole('group', { name: 'Variables and secrets' }).getByText(missing)
  expect(await besideField.count()).toBe(0)
  await page.getByLabel('Name', { exact: true }).fill('more-notes')
  await besideField.waitFor()
})

test('a folded part opens at what is wrong in it', async () => {
  await page.goto(new URL('/run?server=other', toolhaven.daemon().baseUrl).href)
  const limits = page.getByRole('group', { name: 'Tools and limits' })
  const heading = limits.locator('summary')
  const memory = page.getByLabel('Memory in MB')
  await heading.press('Enter')
  await memory.fill('5')
  await limits.getByText(/must be at least 16/).waitFor()
  await heading.press('Enter')
  await memory.waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await memory.waitFor()
  await expect.poll(() => memory.evaluate((field) => field === document.activeElement)).toBe(true)
  await memory.fill('')
  await limits.getByText(/must be at least 16/).waitFor({ state: 'detached' })
  expect(await memory.isVisible()).toBe(true)
  await page.goto(new URL('/registry', toolhaven.daemon().baseUrl).href)
})

test('a failed start says why beside the form, and the next try changes the same server', async () => {
  await page.getByRole('link', { name: 'Servers' }).click()
  await page.getByRole('link', { name: 'Run a server' }).click()
  await page.getByLabel('Package or image').fill(FIXTURE)
  await page.getByLabel('Name', { exact: true }).fill('mine')
  await page.getByText('Folders and arguments', { exact: true }).click()
  await page.getByLabel('Arguments', { exact: true }).fill('--behaviour=crash-at-start')
  // What no profile means is for the daemon to say.
  await page.getByText('May reach every public host, but nothing on this machine or its network.').waitFor()
  await page.getByText('Network', { exact: true }).click()
  await page.getByRole('radio', { name: 'No network' }).check()
  await page.getByText('May not reach the network.').waitFor()
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await outcome()
    .getByText(/exited with code 1/)
    .waitFor()
  await expectAccessible(page)
  await page.getByLabel('Arguments', { exact: true }).fill('')
  await page.getByRole('button', { name: 'Apply and restart' }).click()
  await outcome().getByText('running').waitFor()
})

test('a refused request shows the sentence of the API, and nothing that was typed is lost', async () => {
  await page.getByRole('link', { name: 'Servers' }).click()
  await page.getByRole('link', { name: 'Run a server' }).click()
  await page.getByLabel('Package or image').fill(FIXTURE)
  await page.getByLabel('Name', { exact: true }).fill('mine')
  await page
    .getByRole('list', { name: 'In the way' })
    .getByText(/mine already exists/)
    .waitFor()
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page
    .getByRole('alert')
    .getByText(/mine already exists/)
    .waitFor()
  expect(await page.getByLabel('Package or image').inputValue()).toBe(FIXTURE)
})

test('a mistyped name is said before anything is made', async () => {
  await page.goto(new URL('/servers', toolhaven.daemon().baseUrl).href)
  await page.getByRole('link', { name: 'Run a server' }).click()
  await page.getByLabel('Package or image').fill('tiem')
  await page
    .getByRole('list', { name: 'In the way' })
    .getByText(/The registry has no "tiem"/)
    .waitFor()
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page
    .getByRole('alert')
    .getByText(/The registry has no "tiem"/)
    .waitFor()
  expect((await toolhaven.daemon().api.call('listWorkloads', { query: { all: true } })).workloads).not.toContainEqual(
    expect.objectContaining({ name: 'tiem' }),
  )
  await page.getByLabel('Package or image').fill(FIXTURE)
  await page.getByLabel('Name', { exact: true }).fill('mine')
})

test('a reload keeps what was typed, except for values of secrets', async () => {
  await page.getByText('Variables and secrets', { exact: true }).click()
  await page.getByRole('button', { name: 'Add a secret' }).click()
  await page.getByLabel('Name of the secret variable').fill('SOME_SECRET')
  await page.getByLabel('Value of SOME_SECRET').fill('never-kept')
  const kept = () => page.evaluate(() => JSON.stringify(history.state))
  await expect.poll(kept).toContain('SOME_SECRET')
  expect(await kept()).not.toContain('never-kept')
  await page.reload()
  await expect.poll(() => page.getByLabel('Package or image').inputValue()).toBe(FIXTURE)
  expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('mine')
  expect(await page.getByLabel('Value of SOME_SECRET').inputValue()).toBe('')
})

test('pasted JSON fills in the form on a phone', async () => {
  await page.setViewportSize(PHONE)
  await page.getByText('Paste or open JSON').click()
  const other = { command: 'uvx', args: ['other'] }
  const server = { command: 'npx', args: ['-y', 'thv-mcp-fixture@1.0.0'], env: { API_TOKEN: 'abc' } }
  await page.getByLabel('JSON of the server').fill(JSON.stringify({ mcpServers: { pasted: server, other } }))
  await page.getByRole('button', { name: 'Read it' }).click()
  await page.getByText('Not taken over: the server other.').waitFor()
  expect(await page.getByLabel('Package or image').inputValue()).toBe('npx://thv-mcp-fixture@1.0.0')
  await expectNoSidewaysScroll(page)
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await outcome().getByText('running').waitFor()
  const { keys } = await toolhaven.daemon().api.call('listSecrets', {})
  expect(keys.map(({ key }) => key)).toContain('pasted-API_TOKEN')
})
