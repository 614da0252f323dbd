import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runThv } from '../../../e2e/src/daemon-process.ts'
import { untilStatus } from '../../../e2e/src/statuses.ts'
import { FIXTURE, startConsole, type TestConsole } from './test-console.ts'

let toolhaven: TestConsole
beforeAll(async () => {
  toolhaven = await startConsole()
  await toolhaven.daemon().api.call('createWorkload', { body: { name: 'web', image: FIXTURE } })
  await untilStatus(toolhaven.daemon(), 'web', 'running')
})
afterAll(async () => {
  await toolhaven?.[Symbol.asyncDispose]()
  expect(toolhaven?.complaints).toEqual([])
})

const title = (page: Page, name: string | RegExp) => page.getByRole('heading', { name, level: 1 })
const row = (page: Page, name: string) =>
  page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) })

test('what one tab does the other shows, and both stay as they were looked at', async () => {
  const first = await toolhaven.open('/servers?q=web')
  const second = await first.context().newPage()
  await second.goto(new URL('/servers/web', first.url()).href)
  await second.getByRole('button', { name: 'Stop' }).click()
  await row(first, 'web').getByText('stopped').waitFor()
  await first.getByRole('checkbox', { name: 'Choose web' }).check()
  await first.getByRole('region', { name: 'Chosen servers' }).getByRole('button', { name: 'Start' }).click()
  await title(second, 'web running').waitFor()
  expect(new URL(first.url()).search).toBe('?q=web')
})

test('what "thv apply" changes meanwhile is there without a reload', async () => {
  const page = await toolhaven.open('/servers')
  await row(page, 'web').waitFor()
  const file = path.join(toolhaven.home.dir, 'toolhaven.yaml')
  await writeFile(
    file,
    [
      'format: 1',
      'groups: [applied]',
      'workloads:',
      '  - name: later',
      `    image: ${FIXTURE}`,
      '    group: applied',
      '',
    ].join('\n'),
  )
  const { code, output } = await runThv(toolhaven.home, ['apply', '-f', file, '--yes'])
  expect(code, output).toBe(0)
  await row(page, 'later').getByText('applied').waitFor()
  await row(page, 'later').getByText('running').waitFor()
})

test('on a slow network it says that it asks, keeps what is known, and a plan never lags behind what is typed', async () => {
  const page = await toolhaven.open('/servers')
  await row(page, 'web').waitFor()
  const session = await page.context().newCDPSession(page)
  const slow = { offline: false, latency: 1_500, downloadThroughput: 20_000, uploadThroughput: 20_000 }
  await session.send('Network.emulateNetworkConditions', slow)
  await page.getByRole('link', { name: 'web', exact: true }).click()
  await page.getByText('Asking the daemon …').first().waitFor()
  await title(page, 'web running').waitFor()
  await page.getByRole('navigation', { name: 'Pages of web' }).getByRole('link', { name: 'Configuration' }).click()
  await page.getByRole('link', { name: 'Edit' }).click()
  const tools = page.getByLabel('Tools', { exact: true })
  await page.getByText('Tools and limits', { exact: true }).click()
  await tools.fill('echo')
  await tools.fill('add')
  await page.getByRole('region', { name: 'Plan' }).getByText('+ add').waitFor()
  expect(await page.getByRole('region', { name: 'Plan' }).getByText('+ echo').count()).toBe(0)
})

test('an edit can be undone after a reload', async () => {
  const page = await toolhaven.open('/servers/web/edit')
  await page.getByText('Tools and limits', { exact: true }).click()
  await page.getByLabel('Tools', { exact: true }).fill('echo')
  await page.getByRole('button', { name: 'Apply and restart' }).click()
  const last = page.getByRole('region', { name: 'Last change' })
  await last.waitFor()
  await page.reload()
  await last.getByRole('button', { name: 'Undo' }).click()
  await last.waitFor({ state: 'detached' })
  const { tools } = await toolhaven.daemon().api.call('getWorkload', { params: { name: 'web' } })
  expect(tools).toEqual([])
  await page.reload()
  await title(page, 'Edit web').waitFor()
  expect(await last.count()).toBe(0)
})

test('a server that says which variable it lacks leads to the field for it', async () => {
  const { api } = toolhaven.daemon()
  await api.call('createWorkload', {
    body: { name: 'poor', image: FIXTURE, cmd_arguments: ['--behaviour=needs-variable'] },
  })
  const page = await toolhaven.open('/')
  await page.getByRole('link', { name: /^Add DATABASE_URL/ }).click()
  await page.getByLabel('DATABASE_URL').fill('postgres://db')
  await page.getByRole('button', { name: 'Apply and restart' }).click()
  await page.getByRole('region', { name: 'Outcome' }).getByText('running').waitFor()
})
