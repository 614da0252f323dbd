import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callText, connectMcp } from '../../../e2e/src/mcp-client.ts'
import { untilStatus } from '../../../e2e/src/statuses.ts'
import { UPGRADED_PACKAGE, writeUpgradedPackage, writeUpgradeRegistry } from '../../../e2e/src/upgraded-package.ts'
import { expectAccessible, expectNoSidewaysScroll } from './test-accessible.ts'
import { PHONE, startConsole, type TestConsole, WIDE } from './test-console.ts'

const TOKEN = 'sk-not-to-be-shown-anywhere'

let toolhaven: TestConsole
let page: Page
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'thv-console-upgrade-'))
  toolhaven = await startConsole()
  await toolhaven.packages.publish(await writeUpgradedPackage(folder, '1.0.0'))
  await useRegistry('1.0.0')
  await toolhaven.daemon().api.call('createWorkload', { body: { name: 'notes', image: 'notes' } })
  await untilStatus(toolhaven.daemon(), 'notes', 'running')
  page = await toolhaven.open('/servers/notes')
})
afterAll(async () => {
  await toolhaven?.[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
  expect(toolhaven?.complaints).toEqual([])
})

/** From then on the registry names this version. */
async function useRegistry(version: string, more: object = {}): Promise<void> {
  const local_path = await writeUpgradeRegistry(folder, version, more)
  await toolhaven.daemon().api.call('updateRegistry', { params: { name: 'default' }, body: { local_path } })
}
const details = () => toolhaven.daemon().api.call('getWorkload', { params: { name: 'notes' } })
async function variables(): Promise<Record<string, string>> {
  await using mcp = await connectMcp((await details()).url)
  return JSON.parse(await callText(mcp, 'env'))
}
const plan = () => page.getByRole('region', { name: 'Plan' })

test('the page of a server leads to its newest version, and says when there is none', async () => {
  await page.getByRole('link', { name: 'Look for a newer version' }).click()
  await page.getByText('notes has the newest version in the registry. It runs 1.0.0.').waitFor()
  await page.getByText('thv upgrade notes --check').waitFor()
  await expectAccessible(page)
})

test('a newer version shows what it changes, and asks for what it needs', async () => {
  await toolhaven.packages.publish(await writeUpgradedPackage(folder, '2.0.0', { tools: { extra: {} } }))
  await useRegistry('2.0.0', {
    tools: ['echo', 'env', 'extra'],
    permissions: { network: { outbound: { allow_host: ['example.com'], allow_port: [443] } } },
    env_vars: [
      { name: 'REGION', description: 'Where', required: true },
      { name: 'NOTES_TOKEN', description: 'A key', required: true, secret: true },
    ],
  })
  await page.getByRole('button', { name: 'Look again' }).click()
  await plan().getByRole('heading', { name: 'From 1.0.0 to 2.0.0' }).waitFor()
  await plan().getByText('New tool extra.').waitFor()
  await plan().getByText('The server restarts, and its address stays.').waitFor()
  await expectAccessible(page)
  await page.setViewportSize(PHONE)
  await expectNoSidewaysScroll(page)
  await expectAccessible(page)
  await page.setViewportSize(WIDE)
  await page.getByLabel('REGION').fill('here')
  await page.getByLabel('NOTES_TOKEN').fill(TOKEN)
  // It may reach no more than before until somebody allows it.
  await plan().getByRole('list', { name: 'In the way' }).getByText('example.com').waitFor()
  await page.getByRole('button', { name: 'Upgrade', exact: true }).click()
  expect(await details()).toMatchObject({ package: `npx://${UPGRADED_PACKAGE}@1.0.0`, status: 'running' })
  await page.getByLabel('Allow what it asks for of the network').check()
  await plan().getByText('Stores notes-NOTES_TOKEN in the secret store.').waitFor()
  const command =
    'thv upgrade notes --env REGION=here --secret notes-NOTES_TOKEN,target=NOTES_TOKEN --accept-network --yes'
  await plan().getByText(command).waitFor()
  expect(await plan().innerText()).not.toContain(TOKEN)
  expect(await plan().getByRole('list', { name: 'In the way' }).count()).toBe(0)
  expect(await details()).toMatchObject({ package: `npx://${UPGRADED_PACKAGE}@1.0.0` })
})

test('pressing Enter upgrades, and the new version has what it was given', async () => {
  await page.getByLabel('NOTES_TOKEN').press('Enter')
  const outcome = page.getByRole('region', { name: 'Outcome' })
  await outcome.getByText('notes runs 2.0.0 now.').waitFor()
  await outcome.getByText('extra (added)').waitFor()
  expect(await variables()).toMatchObject({ SERVER_VERSION: '2.0.0', REGION: 'here', NOTES_TOKEN: TOKEN })
  await expectAccessible(page)
  await outcome.getByRole('link', { name: 'Look at the changes' }).click()
  await page.getByText('extra').first().waitFor()
})

test('a version that does not start is told with its last lines, and the one before runs', async () => {
  const start = "process.stderr.write('version 3 needs a database\\n'); process.exit(1)"
  await toolhaven.packages.publish(await writeUpgradedPackage(folder, '3.0.0', { start }))
  await useRegistry('3.0.0')
  await page.goto(new URL('/servers/notes/upgrade', page.url()).href)
  await page.getByRole('button', { name: 'Upgrade', exact: true }).click()
  const outcome = page.getByRole('region', { name: 'Outcome' })
  await outcome.getByText('3.0.0 did not start, so notes is back at 2.0.0').waitFor({ timeout: 60_000 })
  await outcome.getByRole('region', { name: 'Last lines of its log' }).getByText('version 3 needs a database').waitFor()
  await expectAccessible(page)
  expect(await variables()).toMatchObject({ SERVER_VERSION: '2.0.0' })
})

test('a server that is not there is told of, with a way to the others', async () => {
  for (const place of ['upgrade', 'edit']) {
    await page.goto(new URL(`/servers/nobody/${place}`, page.url()).href)
    await page.getByText('There is no server nobody any more.').waitFor()
    await page.getByRole('main').getByRole('link', { name: 'all servers' }).waitFor()
  }
})

test('a source that does not answer is told as that, and not as the newest version', async () => {
  await toolhaven.daemon().api.call('createWorkload', {
    body: { name: 'loose', image: `npx://${UPGRADED_PACKAGE}@1.0.0` },
  })
  await toolhaven.packages[Symbol.asyncDispose]()
  await page.goto(new URL('/servers/loose/upgrade', page.url()).href)
  await page.getByText('Toolhaven could not find out whether there is a newer version.').waitFor({ timeout: 60_000 })
  expect(await page.getByRole('button', { name: 'Upgrade', exact: true }).count()).toBe(0)
})
