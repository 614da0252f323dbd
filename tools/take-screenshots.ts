import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { launchBrowser } from '@toolhaven/testing/browser'
import { startScene } from '../apps/console/tests/scripted/scene.ts'
import { PICTURES, type Picture } from '../apps/console/tests/scripted/pictures.ts'
import { buildConsole, isConsoleFresh } from './console-build.ts'

// `npm run screenshots`: the pictures of the console in the documentation, from a daemon whose every word is scripted.

type Browser = Awaited<ReturnType<typeof launchBrowser>>
type Page = Awaited<ReturnType<Browser['newPage']>>

const SIZE = { width: 1080, height: 720 }
const MODES = ['light', 'dark'] as const
const folder = path.resolve(import.meta.dirname, '../apps/website/static/screenshots')

if (!isConsoleFresh()) await buildConsole()
await mkdir(folder, { recursive: true })
await using scene = await startScene()
const browser = await launchBrowser()
try {
  for (const picture of PICTURES)
    for (const mode of MODES) {
      await writeFile(path.join(folder, `${picture.name}-${mode}.webp`), await take(browser, picture, mode))
      console.log(`${picture.name}, ${mode}`)
    }
} finally {
  await browser.close()
}

async function take(on: Browser, picture: Picture, colorScheme: (typeof MODES)[number]): Promise<Buffer> {
  const context = await on.newContext({
    ...{ viewport: SIZE, colorScheme, timezoneId: 'UTC', locale: 'en-US', reducedMotion: 'reduce' },
  })
  const page = await context.newPage()
  await page.clock.setFixedTime(Date.UTC(2026, 0, 1, 0, 5))
  await page.goto(scene.url + picture.route)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await picture.prepare?.(page)
  await page.getByText(picture.shows).first().waitFor()
  await page.getByText(/^Asking /).waitFor({ state: 'detached' })
  const image = await atRest(page)
  await context.close()
  return image
}

/** The page when it has stopped changing: a plan or a check may come after the rest. */
async function atRest(page: Page): Promise<Buffer> {
  for (let before = await asWebp(page); ;) {
    await page.waitForTimeout(1_000)
    const now = await asWebp(page)
    if (now.equals(before)) return now
    before = now
  }
}

/** A third of the size of a PNG. */
async function asWebp(page: Page): Promise<Buffer> {
  const session = await page.context().newCDPSession(page)
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 90 })
  return Buffer.from(data, 'base64')
}
