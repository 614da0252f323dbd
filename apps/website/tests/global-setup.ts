import { cp, rm } from 'node:fs/promises'
import path from 'node:path'
import type { TestProject } from 'vitest/node'
import { copyFromCache, fromCache } from '@toolhaven/testing/cache'
import { buildSite, inputMark, isSiteFresh, type SiteBuild, siteFolder } from '../builder/site-build.ts'

const fixture = path.resolve(import.meta.dirname, 'fixture-site')

/**
 * Builds the site once for all files, and the small sites with other configurations. A build whose inputs are the same
 * comes from the test cache. THV_TEST_SITE=built takes the sites as they are, to try a test again without waiting.
 */
export default async function setUp(project: TestProject): Promise<void> {
  await bring('site', siteFolder, {})
  const fixtureFolders: Record<string, string> = {}
  for (const [name, args] of [
    ['other', []],
    ['no-docs', []],
    ['development', ['--dev']],
  ] as const) {
    const outDir = path.resolve(import.meta.dirname, `../.cache/fixture/${name}`)
    // The sites share a folder: a cache would give one the settings of another.
    const env = {
      FIXTURE: name,
      DOCUSAURUS_GENERATED_FILES_DIR_NAME: `.docusaurus/${name}`,
      DOCUSAURUS_NO_PERSISTENT_CACHE: 'true',
    }
    await bring(name, outDir, { siteDir: fixture, env, args })
    fixtureFolders[name] = outDir
  }
  project.provide('siteFolder', siteFolder)
  project.provide('fixtureFolders', fixtureFolders)
}

async function bring(name: string, outDir: string, build: Omit<SiteBuild, 'log' | 'outDir'>): Promise<void> {
  if (process.env['THV_TEST_SITE'] === 'built' && process.env['CI'] !== 'true') return
  if (isSiteFresh(outDir, build)) return
  const log = (line: string) => process.stdout.write(`${line}\n`)
  const entry = await fromCache({ kind: `site-${name}`, key: inputMark(outDir, build) }, (target) =>
    buildSite({ log, ...build, outDir }).then(() => cp(outDir, target, { recursive: true })),
  )
  if (isSiteFresh(outDir, build)) return
  await copyFromCache(entry, outDir)
  if (isSiteFresh(outDir, build)) return
  // The entry was damaged after it was made: build again.
  await rm(entry, { recursive: true, force: true })
  await buildSite({ log, ...build, outDir })
}
