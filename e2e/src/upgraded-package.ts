import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeFixtureServer } from '@toolhaven/testing/mcp-servers/fixture-source'

/** A server of which there are several versions. */
export const UPGRADED_PACKAGE = 'thv-upgraded'

export interface VersionContent {
  /** Tools besides its own. */
  tools?: object
  /** What it runs first. */
  start?: string
}

/** The fixture server in its own folder. Its environment contains its version. */
export async function writeUpgradedPackage(
  folder: string,
  version: string,
  { tools = {}, start = '' }: VersionContent = {},
): Promise<string> {
  const place = join(folder, version)
  await mkdir(place)
  const program = await writeFixtureServer(place)
  const lines = [
    '#!/usr/bin/env node',
    `process.env.SERVER_VERSION = '${version}'`,
    "process.argv.push('--tools-file=' + new URL('tools.json', import.meta.url).pathname)",
    start,
    await readFile(program, 'utf8'),
  ]
  await writeFile(program, lines.join('\n'))
  await chmod(program, 0o755)
  await writeFile(join(place, 'tools.json'), JSON.stringify(tools))
  const manifest = {
    name: UPGRADED_PACKAGE,
    version,
    type: 'module',
    bin: { [UPGRADED_PACKAGE]: 'fixture-server.mjs' },
  }
  await writeFile(join(place, 'package.json'), JSON.stringify(manifest))
  return place
}

/** A registry with the entry `notes`, which names this version. Returns its file. */
export async function writeUpgradeRegistry(folder: string, version: string, more: object = {}): Promise<string> {
  const notes = {
    ...{ description: 'Keeps notes', image: `npx://${UPGRADED_PACKAGE}@${version}` },
    ...{ tier: 'Community', status: 'active', transport: 'stdio' },
    ...{ tools: ['echo', 'env'], permissions: { network: { outbound: {} } } },
    ...more,
  }
  const registry = { version: '1.0.0', last_updated: '2026-01-15T00:00:00Z', servers: { notes }, remote_servers: {} }
  const file = join(folder, 'registry.json')
  await writeFile(file, JSON.stringify(registry))
  return file
}
