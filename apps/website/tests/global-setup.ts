import path from 'node:path'
import type { TestProject } from 'vitest/node'
import { buildSite, isSiteFresh, siteFolder } from '../../../tools/site-build.ts'

const fixture = path.resolve(import.meta.dirname, 'fixture-site')

/**
 * Builds the site once for all files, and the small sites with other configurations; what is fresh is left alone.
 * THV_TEST_SITE=built takes them as they are, to try a test again without waiting.
 */
export default async function setUp(project: TestProject): Promise<void> {
  const log = (line: string) => process.stdout.write(`${line}\n`)
  const isWanted = (outDir?: string) => process.env['THV_TEST_SITE'] !== 'built' && !isSiteFresh(outDir)
  if (isWanted()) await buildSite({ log })
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
    if (isWanted(outDir)) await buildSite({ log, siteDir: fixture, outDir, env, args })
    fixtureFolders[name] = outDir
  }
  project.provide('siteFolder', siteFolder)
  project.provide('fixtureFolders', fixtureFolders)
}
