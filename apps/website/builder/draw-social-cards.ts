import { mkdir, readFile, readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { launchDrawing } from './launch-drawing.ts'
import { allCards, cardFile, cardPage } from './social-cards.ts'

/** Draws the cards that links to the site show. With --check, fails when one is missing or none needs it any more. */
const folder = path.resolve(import.meta.dirname, '../static/social')
const wanted = new Map(allCards.map((card) => [cardFile(card), card] as const))
const present = await readdir(folder).catch((): string[] => [])
const missing = [...wanted].filter(([file]) => !present.includes(file))
const surplus = present.filter((file) => !wanted.has(file))

if (process.argv.includes('--check')) {
  if (missing.length + surplus.length > 0) {
    process.stderr.write('The cards that links to the website show are stale: run npm run generate\n')
    process.exitCode = 1
  }
} else {
  for (const file of surplus) await rm(path.join(folder, file))
  if (missing.length > 0) await drawMissing()
}

async function drawMissing(): Promise<void> {
  await mkdir(folder, { recursive: true })
  const logo = await readFile(path.resolve(folder, '../img/logo.svg'), 'utf8')
  await using browser = await launchDrawing()
  const page = await browser.newPage({ viewport: { width: 1200, height: 630 } })
  for (const [file, card] of missing) {
    await page.setContent(cardPage(card, logo))
    await page.screenshot({ path: path.join(folder, file) })
  }
}
