import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeFixtureServer } from '@toolhaven/testing/mcp-servers/fixture-source'

export const FIXTURE_PACKAGE = { name: 'thv-mcp-fixture', version: '1.0.0' } as const

/** The fixture MCP server as an npm package with one command. */
export async function writeFixturePackage(folder: string): Promise<void> {
  const program = await writeFixtureServer(folder)
  await writeFile(program, `#!/usr/bin/env node\n${await readFile(program, 'utf8')}`)
  await chmod(program, 0o755)
  const manifest = { ...FIXTURE_PACKAGE, type: 'module', bin: { 'mcp-fixture': 'fixture-server.mjs' } }
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest))
}
