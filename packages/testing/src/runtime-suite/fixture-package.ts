import { chmod, copyFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The fixture as an npm package with one command, ready for `npm pack`. Its bytes are those of `fixtureProgram`. */
export const FIXTURE_PACKAGE = { name: 'thv-runtime-fixture', version: '1.0.0' } as const

export const fixtureProgram = fileURLToPath(new URL('fixture-program.mjs', import.meta.url))

export async function writeFixturePackage(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  await copyFile(fixtureProgram, join(folder, 'fixture-program.mjs'))
  await chmod(join(folder, 'fixture-program.mjs'), 0o755)
  const manifest = { ...FIXTURE_PACKAGE, type: 'module', bin: { 'runtime-fixture': 'fixture-program.mjs' } }
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest))
}
