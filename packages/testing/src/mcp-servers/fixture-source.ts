import { readFile, writeFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The fixture server as TypeScript, for `node` of this repository. */
export const FIXTURE_SERVER = fileURLToPath(new URL('fixture-server.ts', import.meta.url))

/** The one of the newest revision; it needs the SDK, so it runs in this repository only. */
export const MODERN_SERVER = fileURLToPath(new URL('modern-server.ts', import.meta.url))

/** The fixture server as one file of plain JavaScript, for whatever Node a container or sandbox has. Gives its path. */
export async function writeFixtureServer(folder: string): Promise<string> {
  const path = join(folder, 'fixture-server.mjs')
  await writeFile(path, stripTypeScriptTypes(await readFile(FIXTURE_SERVER, 'utf8')))
  return path
}
