import type { Page } from 'playwright-core'
import { startIdentityProvider } from '@toolhaven/testing/testbed/identity-provider'
import { startLoginProvider } from '@toolhaven/testing/testbed/login-provider'
import { startProtectedServer } from '@toolhaven/testing/testbed/protected-server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { untilStatus } from '../../../e2e/src/statuses.ts'
import { expectAccessible } from './test-accessible.ts'
import { FIXTURE, startConsole, type TestConsole } from './test-console.ts'

let toolhaven: TestConsole
beforeAll(async () => {
  toolhaven = await startConsole()
})
afterAll(async () => {
  await toolhaven?.[Symbol.asyncDispose]()
})

const AUDIENCE = 'https://guarded.example'
const callEcho = async (page: Page, text: string) => {
  await page.getByRole('link', { name: 'echo', exact: true }).click()
  await page.getByLabel('Raw JSON').fill(JSON.stringify({ text }))
  await page.getByRole('button', { name: 'Call', exact: true }).click()
}

test('a server that asks who calls asks that of Try too, until a token it trusts is pasted', async () => {
  await using provider = await startIdentityProvider()
  const oidc = { issuer: provider.issuer, audience: AUDIENCE, allow_private_ip: true }
  await toolhaven.daemon().api.call('createWorkload', { body: { name: 'guarded', image: FIXTURE, oidc } })
  await untilStatus(toolhaven.daemon(), 'guarded', 'running')
  const page = await toolhaven.open('/servers/guarded/try')
  const form = page.getByRole('form', { name: 'Token' })
  await form.getByText(/^guarded asks who calls/).waitFor()
  await expectAccessible(page)
  const paste = async (token: string) => {
    await form.getByLabel('Access token').fill(token)
    await form.getByRole('button', { name: 'Use this token' }).click()
  }
  await paste(await provider.token({ audience: 'https://another.example' }))
  await form.getByLabel('Access token').waitFor()
  expect(await page.getByRole('link', { name: 'echo', exact: true }).count()).toBe(0)
  await paste(await provider.token({ audience: AUDIENCE }))
  await callEcho(page, 'let in')
  await page.getByText('let in').last().waitFor()
  expect(await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }))).not.toContain('eyJ')
  await page.reload()
  await form.getByText(/^guarded asks who calls/).waitFor()
})

test('a remote server that needs a login is used once the button has carried it through', async () => {
  await using provider = await startLoginProvider()
  await using server = await startProtectedServer(provider)
  await toolhaven.daemon().api.call('createWorkload', { body: { name: 'far', url: server.url, accept_network: true } })
  const page = await toolhaven.open('/servers/far')
  const reason = page.getByRole('region', { name: 'Reason' })
  const login = reason.getByRole('link', { name: /^Log in/ })
  await login.waitFor()
  await expectAccessible(page)
  const opened = page.context().waitForEvent('page')
  await login.click()
  const tab = await opened
  await tab.getByText('You are logged in').waitFor()
  expect(await tab.evaluate(() => document.referrer)).toBe('')
  await page.getByRole('heading', { name: 'far running' }).waitFor()
  await reason.waitFor({ state: 'detached' })
  await page.getByRole('navigation', { name: 'Pages of far' }).getByRole('link', { name: 'Try' }).click()
  await callEcho(page, 'from far away')
  await page.getByText('from far away').last().waitFor()
})
