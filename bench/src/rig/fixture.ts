import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeFixtureServer } from '@toolhaven/testing/mcp-servers/fixture-source'
import { type PackageRegistry, startPackageRegistry } from '@toolhaven/testing/testbed/package-registry'

/** The MCP server behind every figure: one file that needs nothing but Node. */
export interface Fixture extends AsyncDisposable {
  /** To be run by `node` directly. */
  file: string
  /** To be run by the daemon: a package of a registry on the loopback. */
  image: string
  registry: PackageRegistry
}

/** The same server on an engine. */
export const FIXTURE_IMAGE = 'localhost/thv-bench-fixture:1.0.0'

const PACKAGE = { name: 'thv-bench-fixture', version: '1.0.0' }

export async function publishFixture(folder: string): Promise<Fixture> {
  const home = join(folder, 'package')
  await mkdir(home)
  const file = await writeFixtureServer(home)
  await chmod(file, 0o755)
  const manifest = { ...PACKAGE, type: 'module', bin: { 'bench-fixture': './fixture-server.mjs' } }
  await writeFile(join(home, 'package.json'), JSON.stringify(manifest))
  const registry = await startPackageRegistry([home])
  const image = `npx://${PACKAGE.name}@${PACKAGE.version}`
  return { file, image, registry, [Symbol.asyncDispose]: () => registry[Symbol.asyncDispose]() }
}
