import type { BrowserContext, Page } from 'playwright-core'
import { launchUserBrowser } from '@toolhaven/testing/browser'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startConsole, type TestConsole } from './test-console.ts'

let toolhaven: TestConsole
beforeAll(async () => {
  toolhaven = await startConsole()
})
afterAll(() => toolhaven?.[Symbol.asyncDispose]())

test('the console can be installed as an app, which opens at Home', async () => {
  const { baseUrl } = toolhaven.daemon()
  await using browser = await launchUserBrowser()
  const page = await browser.context.newPage()
  await page.goto(`${baseUrl}/servers`)
  const session = await browser.context.newCDPSession(page)
  const { installabilityErrors: reasons } = await session.send('Page.getInstallabilityErrors')
  expect(reasons).toEqual([])
  const { url, errors, data = '{}' } = await session.send('Page.getAppManifest')
  expect(errors).toEqual([])
  expect(url).toBe(`${baseUrl}/console.webmanifest`)
  const { name, id, start_url, scope, display, icons }: Record<string, unknown> & { icons: { src: string }[] } =
    JSON.parse(data)
  expect({ name, id, start_url, scope, display }).toEqual({
    ...{ name: 'Toolhaven', id: '/', start_url: '/', scope: '/', display: 'standalone' },
  })
  for (const { src } of icons) {
    const width = await page.evaluate(async (address) => {
      const image = new Image()
      image.src = address
      await image.decode()
      return image.naturalWidth
    }, src)
    expect(width, src).toBeGreaterThan(0)
  }
  const window = await install(browser.context, `${baseUrl}/`)
  await window.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
})

/** As with the button in the address bar. Answers with the page in the window of the installed app. */
async function install(context: BrowserContext, manifestId: string): Promise<Page> {
  const session = await context.browser()?.newBrowserCDPSession()
  await session?.send('PWA.install', { manifestId, installUrlOrBundleUrl: manifestId })
  const [window] = await Promise.all([context.waitForEvent('page'), session?.send('PWA.launch', { manifestId })])
  return window
}
