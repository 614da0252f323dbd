import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, rmSync } from 'node:fs'
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { buildRecords } from '@toolhaven/search/build-records'

const site = path.resolve(import.meta.dirname, '..')
const root = path.resolve(site, '../..')
export const siteFolder = path.join(site, 'build')

export interface SiteBuild {
  log: (line: string) => void
  /** Another site (of the tests) or another place for the result. */
  siteDir?: string
  outDir?: string
  env?: Readonly<Record<string, string>>
  args?: readonly string[]
}

/** True when nothing that goes into the site has changed since it was built. */
export function isSiteFresh(outDir: string = siteFolder, build: Omit<SiteBuild, 'log' | 'outDir'> = {}): boolean {
  const stamp = path.join(outDir, '.stamp')
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === inputMark(outDir, build)
}

/** Builds beside the old site and takes its place when all went well, so that one is always whole. */
export async function buildSite({ log, siteDir = site, outDir = siteFolder, env = {}, args = [] }: SiteBuild) {
  const began = Date.now()
  const mark = inputMark(outDir, { env, args })
  const next = `${outDir}.next`
  await rm(next, { recursive: true, force: true })
  const temporary = await mkdtemp(path.join(tmpdir(), 'thv-site-'))
  const removeTemporary = () => rmSync(temporary, { recursive: true, force: true })
  process.once('exit', removeTemporary)
  try {
    await docusaurus(['build', siteDir, '--out-dir', next, ...args], { TMPDIR: temporary, ...env })
  } finally {
    process.off('exit', removeTemporary)
    removeTemporary()
  }
  // Stopped from outside, it ends without a complaint.
  if (!existsSync(path.join(next, 'index.html'))) throw new Error('The build of the site was stopped.')
  const records = await buildRecords(next)
  await writeFile(path.join(next, '.records.json'), JSON.stringify(records))
  await writeFile(path.join(next, '.stamp'), mark)
  await rm(outDir, { recursive: true, force: true })
  await rename(next, outDir)
  const pages = globSync('**/index.html', { cwd: outDir }).length
  log(`Built ${pages} pages with ${records.length} search records in ${((Date.now() - began) / 1000).toFixed(0)} s.`)
}

function docusaurus(args: readonly string[], extra: Readonly<Record<string, string>>): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  // Asks no registry for newer versions.
  const env = { ...process.env, NO_UPDATE_NOTIFIER: '1', FORCE_COLOR: '0', ...extra }
  const program = path.join(root, 'node_modules/@docusaurus/core/bin/docusaurus.mjs')
  const child = spawn(process.execPath, [program, ...args], { cwd: site, env, stdio: ['ignore', 'pipe', 'pipe'] })
  // Otherwise the build goes on for a minute after npm start has ended.
  const end = () => child.kill()
  process.once('exit', end)
  child.on('close', () => process.off('exit', end))
  let said = ''
  const collect = (chunk: string) => (said += chunk)
  child.stdout.setEncoding('utf8').on('data', collect)
  child.stderr.setEncoding('utf8').on('data', collect)
  child.on('error', reject)
  child.on('close', (code) =>
    code === 0 ? resolve() : reject(new Error(`The site could not be built:\n${said.trim()}`)),
  )
  return promise
}

/** Of everything a site is made from: its sources, how it is built, and the settings in the environment. */
export function inputMark(outDir: string, build: Omit<SiteBuild, 'log' | 'outDir'> = {}): string {
  // Its own tests' site is no part of the site that is served.
  const fixture =
    outDir === siteFolder
      ? []
      : ['apps/website/tests/fixture-site/{docs,extra-pages}/**/*', 'apps/website/tests/fixture-site/*.ts']
  const found = globSync(
    [
      'apps/website/{docs,site,src,static}/**/{*,.*,.*/**}',
      'apps/website/{docusaurus.config.ts,sidebars.ts,package.json,tsconfig.json}',
      'packages/search/src/**/*.ts',
      'apps/website/builder/*.ts',
      'package-lock.json',
      ...fixture,
    ],
    { cwd: root, withFileTypes: true },
  )
  const files = found.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name))
  const hash = createHash('sha256')
  hash.update(JSON.stringify([process.version, process.env['NODE_ENV'] ?? '', build.args ?? [], build.env ?? {}]))
  for (const file of [...new Set(files)].filter((file) => !file.endsWith('.test.ts')).toSorted()) {
    hash
      .update(`${path.relative(root, file)}\0`)
      .update(readFileSync(file))
      .update('\0')
  }
  for (const [name, value] of Object.entries(process.env).toSorted(([one], [other]) => one.localeCompare(other))) {
    if (name.startsWith('SITE_')) hash.update(`${name}=${value}\0`)
  }
  return hash.digest('hex')
}
