import { existsSync, globSync } from 'node:fs'
import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Page } from 'playwright-core'
import * as z from 'zod'
import { diagramName } from './diagram-name.ts'
import { launchDrawing } from './launch-drawing.ts'

/**
 * Draws the diagrams of the website: as SVG, for both colour modes, and downwards for narrow screens. A browser does it, and
 * only where a diagram is new or changed. With --check, fails when one is missing or none needs it any more.
 */
const root = path.resolve(import.meta.dirname, '../../..')
const docs = path.join(root, 'apps/website/docs')
const folder = path.join(root, 'apps/website/static/diagrams')
const listFile = path.join(root, 'apps/website/site/diagrams.json')
const FONT = 'system-ui, sans-serif'

const size = z.tuple([z.number(), z.number()])
const drawing = z.object({ labels: z.string(), wide: size, narrow: size.optional() })
type Drawing = z.infer<typeof drawing>

/** The colours of src/css/custom.css. */
const MODES = {
  light: { ground: '#f3f7f6', raised: '#ffffff', line: '#8aa19f', text: '#12282e', quiet: '#4b6168', note: '#fff3dd' },
  dark: { ground: '#0c181d', raised: '#0f1f26', line: '#4f6f79', text: '#dde9e8', quiet: '#9fb5b9', note: '#2a2210' },
} as const

const texts = new Map(
  (await Promise.all(globSync('**/*.{md,mdx}', { cwd: docs }).map((file) => diagramsOf(path.join(docs, file)))))
    .flat()
    .map((text) => [diagramName(text), text] as const),
)
const known = z.record(z.string(), drawing).parse(JSON.parse(await readFile(listFile, 'utf8').catch(() => '{}')))
const missing = [...texts].filter(
  ([name]) => known[name] === undefined || !filesOf(name).every((file) => existsSync(file)),
)
const surplus = Object.keys(known).filter((name) => !texts.has(name))

if (process.argv.includes('--check')) {
  if (missing.length + surplus.length > 0) {
    process.stderr.write('The diagrams of the website are stale: run npm run generate\n')
    process.exitCode = 1
  }
} else if (missing.length + surplus.length > 0) {
  await mkdir(folder, { recursive: true })
  const drawn = Object.fromEntries(missing.length === 0 ? [] : await drawAll(missing))
  const all: [string, Drawing][] = Object.entries({ ...known, ...drawn }).filter(([name]) => texts.has(name))
  const sorted = Object.fromEntries(all.toSorted(([one], [other]) => one.localeCompare(other)))
  await writeFile(listFile, `${JSON.stringify(sorted, null, 2)}\n`)
  for (const file of await readdir(folder)) {
    const [name = '', shape] = file.split('-')
    const isShown = sorted[name] !== undefined && (shape === 'wide' || sorted[name].narrow !== undefined)
    if (!isShown) await rm(path.join(folder, file))
  }
}

async function diagramsOf(file: string): Promise<string[]> {
  const found = (await readFile(file, 'utf8')).matchAll(/^([ \t]*)```mermaid\n([\s\S]*?)\n\1```$/gm)
  return [...found].map(([, indent = '', text = '']) => text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''))
}

function filesOf(name: string): string[] {
  return Object.keys(MODES).map((mode) => path.join(folder, `${name}-wide-${mode}.svg`))
}

async function drawAll(diagrams: readonly (readonly [string, string])[]): Promise<[string, Drawing][]> {
  const browser = await launchDrawing()
  try {
    const page = await browser.newPage()
    await page.addScriptTag({ path: path.join(root, 'node_modules/mermaid/dist/mermaid.min.js') })
    const drawn: [string, Drawing][] = []
    for (const [name, text] of diagrams) {
      const down = text.replace(/^(\s*flowchart\s+)LR\b/, '$1TB')
      const wide = await drawModes(page, `${name}-wide`, text)
      const narrow = down === text ? undefined : await drawModes(page, `${name}-narrow`, down)
      const isNarrower = narrow !== undefined && narrow.size[0] < wide.size[0]
      drawn.push([name, { labels: wide.labels, wide: wide.size, ...(isNarrower && { narrow: narrow.size }) }])
    }
    return drawn
  } finally {
    await browser.close()
  }
}

async function drawModes(page: Page, name: string, text: string) {
  let drawn: { labels: string; size: [number, number] } = { labels: '', size: [0, 0] }
  for (const mode of ['light', 'dark'] as const) {
    const { svg, ...rest } = await draw(page, text, mode)
    await writeFile(path.join(folder, `${name}-${mode}.svg`), `${svg}\n`)
    drawn = rest
  }
  return drawn
}

async function draw(page: Page, text: string, mode: keyof typeof MODES) {
  const { ground, raised, line, text: ink, quiet, note } = MODES[mode]
  const themeVariables = {
    ...{ fontFamily: FONT, fontSize: '15px', background: ground, textColor: ink, lineColor: quiet },
    ...{ primaryColor: raised, primaryBorderColor: line, primaryTextColor: ink },
    ...{ mainBkg: raised, nodeBorder: line, clusterBkg: 'transparent', clusterBorder: line, titleColor: ink },
    ...{ edgeLabelBackground: ground, noteBkgColor: note, noteTextColor: ink, noteBorderColor: quiet },
    ...{ actorBkg: raised, actorBorder: line, actorTextColor: ink, actorLineColor: quiet, signalColor: quiet },
    ...{
      signalTextColor: ink,
      labelBoxBkgColor: raised,
      labelBoxBorderColor: line,
      labelTextColor: ink,
      loopTextColor: ink,
    },
  }
  // Labels as text of SVG: a picture of a page may not hold HTML.
  const configuration = {
    startOnLoad: false,
    theme: 'base',
    htmlLabels: false,
    flowchart: { htmlLabels: false },
    sequence: { diagramMarginX: 4 },
    themeVariables,
    // Half transparent, as they are otherwise, the ground of a label lets the arrow strike its text through.
    themeCSS: '.edgeLabel rect { opacity: 1; }',
  }
  const answer = z.object({ svg: z.string(), labels: z.string(), size })
  return answer.parse(
    await page.evaluate(
      async ([source, settings]) => {
        const { mermaid } = Object(globalThis)
        mermaid.initialize(settings)
        const { svg } = await mermaid.render('diagram', source)
        const holder = document.createElement('div')
        holder.innerHTML = svg
        document.body.replaceChildren(holder)
        const element = holder.querySelector('svg')
        if (element === null) throw new Error('nothing was drawn')
        const { width, height } = element.viewBox.baseVal
        element.setAttribute('width', String(Math.ceil(width)))
        element.setAttribute('height', String(Math.ceil(height)))
        element.removeAttribute('style')
        const labels = [...element.querySelectorAll('text')].map(({ textContent }) => (textContent ?? '').trim())
        return {
          svg: new XMLSerializer().serializeToString(element),
          labels: [...new Set(labels.filter((label) => label !== ''))].join(', '),
          size: [Math.ceil(width), Math.ceil(height)],
        }
      },
      [text, configuration] as const,
    ),
  )
}
