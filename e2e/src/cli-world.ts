import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeFixtureServer } from '@toolhaven/testing/mcp-servers/fixture-source'
import { startPackageRegistry } from '@toolhaven/testing/testbed/package-registry'
import { type DaemonProcess, startDaemon } from './daemon-process.ts'
import { type Home, makeHome } from './home.ts'

/** Where commands are tried: a home with a running daemon, whose registry knows two servers that start fast. */
export interface CliWorld extends AsyncDisposable {
  home: Home
  daemon: DaemonProcess
  /** A package with the fixture MCP server. */
  fixture: string
}

const PACKAGE = '@modelcontextprotocol/server-everything'

export async function openCliWorld(): Promise<CliWorld> {
  await using cleanUp = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'thv-cli-'))
  cleanUp.defer(() => rm(folder, { recursive: true, force: true }))
  await writePackage(join(folder, 'package'))
  const registry = cleanUp.use(await startPackageRegistry([join(folder, 'package')]))
  const home = cleanUp.use(await makeHome({ env: { THV_RUNTIME: 'process', npm_config_registry: registry.url } }))
  const daemon = cleanUp.use(await startDaemon(home))
  const fixture = `npx://${PACKAGE}@1.0.0`
  const file = join(folder, 'registry.json')
  await writeFile(file, JSON.stringify(registryOf(fixture)))
  await daemon.api.call('updateRegistry', { params: { name: 'default' }, body: { local_path: file } })
  const kept = cleanUp.move()
  return { home, daemon, fixture, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

/** The fixture server under the name of a well-known package, as help texts name it. */
async function writePackage(folder: string): Promise<void> {
  await mkdir(folder)
  const program = await writeFixtureServer(folder)
  await writeFile(program, `#!/usr/bin/env node\n${await readFile(program, 'utf8')}`)
  await chmod(program, 0o755)
  const manifest = { name: PACKAGE, version: '1.0.0', type: 'module', bin: { 'server-everything': 'fixture-server.mjs' } }
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest))
}

function registryOf(image: string) {
  const common = { image, tier: 'Community', status: 'active', transport: 'stdio', tools: ['echo'] }
  const key = { name: 'API_KEY', description: 'Key of the account\u001B[2J', required: true, secret: true }
  return {
    version: '1.0.0',
    last_updated: '2026-01-15T00:00:00Z',
    servers: {
      time: { ...common, description: 'Tells the time' },
      fetch: { ...common, description: 'Fetches a web page' },
      keyed: { ...common, description: 'Needs a key', env_vars: [key] },
    },
    remote_servers: {},
  }
}
