import AxeSource from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { launchBrowser } from '@toolhaven/testing/browser'
import { sample } from '@toolhaven/testing/rotation'
import { rotationInside } from '@toolhaven/testing/turns'
import type { RunningSite } from '../server/serve-site.ts'
import { DESKTOP, expectSeen, hydrated, MOBILE, openPage, startSite, type Watched } from './test-site.ts'

let browser: Browser
let site: RunningSite
let watched: Watched
let page: Page

/** One page for all tests: the dialog is made again each time it opens, and what it keeps is in the storage. */
beforeAll(async () => {
  browser = await launchBrowser()
  site = await startSite()
  watched = await openPage(browser, site)
  page = watched.page
  await visit()
})
afterAll(async () => {
  await browser?.close()
  await site?.[Symbol.asyncDispose]()
  expect(watched.complaints).toEqual([])
})

beforeEach(async () => {
  await page.evaluate(() => localStorage.clear())
  if (await isOpen()) await visit()
})

async function visit(): Promise<void> {
  await page.goto('/toolhaven/faq')
  await hydrated(page)
}

const dialog = () => page.getByRole('dialog', { name: 'Search the documentation' })
const input = () => dialog().getByRole('combobox')
const panel = () => dialog().locator('[data-panel]')
const options = () => dialog().getByRole('option')
const active = () => dialog().locator('[role="option"][aria-selected="true"]')

async function open(): Promise<void> {
  await page.keyboard.press('Control+k')
  await inputHasFocus()
}

/** Until then a reader's keys go to the page. */
async function inputHasFocus(): Promise<void> {
  await input().waitFor()
  await expect.poll(() => input().evaluate((element) => element === document.activeElement)).toBe(true)
}

async function search(query: string): Promise<void> {
  await open()
  await page.keyboard.insertText(query)
  await expectSeen(options().first())
  await settled()
}

async function close(): Promise<void> {
  for (let press = 0; (await isOpen()) && press < 3; press++) await page.keyboard.press('Escape')
  await closed()
}

const settled = () => page.waitForSelector('[role="dialog"][data-status="idle"]')
const isOpen = () => dialog().isVisible()
const closed = () => dialog().waitFor({ state: 'detached' })

describe('section 2, search modal', () => {
  it('opens with Ctrl+K, and with Cmd+K', async () => {
    await open()
    await page.keyboard.press('Control+k')
    await closed()
    await page.keyboard.press('Meta+k')
    await expectSeen(input())
    await close()
  })

  it('opens with "/" when focus is not in an input, select, textarea or editable element', async () => {
    await page.keyboard.press('/')
    await expectSeen(input())
    expect(await input().inputValue()).toBe('')
    await close()
  })

  it('section 5: the "/" shortcut is ignored while typing in an input, select, textarea or editable element', async () => {
    await page.evaluate(() => {
      document.body.insertAdjacentHTML(
        'afterbegin',
        '<input id=t1><select id=t2><option>a</select><textarea id=t3></textarea><div id=t4 contenteditable>x</div>',
      )
    })
    for (const id of ['t1', 't2', 't3', 't4']) {
      await page.locator(`#${id}`).focus()
      await page.keyboard.press('/')
      expect(await isOpen()).toBe(false)
    }
    expect(await page.locator('#t1').inputValue()).toBe('/')
    await page.locator('#t4').blur()
    await page.keyboard.press('/')
    await expectSeen(input())
    await close()
    await page.evaluate(() => ['t1', 't2', 't3', 't4'].forEach((id) => document.getElementById(id)?.remove()))
  })

  it('closes with Escape or a click on the backdrop', async () => {
    await open()
    await page.keyboard.press('Escape')
    await closed()
    await open()
    await page.mouse.click(5, 5)
    await closed()
  })

  it('contains a search box, a result list grouped by top-level section, and a footer with key hints', async () => {
    await search('network')
    const groups = await dialog().getByRole('listbox').all()
    expect(groups.length).toBeGreaterThan(1)
    const names = await Promise.all(groups.map(async (group) => (await group.getAttribute('aria-labelledby')) ?? ''))
    expect(await page.locator(`[id="${names[0]}"]`).innerText()).toBe('CLI guides')
    const hints = await dialog().locator('footer').innerText()
    for (const hint of ['to select', 'to navigate', 'to close']) expect(hints).toContain(hint)
    await expectSeen(dialog().locator('footer'))
    await close()
  })

  it('has a search button in the navbar that opens it, and gives focus back when it closes', async () => {
    const button = page.getByRole('button', { name: 'Search', exact: true })
    await button.click()
    await input().waitFor()
    await page.keyboard.press('Escape')
    await closed()
    expect(await button.evaluate((element) => element === document.activeElement)).toBe(true)
  })

  it('is fetched when it is first opened, not before', async () => {
    await visit()
    const scripts: string[] = []
    page.on('request', (request) => request.resourceType() === 'script' && scripts.push(request.url()))
    await open()
    expect(scripts.length).toBeGreaterThan(0)
    await close()
  })

  it('keeps focus inside, and the page behind it out of reach', async () => {
    await search('network')
    for (let press = 0; press < 8; press++) {
      await page.keyboard.press('Tab')
      expect(await dialog().evaluate((element) => element.contains(document.activeElement))).toBe(true)
    }
    expect(await page.locator('#__docusaurus').getAttribute('inert')).not.toBeNull()
    await page.keyboard.press('Control+k')
    await closed()
  })
})

describe('section 3', () => {
  it('search hit: objectID, url, type, content, hierarchy, highlight and snippet results', async () => {
    await open()
    const answer = page.waitForResponse((response) => response.url().includes('/1/indexes/'))
    await page.keyboard.insertText('isolat')
    const { results } = await (await answer).json()
    expect(Object.keys(results[0].hits[0]).toSorted()).toEqual([
      '_highlightResult',
      '_snippetResult',
      'content',
      'hierarchy',
      'objectID',
      'type',
      'url',
    ])
    expect(Object.keys(results[0].hits[0].hierarchy)).toEqual(['lvl0', 'lvl1', 'lvl2', 'lvl3', 'lvl4', 'lvl5', 'lvl6'])
    await close()
  })

  it('saved searches: recent and favourite, without highlight or snippet data, keys with the index name', async () => {
    await search('network isolation')
    await page.keyboard.press('Enter')
    await closed()
    const stored = (kind: string) =>
      page.evaluate(
        (key) => JSON.parse(localStorage.getItem(key) ?? '[]'),
        `__DOCSEARCH_${kind}_SEARCHES__toolhaven-docs`,
      )
    const [recent] = await stored('RECENT')
    expect(Object.keys(recent).toSorted()).toEqual(['content', 'hierarchy', 'objectID', 'type', 'url'])
    await open()
    await dialog()
      .getByRole('button', { name: /^Save / })
      .click()
    expect(await stored('FAVORITE')).toEqual([recent])
    expect(await stored('RECENT')).toEqual([])
    await dialog()
      .getByRole('button', { name: /^Remove / })
      .click()
    await dialog().getByText('No recent searches').waitFor()
    expect(await stored('FAVORITE')).toEqual([])
    await close()
  })
})

describe('section 4, search', () => {
  it('the panel opens on focus, and typing a query starts a search', async () => {
    await open()
    await expectSeen(panel())
    await page.keyboard.insertText('registry')
    await expectSeen(options().first())
    await close()
  })

  it('the active result starts at the first; arrow down and arrow up move it', async () => {
    await search('network')
    const all = await options().count()
    const place = () =>
      options().evaluateAll((elements) => elements.findIndex((element) => element.ariaSelected === 'true'))
    expect(await place()).toBe(0)
    const ground = (at: number) =>
      options()
        .nth(at)
        .evaluate((element) => getComputedStyle(element).backgroundColor)
    await expect.poll(() => ground(0)).not.toBe(await ground(2))
    await page.keyboard.press('ArrowDown')
    expect(await place()).toBe(1)
    expect(await input().getAttribute('aria-activedescendant')).toBe(await active().getAttribute('id'))
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowUp')
    expect(await place()).toBe(all - 1)
    // The last one is far down the list, which is scrolled to it.
    await expectSeen(active())
    await close()
  })

  it('Escape closes the panel, and the modal with it', async () => {
    await search('network')
    await page.keyboard.press('Escape')
    await closed()
  })

  it('Tab closes the panel; Escape then clears the query and results; a further Escape closes the modal', async () => {
    await search('network')
    await page.keyboard.press('Tab')
    await panel().waitFor({ state: 'detached' })
    expect(await isOpen()).toBe(true)
    expect(await input().inputValue()).toBe('network')
    await page.keyboard.press('Escape')
    expect(await input().inputValue()).toBe('')
    expect(await options().count()).toBe(0)
    expect(await isOpen()).toBe(true)
    await page.keyboard.press('Escape')
    await closed()
  })

  it('Enter opens the active result', async () => {
    await search('network isolation')
    const address = await active().getAttribute('href')
    await page.keyboard.press('Enter')
    await closed()
    await page.waitForURL((url) => url.pathname + url.hash === address)
  })

  it('Enter with Ctrl or Cmd opens it in a new tab, with Shift in a new window, and the search stays', async () => {
    await using windowed = await launchBrowser({ windows: true })
    const { page: shared, watched: ofAll } = { page, watched }
    onTestFinished(() => {
      page = shared
      watched = ofAll
    })
    watched = await openPage(windowed, site)
    page = watched.page
    await visit()
    await search('network isolation')
    const address = await active().getAttribute('href')
    for (const keys of ['Control+Enter', 'Meta+Enter', 'Shift+Enter']) {
      const opening = watched.context.waitForEvent('page')
      await page.keyboard.press(keys)
      const opened = await opening
      await opened.waitForURL((url) => url.pathname === address)
      const ids = await Promise.all([page, opened].map(windowOf))
      expect(ids[0] === ids[1]).toBe(keys !== 'Shift+Enter')
      await opened.close()
      expect(await isOpen()).toBe(true)
    }
    expect(watched.complaints).toEqual([])
  })

  it('Enter with Alt alone does nothing', async () => {
    const before = page.url()
    await search('network isolation')
    await page.keyboard.press('Alt+Enter')
    await expectSeen(panel())
    expect(page.url()).toBe(before)
    expect(watched.context.pages()).toHaveLength(1)
    await close()
  })

  it('with no active result, Enter does nothing', async () => {
    const before = page.url()
    await open()
    await page.keyboard.insertText('zzzzqqq')
    await expectSeen(dialog().getByText('No results for'))
    await page.keyboard.press('Enter')
    await expectSeen(panel())
    expect(page.url()).toBe(before)
    await close()
  })

  it('submitting closes the panel', async () => {
    await search('network')
    await dialog().getByRole('button', { name: 'Submit the query' }).click()
    await panel().waitFor({ state: 'detached' })
    expect(await isOpen()).toBe(true)
    await close()
  })

  it('reset clears the query and refocuses the input', async () => {
    await search('network')
    await dialog().getByRole('button', { name: 'Clear the query' }).click()
    expect(await input().inputValue()).toBe('')
    expect(await input().evaluate((element) => element === document.activeElement)).toBe(true)
    // The start screen, with what earlier tests opened or without.
    await expectSeen(dialog().getByText(/^(?:No recent searches|Recent)$/))
    await close()
  })
})

/** Tab closes the panel, so what else stands in it is reached with the arrow keys. */
describe('what the panel holds besides results, with the keyboard alone', () => {
  const stored = (kind: string): Promise<unknown[]> =>
    page.evaluate(
      (key) => JSON.parse(localStorage.getItem(key) ?? '[]'),
      `__DOCSEARCH_${kind}_SEARCHES__toolhaven-docs`,
    )
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '')

  it('a saved search is kept as a favourite, and removed', async () => {
    await search('network isolation')
    await page.keyboard.press('Enter')
    await closed()
    await open()
    await options().first().waitFor()
    expect(await dialog().locator('footer').innerText()).toContain('to save or remove')
    await page.keyboard.press('ArrowRight')
    expect(await focused()).toMatch(/^Save /)
    await page.keyboard.press('ArrowRight')
    expect(await focused()).toMatch(/^Remove /)
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('Enter')
    await dialog().getByRole('listbox', { name: 'Favorite' }).waitFor()
    expect([await stored('RECENT'), await stored('FAVORITE')]).toEqual([[], [expect.anything()]])
    // Back in the input, where the next keys go on.
    expect(await focused()).toBe('Search')
    await page.keyboard.press('ArrowRight')
    expect(await focused()).toMatch(/^Remove /)
    await page.keyboard.press('ArrowLeft')
    expect(await focused()).toBe('Search')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Enter')
    await dialog().getByText('No recent searches').waitFor()
    expect(await stored('FAVORITE')).toEqual([])
    await page.keyboard.press('Escape')
    await closed()
  })

  it('a suggestion is taken where nothing was found', async () => {
    await open()
    await page.keyboard.insertText('zzzzqqq')
    await expectSeen(dialog().getByText('Try searching for:'))
    const [, second] = await panel().getByRole('button').allInnerTexts()
    for (const key of ['ArrowDown', 'ArrowDown', 'Enter']) await page.keyboard.press(key)
    await options().first().waitFor()
    expect(await input().inputValue()).toBe(second)
    expect(await focused()).toBe('Search')
    await close()
  })
})

describe('section 5', () => {
  it('the search input accepts at most 64 characters', async () => {
    await open()
    const asked = page.waitForRequest((request) => (request.postData() ?? '').includes(`"${'x'.repeat(64)}"`))
    await page.keyboard.insertText('x'.repeat(70))
    expect(await input().inputValue()).toBe('x'.repeat(64))
    await asked
    await close()
  })
})

describe('operations of the API', () => {
  const heading = (text: string) => page.locator('.redoc-wrap').getByRole('heading', { name: text })
  const isInView = async (text: string) => {
    const { y } = (await heading(text).first().boundingBox()) ?? { y: NaN }
    return y > -20 && y < 450
  }

  it('are found, and shown in the viewer, whether it is open already or not', async () => {
    for (const text of ['Restart a workload', 'Unregister several clients']) {
      await search(text)
      expect(await active().innerText()).toContain(text)
      await page.keyboard.press('Enter')
      await closed()
      await page.waitForURL('**/toolhaven/reference/api#tag/*/operation/*')
      await expect.poll(() => isInView(text), { timeout: 60_000 }).toBe(true)
    }
    await visit()
  })
})

describe('section 8', () => {
  it('start screen with nothing saved: "No recent searches"', async () => {
    await open()
    expect((await panel().innerText()).trim()).toBe('No recent searches')
    await close()
  })

  it('no results: the query, and up to 3 section names that prefill the query', async () => {
    await open()
    await page.keyboard.insertText('zzzzqqq')
    await expectSeen(dialog().getByText('No results for "zzzzqqq"'))
    await expectSeen(dialog().getByText('Try searching for:'))
    const names = panel().getByRole('button')
    expect(await names.count()).toBe(3)
    const name = await names.first().innerText()
    await names.first().click()
    await options().first().waitFor()
    expect(await input().inputValue()).toBe(name)
    expect(await dialog().getByText('Let us know.').count()).toBe(0)
    await close()
  })
})

const LOOKS = [
  { size: 1280, colorScheme: 'light', viewport: DESKTOP },
  { size: 1280, colorScheme: 'dark', viewport: DESKTOP },
  { size: 390, colorScheme: 'light', viewport: MOBILE },
  { size: 390, colorScheme: 'dark', viewport: MOBILE },
] as const

describe('looks and access', () => {
  it.each(sample(LOOKS, 1, rotationInside(import.meta.url)))(
    'has no axe violation at $size in $colorScheme mode',
    async ({ viewport, colorScheme }) => {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize(viewport)
      await page.keyboard.press('/')
      await expectSeen(input())
      for (const query of ['', 'network', 'zzzzqqq']) {
        await input().fill(query)
        await settled()
        expect(await violations()).toEqual([])
      }
      await input().fill('secret')
      await options().first().waitFor()
      await page.keyboard.press('Enter')
      await closed()
      await page.keyboard.press('Control+k')
      await dialog()
        .getByRole('button', { name: /^Save / })
        .waitFor()
      expect(await violations()).toEqual([])
      await close()
    },
  )

  it('section 9: the narrow layout, which fills the screen, goes up to 768 px', async () => {
    await open()
    for (const viewport of [MOBILE, { width: 768, height: 900 }]) {
      await page.setViewportSize(viewport)
      await expect.poll(() => dialog().boundingBox()).toEqual({ x: 0, y: 0, ...viewport })
      await expectSeen(input())
    }
    await page.setViewportSize({ width: 769, height: 900 })
    await expect.poll(async () => (await dialog().boundingBox())?.width).toBeLessThan(769)
    await close()
    await page.setViewportSize(DESKTOP)
  })
})

async function violations(): Promise<string[]> {
  // Through the debugger, which the content security policy of the page does not bind.
  await page.evaluate(AxeSource.source)
  return page.evaluate(async () => {
    const { violations } = await Reflect.get(window, 'axe').run(document.querySelector('[role="dialog"]'))
    return violations.map(({ id, nodes }: { id: string; nodes: Array<{ html: string }> }) => `${id}: ${nodes[0]?.html}`)
  })
}

async function windowOf(target: Page): Promise<number> {
  const session = await target.context().newCDPSession(target)
  const { windowId } = await session.send('Browser.getWindowForTarget')
  return windowId
}
