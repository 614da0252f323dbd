import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { launchBrowser } from '@toolhaven/testing/browser'
import type { RunningSite } from '../server/serve-site.ts'
import { MOBILE, SharedPages, expectSeen, openPage, startFixture, startSite } from './test-site.ts'

let browser: Browser
let site: RunningSite
let pages: SharedPages

beforeAll(async () => {
  ;[browser, site] = await Promise.all([launchBrowser(), startSite()])
  pages = new SharedPages(browser, site)
})
afterAll(async () => {
  await browser?.close()
  await site?.[Symbol.asyncDispose]()
})

const GUIDE = '/toolhaven/guides-cli/run-mcp-servers'
const commandOf = (page: Page, text: string) => page.locator('.language-bash').filter({ hasText: text }).first()

describe('a command', () => {
  test('is copied with a finger, without what it prints', async () => {
    const { page, context } = await openPage(browser, site, { viewport: MOBILE, hasTouch: true })
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.goto(GUIDE)
    const command = commandOf(page, 'thv run memory')
    await command.scrollIntoViewIfNeeded()
    const copy = command.getByRole('button', { name: 'Copy code to clipboard' })
    await expectSeen(copy)
    await copy.tap()
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe('thv run memory')
    await context.close()
  })

  test('does not look like what it prints', async () => {
    const page = await pages.visit(GUIDE)
    const output = page.locator('.language-text').filter({ hasText: 'memory is running' }).first()
    const groundOf = (block: typeof output) => block.evaluate((element) => getComputedStyle(element).backgroundColor)
    expect(await groundOf(output)).not.toBe(await groundOf(commandOf(page, 'thv run memory')))
    expect(await output.getByRole('button').count()).toBe(0)
  })

  test('has no word in the colour of a builtin only because it is the name of one', async () => {
    const page = await pages.visit('/toolhaven/reference/cli/thv_run')
    const colours = await commandOf(page, 'thv run time').evaluate((block) => {
      const colourOf = (word: string) => {
        const walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT)
        while (walker.nextNode()) {
          const { textContent, parentElement } = walker.currentNode
          if (parentElement !== null && textContent?.includes(word)) return getComputedStyle(parentElement).color
        }
        return undefined
      }
      return { program: colourOf('thv'), verb: colourOf('run'), server: colourOf('time') }
    })
    expect(colours.server).toBe(colours.verb)
    expect(colours.program).not.toBe(colours.verb)
  })
})

test.each(['/toolhaven/reference/registry-schema', '/toolhaven/reference/cli/thv_run'])(
  'the tables of %s are read on a phone without scrolling sideways',
  async (route) => {
    const page = await pages.visit(route, { viewport: MOBILE })
    const hidden = await page
      .locator('.markdown table')
      .evaluateAll((tables) =>
        tables
          .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
          .map(({ textContent }) => textContent),
      )
    expect(hidden).toEqual([])
  },
)

test('the API is read at 1280 px, with samples for a terminal and for a program', async () => {
  const page = await pages.visit('/toolhaven/reference/api')
  const operation = page.locator('.redoc-wrap [id="tag/workloads/operation/createWorkload"]')
  await operation.waitFor()
  expect((await operation.boundingBox())?.width).toBeGreaterThan(720)
  const sample = operation.getByRole('tabpanel').filter({ visible: true }).first()
  for (const [language, line] of [
    ['curl', 'curl http://localhost:8080/api/v1beta/workloads'],
    ['TypeScript', "fetch('http://localhost:8080/api/v1beta/workloads'"],
  ] as const) {
    await operation.getByRole('tab', { name: language }).click()
    await expect.poll(() => sample.innerText()).toContain(line)
    await sample.scrollIntoViewIfNeeded()
    await expectSeen(sample)
  }
})

test('a reader says whether a page helped, the browser remembers it, and an address for more is offered where there is one', async () => {
  await using other = await startFixture('other')
  const { page, context } = await openPage(browser, other)
  await page.goto('/first')
  const question = page.getByRole('group', { name: 'Was this page helpful?' })
  await question.getByRole('button', { name: 'No' }).click()
  const more = question.getByRole('link', { name: 'Tell us more' })
  await more.scrollIntoViewIfNeeded()
  await expectSeen(more)
  expect(await more.getAttribute('href')).toBe('https://example.com/feedback?page=%2Ffirst&answer=no')
  const edit = page.getByRole('link', { name: 'Edit this page' })
  await edit.scrollIntoViewIfNeeded()
  await expectSeen(edit)
  expect(await edit.getAttribute('href')).toBe('https://example.com/edit/main/apps/website/docs/first.md')
  await page.reload()
  await expect.poll(() => question.getByRole('button', { name: 'No' }).getAttribute('aria-pressed')).toBe('true')
  await context.close()
})

test('a link to a page shows the card of its part of the site, where the site knows its address', async () => {
  await using other = await startFixture('other')
  const cardsOf = async (from: RunningSite, route: string) => {
    const html = await (await fetch(new URL(route, from.url))).text()
    return [...html.matchAll(/<meta[^>]*?property="?og:image"?[^>]*>/g)].map(
      ([tag]) => /content="?([^"\s>]+)/.exec(tag)?.[1] ?? '',
    )
  }
  const [third, first, home] = await Promise.all(['/third', '/first', '/'].map((route) => cardsOf(other, route)))
  expect(third).toHaveLength(1)
  expect(first).toEqual(home)
  expect(third).not.toEqual(first)
  for (const address of [third?.[0] ?? '', first?.[0] ?? '']) {
    expect(address).toMatch(/^https:\/\/docs\.example\.com\/social\//)
    const picture = await fetch(new URL(new URL(address).pathname, other.url))
    expect(picture.headers.get('content-type')).toBe('image/png')
    // The size that the great networks show whole; PNG has it at a fixed place.
    const bytes = new DataView(await picture.arrayBuffer())
    expect([bytes.getUint32(16), bytes.getUint32(20)]).toEqual([1200, 630])
  }
  expect(await cardsOf(site, GUIDE)).toEqual([])
})

test('without addresses a page offers neither', async () => {
  const page = await pages.visit(GUIDE)
  const yes = page.getByRole('group', { name: 'Was this page helpful?' }).getByRole('button', { name: 'Yes' })
  await yes.scrollIntoViewIfNeeded()
  await expectSeen(yes)
  expect(await page.getByRole('link', { name: /Edit this page|Tell us more/ }).count()).toBe(0)
})

test('the home page plays a run that the quickstart shows, and remembers the client of the reader', async () => {
  const { page, context } = await openPage(browser, site)
  await page.goto('/')
  const terminal = page.getByRole('figure', { name: 'A recorded run in a terminal' })
  await terminal.getByRole('button', { name: 'Show all' }).click()
  await expectSeen(terminal.getByText('get_current_time').first())
  await page.getByRole('tab', { name: 'Claude Code' }).click()
  await page.reload()
  await expectSeen(page.getByText('npx thv client register claude-code'))
  await context.close()
})
