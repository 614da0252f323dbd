import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeFixtureServer } from '@toolhaven/testing/mcp-servers/fixture-source'

export const FIXTURE_PACKAGE = 'thv-mcp-fixture'

/** The fixture MCP server as an npm package with one command. */
export async function writeFixturePackage(folder: string, name: string): Promise<void> {
  await mkdir(folder)
  const program = await writeFixtureServer(folder)
  await writeFile(program, `#!/usr/bin/env node\n${await readFile(program, 'utf8')}`)
  await chmod(program, 0o755)
  const manifest = { name, version: '1.0.0', type: 'module', bin: { [name]: 'fixture-server.mjs' } }
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest))
}
