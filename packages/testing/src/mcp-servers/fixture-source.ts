import { readFile, writeFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The fixture server as TypeScript, for `node` of this repository. */
export const FIXTURE_SERVER = fileURLToPath(new URL('fixture-server.ts', import.meta.url))

/** The server of the newest revision. It needs the SDK, so it runs only in this repository. */
export const MODERN_SERVER = fileURLToPath(new URL('modern-server.ts', import.meta.url))

/** The server with every kind of form and result. */
const SHOWCASE_SERVER = fileURLToPath(new URL('showcase-server.ts', import.meta.url))

/**
 * The fixture server as one file of plain JavaScript, for whatever Node a container or sandbox has. Returns its path.
 */
export function writeFixtureServer(folder: string): Promise<string> {
  return writePlain(FIXTURE_SERVER, join(folder, 'fixture-server.mjs'))
}

export function writeShowcaseServer(folder: string): Promise<string> {
  return writePlain(SHOWCASE_SERVER, join(folder, 'showcase-server.mjs'))
}

async function writePlain(source: string, path: string): Promise<string> {
  await writeFile(path, stripTypeScriptTypes(await readFile(source, 'utf8')))
  return path
}
