import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { launchBrowser } from '@toolhaven/testing/browser'
import type { RunningSite } from '../server/serve-site.ts'
import { failing, fakeHits, found, type SearchHost, silent, startSearchHost } from './test-search-host.ts'
import { expectSeen, startFixture } from './test-site.ts'

let a: SearchHost
let b: SearchHost
let browser: Browser
let site: RunningSite
let context: BrowserContext
let page: Page

/** The fixture site asks search-a.test and search-b.test; the browser is told that they are our hosts on loopback. */
beforeAll(async () => {
  a = await startSearchHost()
  b = await startSearchHost()
  site = await startFixture('other')
  const rules = [
    `MAP search-a.test 127.0.0.1:${a.port}`,
    `MAP search-b.test 127.0.0.1:${b.port}`,
    'MAP www.googletagmanager.com ~NOTFOUND',
  ]
  browser = await launchBrowser({ args: [`--host-resolver-rules=${rules.join(', ')}`] })
})
afterAll(async () => {
  await browser?.close()
  for (const each of [site, a, b]) await each?.[Symbol.asyncDispose]()
})

beforeEach(async () => {
  a.seen.length = 0
  b.seen.length = 0
  a.answer = found(fakeHits(3))
  b.answer = found(fakeHits(2))
  await visit({ width: 1280, height: 900 })
})
afterEach(() => context.close())

async function visit(viewport: { width: number; height: number }): Promise<void> {
  await context?.close()
  context = await browser.newContext({ viewport, baseURL: site.url })
  page = await context.newPage()
  await page.goto('/first')
  await page.waitForSelector('html[data-has-hydrated="true"]')
}

const dialog = () => page.getByRole('dialog')
const options = () => dialog().getByRole('option')
const has = (text: string) => expectSeen(dialog().getByText(text))
const status = (name: string) => page.waitForSelector(`[role="dialog"][data-status="${name}"]`)
const queries = (host: SearchHost) => host.seen.filter(({ url }) => url.pathname.endsWith('/queries'))
const requestOf = (host: SearchHost) => JSON.parse(queries(host).at(-1)?.body ?? '{}').requests[0]

async function open(): Promise<void> {
  await page.keyboard.press('Control+k')
  const input = dialog().getByRole('combobox')
  await input.waitFor()
  // Until then a reader's keys go to the page.
  await expect.poll(() => input.evaluate((element) => element === document.activeElement)).toBe(true)
}

async function search(query: string): Promise<void> {
  await open()
  await page.keyboard.insertText(query)
}

async function searchFound(query: string): Promise<void> {
  await search(query)
  await options().first().waitFor()
  await status('idle')
}

describe('section 4, search', () => {
  it('the status is idle, loading, stalled or error; stalled after 300 ms without an answer', async () => {
    a.answer = silent
    await open()
    await page.clock.install({ time: '2026-01-01T00:00:00Z' })
    await page.clock.pauseAt('2026-01-01T00:01:00Z')
    await page.keyboard.insertText('x')
    await status('loading')
    await page.clock.runFor(280)
    expect(await dialog().getAttribute('data-status')).toBe('loading')
    await page.clock.runFor(40)
    await status('stalled')
    await page.clock.resume()
    await options().first().waitFor()
    await status('idle')
  })

  it('a failure after all retries sets status error, which stays until the query changes', async () => {
    a.answer = failing(500)
    b.answer = failing(500)
    await search('x')
    await status('error')
    a.answer = found(fakeHits(1))
    await page.keyboard.type('y')
    await options().first().waitFor()
    await status('idle')
  })

  it('a failed host is not asked again while the next one answers', async () => {
    a.answer = failing(503)
    await searchFound('one')
    await page.keyboard.insertText(' two')
    await expect.poll(() => queries(b).length, { timeout: 30_000 }).toBe(2)
    expect(queries(a)).toHaveLength(1)
  })
})

describe('section 7, documentation search', () => {
  it('POST /1/indexes/*/queries, id and key in the query string, text/plain, and every parameter', async () => {
    await searchFound('network')
    const [request] = queries(a)
    expect(request).toMatchObject({ method: 'POST', type: 'text/plain' })
    expect(request?.url.pathname).toBe('/1/indexes/*/queries')
    expect(request?.url.searchParams.get('x-algolia-application-id')).toBe('FIXTUREID')
    expect(request?.url.searchParams.get('x-algolia-api-key')).toBe('fixture-key')
    const levels = [1, 2, 3, 4, 5, 6].map((level) => `hierarchy.lvl${level}`)
    expect(requestOf(a)).toEqual({
      query: 'network',
      indexName: 'fixture',
      attributesToRetrieve: ['hierarchy.lvl0', ...levels, 'content', 'type', 'url'],
      attributesToSnippet: [...levels, 'content'].map((name) => `${name}:10`),
      snippetEllipsisText: '…',
      highlightPreTag: '<mark>',
      highlightPostTag: '</mark>',
      hitsPerPage: 20,
      clickAnalytics: true,
      facetFilters: ['language:en', ['docusaurus_tag:default', 'docusaurus_tag:docs-default-current']],
    })
  })

  it('section 9: snippets have 10 words, 5 below 768 px', async () => {
    for (const [width, words] of [
      [768, 5],
      [769, 10],
    ] as const) {
      await visit({ width, height: 800 })
      await searchFound('network')
      expect(requestOf(a).attributesToSnippet).toContain(`content:${words}`)
    }
  })

  it('the answer is used from results[0]: hits and nbHits', async () => {
    a.answer = found(fakeHits(4), { nbHits: 321 })
    await searchFound('x')
    expect(await options().count()).toBe(4)
    await has('See all 321 results')
  })

  it('section 9: view events are batched at 20 items, debounced by 400 ms, with the queryID', async () => {
    const sections = ['A', 'B', 'C', 'D', 'E']
    a.answer = found(fakeHits(20, sections))
    await searchFound('one')
    await page.keyboard.insertText(' two')
    const events = () =>
      a.seen.filter(({ url }) => url.pathname === '/1/events').map(({ body }) => JSON.parse(body).events[0])
    await expect.poll(() => events().flatMap(({ objectIDs }) => objectIDs).length, { timeout: 30_000 }).toBe(40)
    expect(events().map(({ objectIDs }) => objectIDs.length)).toEqual([20, 20])
    expect(events()[0]).toMatchObject({ eventType: 'view', index: 'fixture', queryID: 'query-1' })
  })
})

describe('section 8', () => {
  for (const [name, answer] of [
    ['hosts that fail', failing(500)],
    ['hosts that are cut off', (response) => void response.destroy()],
    ['a refused key', failing(403)],
    ['an answer that is not JSON', (response) => void response.end('<html>')],
  ] satisfies Array<[string, SearchHost['answer']]>) {
    it(`search failure with ${name}: "Unable to fetch results"`, async () => {
      a.answer = answer
      b.answer = answer
      await search('network')
      await has('Unable to fetch results')
      await has('You might want to check your network connection.')
      expect(await options().count()).toBe(0)
    })
  }

  it('no results: "Believe this query should return results?" with the link "Let us know." when configured', async () => {
    a.answer = found([])
    await search('a b')
    await has('Believe this query should return results?')
    const link = dialog().getByRole('link', { name: 'Let us know.' })
    await expectSeen(link)
    expect(await link.getAttribute('href')).toBe('https://example.com/missing?query=a%20b')
  })
})

describe('section 9', () => {
  it('hits per page 20, hits per group 5 by default', async () => {
    a.answer = found(fakeHits(20, ['Guides', 'Reference']))
    await searchFound('x')
    expect(requestOf(a).hitsPerPage).toBe(20)
    const groups = await dialog().getByRole('listbox').all()
    expect(await Promise.all(groups.map((group) => group.getByRole('option').count()))).toEqual([5, 5])
  })

  it('recent searches kept: 7, newest first, 4 when favourites exist; favourites kept: 10', async () => {
    a.answer = found(fakeHits(15, ['A', 'B', 'C']))
    const stored = (kind: string): Promise<string[]> =>
      page.evaluate(
        (key) => JSON.parse(localStorage.getItem(key) ?? '[]').map(({ objectID }: { objectID: string }) => objectID),
        `__DOCSEARCH_${kind}_SEARCHES__fixture`,
      )
    const pick = async (at: number) => {
      await searchFound('x')
      await dialog()
        .getByRole('option', { name: `Title ${at}`, exact: true })
        .click()
      await dialog().waitFor({ state: 'detached' })
    }
    for (let at = 1; at <= 9; at++) await pick(at)
    expect(await stored('RECENT')).toEqual([9, 8, 7, 6, 5, 4, 3].map((at) => `hit-${at}`))
    await open()
    await dialog()
      .getByRole('button', { name: /^Save / })
      .first()
      .click()
    await dialog().getByRole('listbox', { name: 'Favorite' }).waitFor()
    expect(await stored('RECENT')).toEqual([8, 7, 6, 5].map((at) => `hit-${at}`))
    expect(await stored('FAVORITE')).toEqual(['hit-9'])
    await page.keyboard.press('Escape')
    for (const at of [1, 2, 3, 4, 5, 6, 7, 8, 10, 11]) {
      await pick(at)
      await open()
      await dialog()
        .getByRole('button', { name: `Save Title ${at}`, exact: true })
        .click()
      await dialog()
        .getByRole('button', { name: `Save Title ${at}`, exact: true })
        .waitFor({ state: 'detached' })
      await page.keyboard.press('Escape')
    }
    expect(await stored('FAVORITE')).toEqual([11, 10, 8, 7, 6, 5, 4, 3, 2, 1].map((at) => `hit-${at}`))
  })
})

it('shows what a host answers as text, whatever it is', async () => {
  const [hit] = fakeHits(1)
  const value = '<img src=x onerror="document.title=1"><mark>a & b</mark> &lt;b&gt;'
  a.answer = found([{ ...hit!, _snippetResult: { hierarchy: { lvl1: { value } } } }])
  await searchFound('x')
  expect(await options().first().innerText()).toContain('<img src=x onerror="document.title=1">a & b <b>')
  expect(await options().locator('img').count()).toBe(0)
})
