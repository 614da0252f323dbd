import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { untilStatus } from '../../../e2e/src/statuses.ts'
import { expectAccessible, expectNoSidewaysScroll } from './test-accessible.ts'
import { FIXTURE, PHONE, startConsole, type TestConsole } from './test-console.ts'

let toolhaven: TestConsole
let page: Page
let list: string
beforeAll(async () => {
  toolhaven = await startConsole()
  list = path.join(toolhaven.home.dir, 'registry.json')
  const server = { image: FIXTURE, description: 'Of our own', tools: ['echo'], transport: 'stdio', status: 'active' }
  const own = {
    version: '7.0.0',
    last_updated: '2026-01-01T00:00:00Z',
    servers: { ours: { ...server, tier: 'Official' } },
  }
  await writeFile(list, JSON.stringify(own))
  await toolhaven.daemon().api.call('createWorkload', { body: { name: 'good', image: FIXTURE } })
  await untilStatus(toolhaven.daemon(), 'good', 'running')
  page = await toolhaven.open('/settings')
})
afterAll(async () => {
  await toolhaven?.[Symbol.asyncDispose]()
  expect(toolhaven?.complaints).toEqual([])
})

const region = (name: string) => page.getByRole('region', { name, exact: true })
const settings = () => toolhaven.daemon().api.call('getSettings', {})

test('the runtime is named, and the doctor looks only when somebody asks', async () => {
  await region('Runtime').getByText('● works').waitFor()
  await region('Runtime').getByText('thv runtime check').waitFor()
  const doctor = region('Doctor')
  expect(await doctor.getByRole('heading', { name: /^This machine/ }).count()).toBe(0)
  await doctor.getByRole('button', { name: 'Check the machine and all servers' }).press('Enter')
  await doctor
    .getByRole('status')
    .getByText(/^Grade [A-F]/)
    .waitFor()
  await doctor.getByRole('list', { name: 'This machine' }).getByText('runtime').first().waitFor()
  const findings = doctor.getByRole('region', { name: 'Findings of good' })
  await findings.getByText('running', { exact: true }).waitFor()
  await expectAccessible(page)
})

test('a server that cannot start is a finding, whose button leads to its log', async () => {
  await toolhaven.daemon().api.call('createWorkload', {
    body: { name: 'broken', image: FIXTURE, cmd_arguments: ['--behaviour=crash-at-start'] },
  })
  await untilStatus(toolhaven.daemon(), 'broken', 'error')
  await region('Doctor').getByRole('button', { name: 'Check again' }).click()
  const findings = region('Doctor').getByRole('region', { name: 'Findings of broken' })
  await findings.getByText('▲ failed').waitFor()
  await findings.getByText('thv logs broken').waitFor()
  await findings.getByRole('link', { name: 'Open the log of broken' }).click()
  await page.getByRole('heading', { name: /^broken/, level: 1 }).waitFor()
  await page.goBack()
})

test('telemetry is changed and cleared, and a mistake stays in the form with its reason', async () => {
  const telemetry = region('Telemetry')
  await telemetry.getByLabel('Endpoint').fill('https://otel:4318')
  await telemetry.getByRole('button', { name: 'Save' }).click()
  await telemetry.getByRole('alert').getByText('without a scheme').waitFor()
  expect(await telemetry.getByLabel('Endpoint').inputValue()).toBe('https://otel:4318')
  await telemetry.getByLabel('Endpoint').fill('otel:4318')
  await telemetry.getByLabel('Variables to add').fill('STAGE, REGION')
  await telemetry.getByText('thv config otel set-endpoint otel:4318').waitFor()
  await telemetry.getByLabel('Endpoint').press('Enter')
  await telemetry.getByText('Saved.').waitFor()
  expect((await settings()).otel).toEqual({ endpoint: 'otel:4318', 'env-vars': ['STAGE', 'REGION'] })
  await telemetry.getByLabel('Endpoint').fill('')
  await telemetry.getByText('thv config otel unset-endpoint').waitFor()
  await telemetry.getByRole('button', { name: 'Save' }).click()
  await expect.poll(async () => (await settings()).otel?.endpoint).toBeUndefined()
})

test('a certificate file that is not there is refused, and what others change appears', async () => {
  const certificates = region('Certificates')
  await certificates.getByLabel('Certificate file').fill('/nowhere/ca.pem')
  await certificates.getByRole('button', { name: 'Save' }).click()
  await certificates.getByRole('alert').getByText('/nowhere/ca.pem').waitFor()
  expect((await settings()).ca_certificate_path).toBeUndefined()
  await certificates.getByRole('button', { name: 'Discard' }).click()
  await toolhaven.daemon().api.call('updateSettings', { body: { otel: { endpoint: 'other:4318' } } })
  await expect.poll(() => region('Telemetry').getByLabel('Endpoint').inputValue()).toBe('other:4318')
})

test('colours are the same here and at the top, and about says what runs', async () => {
  await page.getByRole('radio', { name: 'Light' }).check()
  expect(await page.getByRole('combobox', { name: 'Colours' }).inputValue()).toBe('light')
  expect(await page.evaluate(() => document.documentElement.dataset['theme'])).toBe('light')
  const { version } = await toolhaven.daemon().api.call('getVersion', {})
  await region('About').getByText(`Toolhaven ${version}`).waitFor()
  await region('About').getByText(toolhaven.daemon().baseUrl).waitFor()
  await expectAccessible(page)
  await page.setViewportSize(PHONE)
  await expectNoSidewaysScroll(page)
  await expectAccessible(page)
})

test('the source of the registry is tested, changed, read again and put back', async () => {
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Registry' }).click()
  await page.getByRole('link', { name: 'Source' }).click()
  await region('In use').getByText('Built into Toolhaven').waitFor()
  const form = page.getByRole('form', { name: 'Change the source' })
  await form.getByRole('radio', { name: 'A file on the machine of the daemon' }).check()
  await form.getByRole('textbox', { name: 'File' }).fill(`${list}.gone`)
  await form.getByRole('button', { name: 'Use this source' }).click()
  await form
    .getByRole('alert')
    .getByText(/registry\.json\.gone/)
    .waitFor()
  expect(await form.getByRole('textbox', { name: 'File' }).inputValue()).toBe(`${list}.gone`)
  await region('In use').getByText('Built into Toolhaven').waitFor()
  await form.getByRole('textbox', { name: 'File' }).fill(list)
  await form.getByRole('button', { name: 'Test' }).click()
  await form.getByText('It can be used: 1 server, version 7.0.0. Nothing was changed.').waitFor()
  await form.getByText(`thv config set-registry ${list}`).waitFor()
  await expectNoSidewaysScroll(page)
  await expectAccessible(page)
  await region('In use').getByText('Built into Toolhaven').waitFor()
  await form.getByRole('button', { name: 'Use this source' }).click()
  await region('In use').getByText('7.0.0').waitFor()
  await writeFile(list, JSON.stringify({ version: '8.0.0', last_updated: '2026-02-01T00:00:00Z', servers: {} }))
  await page.getByRole('button', { name: 'Refresh' }).click()
  await region('In use').getByText('8.0.0').waitFor()
  await page.getByRole('combobox', { name: 'Colours' }).selectOption('Dark')
  await expectAccessible(page)
  await form.getByRole('radio', { name: 'The one that is built into Toolhaven' }).check()
  await form.getByText('thv config unset-registry').waitFor()
  await form.getByRole('button', { name: 'Use the built-in registry' }).click()
  await region('In use').getByText('Built into Toolhaven').waitFor()
})

test('a link of another site shows where it leads, and opens the console from there', async () => {
  const { baseUrl } = toolhaven.daemon()
  await page.goto('data:text/html,<title>elsewhere</title>')
  await page.evaluate(
    (address) => document.body.append(Object.assign(document.createElement('a'), { href: address, textContent: 'go' })),
    `${baseUrl}/servers?q=good`,
  )
  await page.getByRole('link', { name: 'go' }).click()
  await page.getByRole('heading', { name: 'Another site sent you to Toolhaven' }).waitFor()
  await expectAccessible(page)
  await expectNoSidewaysScroll(page)
  expect(await page.content()).not.toContain('<script')
  await page.getByRole('link', { name: 'Open it' }).click()
  await page.getByRole('heading', { name: 'Servers', level: 1 }).waitFor()
  await page.getByRole('link', { name: 'good', exact: true }).waitFor()
  expect(new URL(page.url()).search).toBe('?q=good')
})
