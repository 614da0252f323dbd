import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeFixtureServer } from '@toolhaven/testing/mcp-servers/fixture-source'
import { startPackageRegistry } from '@toolhaven/testing/testbed/package-registry'
import { type DaemonProcess, startDaemon } from './daemon-process.ts'
import { type Home, makeHome } from './home.ts'
import { listNames, untilGone } from './statuses.ts'

/** Where commands are tried: a home with a running daemon, whose registry contains two servers that start fast. */
export interface CliWorld extends AsyncDisposable {
  home: Home
  daemon: DaemonProcess
  /** A package with the fixture MCP server. */
  fixture: string
  /** The registry document in use. */
  registry: object
  /** Removes the workloads that a test has left, and restores the registry. */
  removeAll: () => Promise<void>
  /** A second home on the same machine. */
  makeHome: () => Promise<Home>
}

const PACKAGE = '@modelcontextprotocol/server-everything'

export async function openCliWorld(extra: Readonly<Record<string, string>> = {}): Promise<CliWorld> {
  await using cleanUp = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'thv-cli-'))
  cleanUp.defer(() => rm(folder, { recursive: true, force: true }))
  await writePackage(join(folder, 'package'))
  const packages = cleanUp.use(await startPackageRegistry([join(folder, 'package')]))
  const env = { THV_RUNTIME: 'process', npm_config_registry: packages.url, ...extra }
  const home = cleanUp.use(await makeHome({ env }))
  const daemon = cleanUp.use(await startDaemon(home))
  const fixture = `npx://${PACKAGE}@1.0.0`
  const registry = registryOf(fixture)
  const file = join(folder, 'registry.json')
  await writeFile(file, JSON.stringify(registry))
  const useRegistry = () =>
    daemon.api.call('updateRegistry', { params: { name: 'default' }, body: { local_path: file } })
  await useRegistry()
  const kept = cleanUp.move()
  return {
    ...{ home, daemon, fixture, registry },
    removeAll: async () => {
      await removeWorkloads(daemon)
      await useRegistry()
    },
    makeHome: () => makeHome({ env }),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

async function removeWorkloads(daemon: DaemonProcess): Promise<void> {
  const names = await listNames(daemon)
  if (names.length === 0) return
  await daemon.api.call('deleteWorkloads', { body: { names } })
  await untilGone(daemon, ...names)
}

/** The fixture server under the name of a well-known package, which help texts use. */
async function writePackage(folder: string): Promise<void> {
  await mkdir(folder)
  const program = await writeFixtureServer(folder)
  await writeFile(program, `#!/usr/bin/env node\nprocess.stderr.write("ready\\n")\n${await readFile(program, 'utf8')}`)
  await chmod(program, 0o755)
  const manifest = {
    name: PACKAGE,
    version: '1.0.0',
    type: 'module',
    bin: { 'server-everything': 'fixture-server.mjs' },
  }
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest))
}

function registryOf(image: string) {
  const common = { image, tier: 'Community', status: 'active', transport: 'stdio', tools: ['echo'] }
  const key = { name: 'API_KEY', description: 'Key of the account\u001B[2J', required: true, secret: true }
  return {
    version: '1.0.0',
    last_updated: '2026-01-15T00:00:00Z',
    servers: {
      time: { ...common, description: 'Tells the time', tools: ['get_current_time', 'echo'] },
      fetch: { ...common, description: 'Fetches a web page' },
      keyed: { ...common, description: 'Needs a key', env_vars: [key] },
    },
    remote_servers: {},
  }
}
