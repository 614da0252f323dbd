import path from 'node:path'
import { buildSite, siteFolder } from '../../../apps/website/builder/site-build.ts'
import { type Bench, type Figure, lessIsBetter } from '../figure.ts'
import type { Rig } from '../rig/rig.ts'
import { type Loaded, startSiteRig } from '../rig/site-pages.ts'
import { inTurns, median, of } from '../rig/statistics.ts'

const ROUNDS = 9
const PAGES = {
  home: '/',
  guide: '/toolhaven/guides-cli/run-mcp-servers',
  'CLI reference': '/toolhaven/reference/cli/thv_run',
} as const

/** Loads pages of the built site, each beside a copy without scripts, and builds the site with cold caches. */
export const site: Bench = {
  name: 'site',
  title: 'Pages of the documentation against copies of them without scripts, and its cold build',
  run: async (rig) => {
    const pages: Figure[] = []
    await using loads = await startSiteRig(siteFolder, path.join(rig.folder, 'no-scripts'))
    for (const [name, route] of Object.entries(PAGES)) {
      const contenders = { ours: () => loads.load(route, true), bare: () => loads.load(route, false) }
      await inTurns(1, contenders) // until the browser and the server are warm
      const rounds = await inTurns(ROUNDS, contenders)
      pages.push(...pageFigures(name, of(rounds, 'ours'), of(rounds, 'bare')))
    }
    return [...pages, await coldBuild(rig)]
  },
}

function pageFigures(name: string, ours: readonly Loaded[], bare: readonly Loaded[]): Figure[] {
  const paint = (all: readonly Loaded[]) => median(all.map(({ paintMs }) => paintMs))
  const first = ours[0]
  if (first === undefined) throw new Error('nothing was loaded')
  return [
    lessIsBetter({
      ...{ name: `${name}, largest paint, median`, unit: 'ms', ours: paint(ours), baseline: paint(bare) },
      target: { of: 'ratio', below: 1.25 },
    }),
    lessIsBetter({
      ...{ name: '  script until load, brotli', unit: 'KB', ours: first.scriptBytes / 1000 },
      baseline: first.otherBytes / 1000,
      target: { of: 'ours', below: 140 },
    }),
  ]
}

/** Against the generator with two pages: the fixture site of the website's tests. */
async function coldBuild(rig: Rig): Promise<Figure> {
  const fixture = path.resolve(import.meta.dirname, '../../../apps/website/tests/fixture-site')
  const env = { DOCUSAURUS_NO_PERSISTENT_CACHE: 'true', DOCUSAURUS_GENERATED_FILES_DIR_NAME: '.docusaurus/bench' }
  const seconds = async (build: Parameters<typeof buildSite>[0]) => {
    const startedAt = performance.now()
    await buildSite(build)
    return (performance.now() - startedAt) / 1000
  }
  const small = {
    log: rig.say,
    siteDir: fixture,
    outDir: path.join(rig.folder, 'small'),
    env: { ...env, FIXTURE: 'other' },
  }
  const baseline = await seconds(small)
  const ours = await seconds({ log: rig.say, outDir: path.join(rig.folder, 'site'), env })
  return lessIsBetter({
    ...{ name: 'cold build, against two pages', unit: 's', ours, baseline },
    note: 'of the sizes, the baseline is everything else that the page loads; of the build, a site of two pages',
  })
}
