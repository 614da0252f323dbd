import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runThv } from '../../../e2e/src/daemon-process.ts'
import { OWN_SERVER } from '../../../e2e/src/own-server.ts'
import { untilStatus } from '../../../e2e/src/statuses.ts'
import { expectAccessible, expectNoSidewaysScroll } from './test-accessible.ts'
import { FIXTURE, PHONE, startConsole, type TestConsole, WIDE } from './test-console.ts'

let toolhaven: TestConsole
let page: Page
beforeAll(async () => {
  toolhaven = await startConsole()
  await mkdir(path.join(toolhaven.home.dir, 'home/.cursor'), { recursive: true })
  const { api } = toolhaven.daemon()
  await api.call('createWorkload', { body: { name: 'web', image: FIXTURE, env_vars: { LEVEL: 'info' } } })
  await untilStatus(toolhaven.daemon(), 'web', 'running')
  await api.call('createGroup', { body: { name: 'work' } })
  await api.call('createClient', { body: { name: 'Cursor', groups: ['work'] } })
  page = await toolhaven.open('/servers/web')
})
afterAll(async () => {
  await toolhaven?.[Symbol.asyncDispose]()
  expect(toolhaven?.complaints).toEqual([])
})

const plan = () => page.getByRole('region', { name: 'Plan' })
const outcome = () => page.getByRole('region', { name: 'Outcome' })
const field = (label: string) => page.getByLabel(label, { exact: true })
const apply = () => page.getByRole('button', { name: 'Apply and restart' })
const openPart = (title: string) => page.getByText(title, { exact: true }).click()
const configured = () => toolhaven.daemon().api.call('getWorkload', { params: { name: 'web' } })
const thv = async (...args: string[]) => {
  const { code, output } = await runThv(toolhaven.home, args)
  expect(code, output).toBe(0)
}

test('what is configured fills in the form, and the difference is shown before it is saved', async () => {
  await page.getByRole('navigation', { name: 'Pages of web' }).getByRole('link', { name: 'Configuration' }).click()
  await page.getByRole('region', { name: 'Configuration' }).getByText('LEVEL=info').waitFor()
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Edit' }).click()
  await plan().getByText('No changes yet.').waitFor()
  expect(await page.getByLabel('Package or image').inputValue()).toBe(FIXTURE)
  expect(await apply().isDisabled()).toBe(true)
  await field('Value of LEVEL').fill('debug')
  await openPart('Tools and limits')
  await field('Tools').fill('echo\nadd')
  await page.getByRole('button', { name: 'Add a secret' }).click()
  await page.getByLabel('Name of the secret variable').fill('API_KEY')
  await field('Value of API_KEY').fill('not-to-be-shown')
  await plan().getByText('Variable LEVEL').waitFor()
  await plan().getByText('− info').waitFor()
  await plan().getByText('+ debug').waitFor()
  await plan().getByText('Stores web-API_KEY in the secret store.').waitFor()
  await plan()
    .getByText(/^web restarts\. Calls that run at that moment fail\. Its address stays http/)
    .waitFor()
  await plan().getByText('No client file changes.').waitFor()
  await plan()
    .getByText('thv edit web -e LEVEL=debug --secret web-API_KEY,target=API_KEY --tools echo,add', { exact: true })
    .waitFor()
  expect(await page.getByRole('list', { name: 'In the way' }).count()).toBe(0)
  await expectAccessible(page)
  await apply().click()
  await outcome().getByText('running').waitFor()
  expect(await configured()).toMatchObject({
    ...{ env_vars: { LEVEL: 'debug' }, tools: ['echo', 'add'] },
    secrets: [{ name: 'web-API_KEY', target: 'API_KEY' }],
  })
  expect(await page.content()).not.toContain('not-to-be-shown')
})

test('an edit is undone', async () => {
  await page.getByRole('region', { name: 'Last change' }).getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('region', { name: 'Last change' }).waitFor({ state: 'detached' })
  expect(await field('Value of LEVEL').inputValue()).toBe('info')
  expect(await configured()).toMatchObject({ env_vars: { LEVEL: 'info' }, tools: [] })
  await plan().getByText('No changes yet.').waitFor()
})

test('a problem stands beside its field, and nothing is saved', async () => {
  await openPart('Folders and arguments')
  await field('Folders').fill('/no/such/folder:/notes')
  await page
    .getByRole('list', { name: 'In the way' })
    .getByText(/\/no\/such\/folder/)
    .waitFor()
  expect(await field('Folders').getAttribute('aria-invalid')).toBe('true')
  await page
    .getByRole('group', { name: 'Folders and arguments' })
    .getByText(/does not exist/)
    .waitFor()
  await expectAccessible(page)
  await apply().click()
  await page
    .getByRole('alert')
    .getByText(/\/no\/such\/folder/)
    .waitFor()
  expect(await field('Folders').inputValue()).toBe('/no/such/folder:/notes')
  await page.getByRole('button', { name: 'Discard' }).click()
  expect(await field('Folders').inputValue()).toBe('')
})

test('what "thv edit" changes meanwhile is told, and comes into the form without losing what was typed', async () => {
  await field('Value of LEVEL').fill('trace')
  await field('Requests per minute').fill('120')
  await thv('edit', 'web', '--tools', 'echo', '--env', 'LEVEL=warn', '--yes')
  const meanwhile = page.getByRole('alert', { name: 'Changed in the meantime' })
  await meanwhile.getByText(/^Changed: Variables and secrets and Tools\./).waitFor()
  await meanwhile.getByText(/^You changed Variables and secrets too\./).waitFor()
  expect(await apply().isDisabled()).toBe(true)
  await expectAccessible(page)
  await meanwhile.getByRole('button', { name: 'Take over' }).click()
  expect(await field('Tools').inputValue()).toBe('echo')
  expect(await field('Requests per minute').inputValue()).toBe('120')
  await plan().getByText('− warn').waitFor()
  await apply().click()
  await outcome().getByText('running').waitFor()
  expect(await configured()).toMatchObject({
    ...{ env_vars: { LEVEL: 'trace' }, tools: ['echo'], limits: { requests_per_minute: 120 } },
  })
})

test('a form that nobody touched follows what others change', async () => {
  await plan().getByText('No changes yet.').waitFor()
  await thv('edit', 'web', '--unset', 'tools', '--env', 'LEVEL=info', '--yes')
  await expect.poll(() => field('Tools').inputValue()).toBe('')
  await expect.poll(() => field('Value of LEVEL').inputValue()).toBe('info')
})

test('a failed restart says why in the form, and the undo puts it right', async () => {
  await field('Arguments').fill('--behaviour=crash-at-start')
  await plan().getByText('thv edit web -- --behaviour=crash-at-start').waitFor()
  await apply().click()
  await outcome()
    .getByText(/exited with code 1/)
    .waitFor()
  expect(await field('Arguments').inputValue()).toBe('--behaviour=crash-at-start')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Undo' }).click()
  await outcome().getByText('running').waitFor()
  expect((await configured()).cmd_arguments).toBeUndefined()
})

test('a move restarts nothing, and names the client whose file it writes', async () => {
  await page.getByLabel('Group').selectOption('work')
  await plan().getByText('Nothing restarts.').waitFor()
  await plan().getByText('The file of Cursor gets an entry for web.').waitFor()
  await page.getByRole('button', { name: 'Apply', exact: true }).click()
  const file = path.join(toolhaven.home.dir, 'home/.cursor/mcp.json')
  await expect.poll(() => readFile(file, 'utf8').catch(() => '')).toContain('web')
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => readFile(file, 'utf8').catch(() => '')).not.toContain('web')
})

test('the keyboard alone edits a server, from its page on', async () => {
  await page.goto(new URL('/servers/web/configuration', toolhaven.daemon().baseUrl).href)
  const press = async (key: string, until: string) => {
    const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim() ?? '')
    for (let times = 0; times < 60 && (await focused()) !== until; times += 1) await page.keyboard.press(key)
    expect(await focused()).toBe(until)
  }
  await page.getByRole('link', { name: 'Edit' }).waitFor()
  await press('Tab', 'Edit')
  await page.keyboard.press('Enter')
  await field('Tools').focus()
  await page.keyboard.type('add')
  await plan().getByText('+ add').waitFor()
  await press('Tab', 'Apply and restart')
  await page.keyboard.press('Enter')
  await outcome().getByText('running').waitFor()
  expect((await configured()).tools).toEqual(['add'])
})

test('headers of pasted JSON become headers, and an edit of a remote server keeps the secret ones', async () => {
  const { url } = await configured()
  await page.goto(new URL('/run', toolhaven.daemon().baseUrl).href)
  await page.getByText('Paste or open JSON').click()
  const headers = { Authorization: 'Bearer s3cret', 'X-Team': 'docs' }
  await page.getByLabel('JSON of the server').fill(JSON.stringify({ mcpServers: { far: { url, headers } } }))
  await page.getByRole('button', { name: 'Read it' }).click()
  expect(await field('Value of X-Team').inputValue()).toBe('docs')
  expect(await field('Value of Authorization').getAttribute('type')).toBe('password')
  await expectAccessible(page)
  expect(await page.getByLabel('JSON of the server').inputValue()).toBe('')
  await plan().getByText('Is sent the secret far-Authorization as the header Authorization.').waitFor()
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await outcome().getByText('running').waitFor()
  const far = () => toolhaven.daemon().api.call('getWorkload', { params: { name: 'far' } })
  expect(await far()).toMatchObject({
    ...{ headers: { 'X-Team': 'docs' }, headers_from_secrets: { Authorization: 'far-Authorization' } },
  })
  await page.goto(new URL('/servers/far/edit', toolhaven.daemon().baseUrl).href)
  expect(await page.getByLabel('Secret for Authorization').inputValue()).toBe('far-Authorization')
  await field('Value of X-Team').fill('web')
  await plan().getByText('thv edit far --header X-Team=web').waitFor()
  await apply().click()
  await outcome().getByText('running').waitFor()
  expect(await far()).toMatchObject({
    ...{ headers: { 'X-Team': 'web' }, headers_from_secrets: { Authorization: 'far-Authorization' } },
  })
})

test('a server that runs from a folder is edited like any other, and keeps its folder', async () => {
  const folder = path.join(toolhaven.home.dir, 'home/own')
  await mkdir(folder, { recursive: true })
  const manifest = { name: 'own', version: '1.0.0', type: 'module', main: 'server.js' }
  await writeFile(path.join(folder, 'package.json'), JSON.stringify(manifest))
  const alone = OWN_SERVER.replace("import { greeting } from 'greeting'", "const greeting = 'hello'")
  await writeFile(path.join(folder, 'server.js'), alone)
  await toolhaven.daemon().api.call('createWorkload', { body: { name: 'own', folder: { path: folder } } })
  await untilStatus(toolhaven.daemon(), 'own', 'running')
  await page.goto(new URL('/servers/own/edit', toolhaven.daemon().baseUrl).href)
  await page.getByText(`Your own server in the folder ${folder}. It may not change files there.`).waitFor()
  await plan().getByText('No changes yet.').waitFor()
  await openPart('Tools and limits')
  await field('Requests per minute').fill('60')
  await plan().getByText('thv edit own --requests-per-minute 60').waitFor()
  expect(await page.getByRole('list', { name: 'In the way' }).count()).toBe(0)
  await expectAccessible(page)
  await apply().click()
  await outcome().getByText('running').waitFor()
  expect(await toolhaven.daemon().api.call('getWorkload', { params: { name: 'own' } })).toMatchObject({
    ...{ folder: { path: folder }, limits: { requests_per_minute: 60 } },
  })
})

test('a phone shows the form and its plan in one column, in both colour modes', async () => {
  await page.setViewportSize(PHONE)
  for (const colours of ['Light', 'Dark']) {
    await page.goto(new URL('/servers/web/edit', toolhaven.daemon().baseUrl).href)
    await page.getByRole('combobox', { name: 'Colours' }).selectOption(colours)
    await field('Value of LEVEL').fill('a-long-value-'.repeat(12))
    await openPart('Folders and arguments')
    await field('Folders').fill('/no/such/folder:/notes')
    await page.getByRole('list', { name: 'In the way' }).waitFor()
    await expectNoSidewaysScroll(page)
    await expectAccessible(page)
    await page.getByRole('link', { name: 'Back to web' }).click()
    await page.getByRole('region', { name: 'Configuration' }).waitFor()
    await expectNoSidewaysScroll(page)
    await expectAccessible(page)
  }
  await page.setViewportSize(WIDE)
})
