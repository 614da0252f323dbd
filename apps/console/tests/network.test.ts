import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callText, connectMcp } from '../../../e2e/src/mcp-client.ts'
import { untilStatus } from '../../../e2e/src/statuses.ts'
import { expectAccessible, expectNoSidewaysScroll } from './test-accessible.ts'
import { FIXTURE, PHONE, startConsole, type TestConsole, WIDE } from './test-console.ts'

const registry = {
  version: '1.0.0',
  last_updated: '2026-01-15T00:00:00Z',
  servers: {
    fetcher: {
      ...{ image: FIXTURE, description: 'Fetches pages', transport: 'stdio', tier: 'Community', status: 'active' },
      ...{ tools: [], permissions: { network: { outbound: { allow_host: ['asked.example.com'] } } } },
    },
  },
}

/** What a list names is reached on the loopback of this machine as at a public host. */
const LISTED = '127.0.0.2'
const service = createServer((_request, response) => response.end('hello'))
let place: string

let toolhaven: TestConsole
let page: Page
beforeAll(async () => {
  service.listen(0, '0.0.0.0')
  await once(service, 'listening')
  const address = service.address()
  place = `${LISTED}:${typeof address === 'object' && address ? address.port : 0}`
  toolhaven = await startConsole()
  const file = path.join(toolhaven.home.dir, 'registry.json')
  await writeFile(file, JSON.stringify(registry))
  const { api } = toolhaven.daemon()
  await api.call('updateRegistry', { params: { name: 'default' }, body: { local_path: file } })
  const profile = { network: { outbound: { allow_host: [place, 'unused.example.com'] } } }
  await api.call('createWorkload', { body: { name: 'web', image: 'fetcher', permission_profile: profile } })
  await untilStatus(toolhaven.daemon(), 'web', 'running')
  page = await toolhaven.open('/servers/web')
})
afterAll(async () => {
  service.closeAllConnections()
  service.close()
  await toolhaven?.[Symbol.asyncDispose]()
  expect(toolhaven?.complaints).toEqual([])
})

const plan = () => page.getByRole('region', { name: 'Plan' })
const row = (host: string) =>
  page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: host, exact: true }) })
const configured = () => toolhaven.daemon().api.call('getWorkload', { params: { name: 'web' } })
const hosts = async () => (await configured()).permission_profile?.network?.outbound?.allow_host
const untilRunning = () => page.getByRole('heading', { name: 'web running' }).waitFor()

async function fetchPage(url: string): Promise<string> {
  await using connection = await connectMcp((await configured()).url)
  return await callText(connection, 'fetch', { url })
}

test('what is asked for, given, observed and refused stands side by side, as it happens', async () => {
  await page.getByRole('navigation', { name: 'Pages of web' }).getByRole('link', { name: 'Network' }).click()
  await row('asked.example.com').getByRole('cell', { name: 'no', exact: true }).first().waitFor()
  await row('unused.example.com').getByRole('link', { name: 'Remove unused.example.com' }).waitFor()
  expect(await fetchPage(`http://${place}/`)).toContain('hello')
  await row(place)
    .getByText(/^once at port/)
    .waitFor()
  await fetchPage('http://refused.example.com/')
  await row('refused.example.com')
    .getByText(/no list names it/)
    .waitFor()
  await expectAccessible(page)
})

test('one click allows what was refused, after its plan, and one takes it back', async () => {
  await row('refused.example.com').getByRole('link', { name: 'Allow refused.example.com' }).click()
  await page.waitForURL(/\?allow=refused\.example\.com$/)
  await plan().getByText('+ refused.example.com').waitFor()
  await plan().getByText('thv edit web --allow-host refused.example.com').waitFor()
  await expectAccessible(page)
  await plan().getByRole('button', { name: 'Allow refused.example.com and restart' }).click()
  await plan().waitFor({ state: 'detached' })
  expect(await hosts()).toEqual([place, 'unused.example.com', 'refused.example.com'])
  await untilRunning()
  await row('refused.example.com').getByRole('link', { name: 'Remove refused.example.com' }).click()
  await plan().getByText('− refused.example.com').waitFor()
  await plan().getByRole('button', { name: 'Remove refused.example.com and restart' }).click()
  await plan().waitFor({ state: 'detached' })
  expect(await hosts()).toEqual([place, 'unused.example.com'])
})

test('a host that is typed is allowed by keyboard, and the change is undone', async () => {
  await untilRunning()
  await page.getByLabel('Another host').fill('typed.example.com')
  await page.keyboard.press('Enter')
  await plan().getByText('+ typed.example.com').waitFor()
  await plan().getByRole('button', { name: 'Allow typed.example.com and restart' }).press('Enter')
  await plan().waitFor({ state: 'detached' })
  await page.getByRole('region', { name: 'Last change' }).getByRole('button', { name: 'Undo' }).press('Enter')
  await page.getByRole('region', { name: 'Last change' }).waitFor({ state: 'detached' })
  expect(await hosts()).toEqual([place, 'unused.example.com'])
})

test('a host that no server may reach is refused with the reason, and nothing is saved', async () => {
  await untilRunning()
  await page.getByLabel('Another host').fill('169.254.169.254')
  await page.getByRole('button', { name: 'Allow', exact: true }).click()
  await page
    .getByRole('list', { name: 'In the way' })
    .getByText(/169\.254\.169\.254/)
    .waitFor()
  expect(
    await plan()
      .getByRole('button', { name: /^Allow 169/ })
      .isDisabled(),
  ).toBe(true)
  await plan().getByRole('link', { name: 'Cancel' }).click()
  await plan().waitFor({ state: 'detached' })
})

test('observing and locking leaves just what was used', async () => {
  const learn = page.getByRole('region', { name: 'Learn what it needs' })
  await learn.getByRole('link', { name: 'Observe' }).click()
  await plan().getByText('+ observe').waitFor()
  await plan().getByText('thv learn web --observe').waitFor()
  await plan().getByRole('button', { name: 'Observe and restart' }).click()
  await learn.getByRole('heading', { name: 'Observe (now)' }).waitFor()
  await untilRunning()
  await page.getByText('May reach every public host while its connections are recorded.').waitFor()
  expect(await fetchPage(`http://${place}/`)).toContain('hello')
  await learn.getByText('It used 1 place so far; the table above has them.').waitFor()
  await learn.getByRole('link', { name: 'Lock' }).click()
  await plan().getByText('− unused.example.com').waitFor()
  await plan().getByText('thv learn web --apply').waitFor()
  await expectAccessible(page)
  await plan().getByRole('button', { name: 'Lock and restart' }).click()
  await learn.getByRole('heading', { name: 'Observe', exact: true }).waitFor()
  expect(await hosts()).toEqual([place])
  expect((await configured()).network_isolation_mode).toBeUndefined()
})

test('what this machine enforces is said as the running server has it', async () => {
  await untilRunning()
  const enforced = page.getByRole('region', { name: 'Enforced' })
  await enforced.getByText(/as the kernel of this machine reports\.$/).waitFor()
  await enforced.getByRole('list', { name: 'Not enforced' }).waitFor()
})

test('a phone shows it in one column, in both colour modes', async () => {
  await page.setViewportSize(PHONE)
  for (const colours of ['Light', 'Dark']) {
    await page.getByRole('combobox', { name: 'Colours' }).selectOption(colours)
    await page.getByRole('link', { name: `Remove ${place}` }).click()
    await plan().getByText(`− ${place}`).waitFor()
    await expectNoSidewaysScroll(page)
    await expectAccessible(page)
    await plan().getByRole('link', { name: 'Cancel' }).click()
  }
  await page.setViewportSize(WIDE)
})
