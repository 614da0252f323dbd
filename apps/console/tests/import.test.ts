import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '@toolhaven/testing/testbed/until'
import { expectAccessible, expectNoSidewaysScroll } from './test-accessible.ts'
import { FIXTURE, PHONE, startConsole, type TestConsole } from './test-console.ts'

let toolhaven: TestConsole
let page: Page
let exported: object
let notes: string
beforeAll(async () => {
  toolhaven = await startConsole()
  const { api } = toolhaven.daemon()
  notes = path.join(toolhaven.home.dir, 'notes')
  await mkdir(notes)
  await api.call('setupSecrets', { body: { provider_type: 'encrypted' } })
  await api.call('createSecret', { body: { key: 'notes-token', value: 'first-value' } })
  await api.call('createWorkload', {
    body: {
      ...{ name: 'notes', image: FIXTURE, env_vars: { LEVEL: 'debug' }, limits: { requests_per_minute: 600 } },
      ...{ volumes: [`${notes}:/notes:ro`], secrets: [{ name: 'notes-token', target: 'TOKEN' }] },
    },
  })
  exported = await api.call('exportWorkload', { params: { name: 'notes' } })
  // As on another machine.
  await api.call('deleteWorkload', { params: { name: 'notes' } })
  await until('notes to be gone', async () => (await servers()).length === 0)
  await api.call('deleteSecret', { params: { key: 'notes-token' } })
  page = await toolhaven.open('/run?json=true')
})
afterAll(async () => {
  await toolhaven?.[Symbol.asyncDispose]()
  expect(toolhaven?.complaints).toEqual([])
})

const servers = async () => (await toolhaven.daemon().api.call('listWorkloads', { query: { all: true } })).workloads
const plan = () => page.getByRole('region', { name: 'Plan' })
const importForm = () => page.getByRole('form', { name: 'Import a server' })

test('an exported server is shown as a plan, with what cannot be taken, before it is created', async () => {
  const file = path.join(toolhaven.home.dir, 'notes.json')
  await writeFile(file, JSON.stringify({ ...exported, colour: 'red', limits: { requests_per_minute: 600, gpu: 1 } }))
  await page.getByLabel('Open a file').setInputFiles(file)
  await plan().getByText('Not taken over: colour and limits.gpu.').waitFor()
  await plan().getByRole('list', { name: 'In the way' }).getByText('The secret notes-token needs a value.').waitFor()
  await plan().getByText('debug', { exact: true }).waitFor()
  await plan().getByText(`May read ${notes}.`).waitFor()
  await expectAccessible(page)
  await page.getByLabel('notes-token').fill('second-value')
  await plan().getByText('Stores notes-token in the secret store.').waitFor()
  await page.getByRole('button', { name: 'Import' }).click()
  // What a file asks for of this machine is for a person to allow. Until then nothing is stored.
  await page
    .getByRole('alert')
    .getByText(/asks for (?:your secrets|files of this machine)/)
    .first()
    .waitFor()
  const { api } = toolhaven.daemon()
  expect((await api.call('listSecrets', {})).keys).toEqual([])
  expect(await servers()).toEqual([])
  await page.getByRole('checkbox', { name: 'Allow the files that it asks for' }).check()
  await page.getByRole('checkbox', { name: 'Give its server the secrets that it asks for' }).check()
  await plan().getByText('thv run --from-config notes.json --accept-mounts --accept-secrets').waitFor()
  await plan().getByRole('list', { name: 'In the way' }).waitFor({ state: 'detached' })
  await page.setViewportSize(PHONE)
  await expectNoSidewaysScroll(page)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Import' }).click()
  await page.getByRole('region', { name: 'Outcome' }).getByText('running').waitFor()
  expect(await api.call('exportWorkload', { params: { name: 'notes' } })).toEqual(exported)
  expect(await page.content()).not.toContain('second-value')
})

test('a pasted export gets another name beside the first, and a port that is taken is told', async () => {
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.goto(new URL('/run', page.url()).href)
  await page.getByText('Paste or open JSON').click()
  await page.getByLabel('JSON of the server').fill(JSON.stringify(exported))
  await page.getByRole('button', { name: 'Read it' }).click()
  await plan()
    .getByText(/notes already exists/)
    .waitFor()
  await importForm().getByLabel('Name').fill('second')
  await plan()
    .getByText(/proxy_port \d+ /)
    .waitFor()
  await importForm().getByLabel('Port').fill('')
  await page.getByRole('checkbox', { name: 'Allow the files that it asks for' }).check()
  await page.getByRole('checkbox', { name: 'Give its server the secrets that it asks for' }).check()
  await plan().getByText('thv run --from-config server.json --name second --accept-mounts --accept-secrets').waitFor()
  await plan().getByRole('list', { name: 'In the way' }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Import' }).click()
  await page.getByRole('region', { name: 'Outcome' }).getByText('running').waitFor()
  expect((await servers()).map(({ name }) => name).toSorted()).toEqual(['notes', 'second'])
})

test('a file that is not a configuration says so, and one that is dropped is read', async () => {
  await page.goto(new URL('/run?json=true', page.url()).href)
  const bad = path.join(toolhaven.home.dir, 'bad.json')
  await writeFile(bad, JSON.stringify({ ...exported, transport: 'pigeon' }))
  await page.getByLabel('Open a file').setInputFiles(bad)
  await page
    .getByRole('alert')
    .getByText(/cannot be taken: transport must be one of stdio/)
    .waitFor()
  const client = JSON.stringify({ mcpServers: { dropped: { command: 'npx', args: ['-y', 'thv-mcp-fixture@1.0.0'] } } })
  await page.getByText('Paste or open JSON').evaluate((target, text) => {
    const dataTransfer = new DataTransfer()
    dataTransfer.items.add(new File([text], 'mcp.json', { type: 'application/json' }))
    target.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }))
  }, client)
  await expect.poll(() => page.getByLabel('Package or image').inputValue()).toBe('npx://thv-mcp-fixture@1.0.0')
  expect(await page.getByRole('alert').count()).toBe(0)
})
