import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runThv } from '../../../e2e/src/daemon-process.ts'
import { expectAccessible } from './test-accessible.ts'
import { startConsole, type TestConsole } from './test-console.ts'

const TOKEN = 'a-token-of-these-tests'

let toolhaven: TestConsole
beforeAll(async () => {
  toolhaven = await startConsole({ THV_API_TOKEN: TOKEN })
})
afterAll(async () => {
  await toolhaven?.[Symbol.asyncDispose]()
  expect(toolhaven?.complaints).toEqual([])
})

/** What a person copies from the terminal. */
async function makeLink(): Promise<string> {
  const { output } = await runThv(toolhaven.home, ['ui', '--no-open'])
  const [link = ''] = /http:\/\/\S+#login=\w+/.exec(output) ?? []
  expect(link, output).not.toBe('')
  return link
}

const title = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 })

test('a link of the terminal logs one browser in, and does not stay in the address', async () => {
  const link = await makeLink()
  const page = await toolhaven.open(link)
  await title(page, 'Home').waitFor()
  expect(page.url()).not.toContain('login')
  await page.reload()
  await toolhaven.daemon().api.call('createGroup', { body: { name: 'made-by-others' } })
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Clients' }).click()
  await page.getByText('made-by-others').first().waitFor()

  const other = await toolhaven.open(link)
  await other.getByRole('alert').getByText('this link was already used or is older than 60 seconds').waitFor()
  await expectAccessible(other)
  await other.goto(await makeLink())
  await title(other, 'Home').waitFor()
})

test('the token of the API logs in as well, and no other, until "thv ui --log-out"', async () => {
  const page = await toolhaven.open('/secrets')
  await title(page, 'Log in').waitFor()
  const token = page.getByLabel('Or paste the API token')
  await token.fill(`${TOKEN}e`)
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.getByRole('alert').getByText('this is not the token of the API').waitFor()
  await token.fill(TOKEN)
  await page.getByRole('button', { name: 'Log in' }).click()
  await title(page, 'Secrets').waitFor()

  const { code, output } = await runThv(toolhaven.home, ['ui', '--log-out'])
  expect(code, output).toBe(0)
  await title(page, 'Log in').waitFor()
  await page.reload()
  await title(page, 'Log in').waitFor()
})
