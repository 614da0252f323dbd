import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { writeFixtureServer, writeShowcaseServer } from '@toolhaven/testing/mcp-servers/fixture-source'

export const FIXTURE_PACKAGE = 'thv-mcp-fixture'
export const SHOWCASE_PACKAGE = 'thv-mcp-showcase'

/** The fixture MCP server as an npm package with one command. */
export function writeFixturePackage(folder: string, name: string): Promise<void> {
  return writePackage(folder, name, writeFixtureServer)
}

/** The one with every kind of form and result. */
export function writeShowcasePackage(folder: string): Promise<void> {
  return writePackage(folder, SHOWCASE_PACKAGE, writeShowcaseServer)
}

async function writePackage(folder: string, name: string, write: (folder: string) => Promise<string>): Promise<void> {
  await mkdir(folder)
  const program = await write(folder)
  await writeFile(program, `#!/usr/bin/env node\n${await readFile(program, 'utf8')}`)
  await chmod(program, 0o755)
  const manifest = { name, version: '1.0.0', type: 'module', bin: { [name]: basename(program) } }
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest))
}
