import type { Browser, Page } from 'playwright-core'
import { launchBrowser } from '@toolhaven/testing/browser'
import { sample } from '@toolhaven/testing/rotation'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startScene } from './scripted/scene.ts'
import type { ScriptedDaemon } from './scripted/scripted-daemon.ts'
import { SCREENS } from './scripted/screens.ts'
import { expectAccessible, expectNoSidewaysScroll } from './test-accessible.ts'
import { PHONE, WIDE } from './test-console.ts'

let scene: ScriptedDaemon
let browser: Browser
beforeAll(async () => {
  scene = await startScene()
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  await scene?.[Symbol.asyncDispose]()
})

const LOOKS = [
  { look: 'wide and light', viewport: WIDE, colorScheme: 'light' },
  { look: 'wide and dark', viewport: WIDE, colorScheme: 'dark' },
  { look: 'narrow and light', viewport: PHONE, colorScheme: 'light' },
  { look: 'narrow and dark', viewport: PHONE, colorScheme: 'dark' },
  // 200 % of a window of 1280 px, and nothing may move on its own.
  { look: 'at 200 %', viewport: { width: 640, height: 450 }, colorScheme: 'light', deviceScaleFactor: 2 },
  { look: 'without motion', viewport: WIDE, colorScheme: 'dark', reducedMotion: 'reduce' },
] as const

async function open({ look: _, ...options }: (typeof LOOKS)[number], screen: (typeof SCREENS)[number]): Promise<Page> {
  const context = await browser.newContext(options)
  const page = await context.newPage()
  await page.goto(scene.url + screen.route)
  await page.getByRole('heading', { level: 1, name: screen.title }).waitFor()
  // Everything that it asks the daemon for has come.
  await page.getByText(/^Asking /).waitFor({ state: 'detached' })
  return page
}

describe.each(LOOKS)('$look', (look) => {
  const offset = LOOKS.indexOf(look) * 5
  const screens = [...SCREENS.slice(offset), ...SCREENS.slice(0, offset)]
  test.each(sample(screens, 3))('$name is accessible and fits', async (screen) => {
    const page = await open(look, screen)
    await expectAccessible(page)
    await expectNoSidewaysScroll(page)
    // Nothing moves on a page that nobody touches, whatever a person asked for.
    expect(await movingParts(page)).toEqual([])
    await page.context().close()
  })
})

/** Animations that go on. */
function movingParts(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    document.getAnimations().flatMap((each) => (each.playState === 'running' ? [String(each.id)] : [])),
  )
}
