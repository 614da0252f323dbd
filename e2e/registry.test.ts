import { afterAll, describe, expect, test } from 'vitest'
import type { ImageServer } from '@toolhaven/contract/registry-document'
import { sample, slowed } from '@toolhaven/testing/rotation'
import { rotationInside } from '@toolhaven/testing/turns'
import { builtInRegistry } from '@toolhaven/stores/registry/built-in/built-in-registry'
import { type DaemonProcess, startDaemon } from './src/daemon-process.ts'
import { makeHome } from './src/home.ts'
import { containersOf, removeImages } from './src/instances.ts'
import { connectMcp } from './src/mcp-client.ts'
import { type Platform, type PlatformKind, PLATFORMS, platformsInTurn, usePlatform } from './src/platform.ts'
import { untilGone, untilStatus } from './src/statuses.ts'

/** Values that a server checks before it lists its tools. For all others any text works. */
const PLACEHOLDERS: Readonly<Record<string, string>> = {
  ES_URL: 'http://127.0.0.1:9',
  MAPBOX_ACCESS_TOKEN: 'pk.eyJ1IjoicHJvYmUifQ.probe',
  MDB_MCP_CONNECTION_STRING: 'mongodb://127.0.0.1:9/probe',
  NEO4J_URI: 'bolt://127.0.0.1:9',
  SEARXNG_URL: 'http://127.0.0.1:9',
}

/** What install scripts need besides the package indexes, as the descriptions of these entries say. */
const INSTALL_HOSTS: Readonly<Record<string, readonly string[]>> = { mongodb: ['github.com'] }

/** Some servers show all of their tools only to a client that can answer questions. */
const CAPABILITIES = { sampling: {}, elicitation: { form: {}, url: {} }, roots: {} }

const NAMES = Object.keys(builtInRegistry.servers).toSorted()

/** Entries that were seen to start on an engine (see docs/security-review.md). Test runs try no others there. */
const SEEN_TO_START: Readonly<Record<PlatformKind, readonly string[]>> = {
  process: NAMES,
  docker: [
    ...['airtable', 'angular', 'arxiv', 'aws-docs', 'brave-search', 'calculator', 'chart', 'chrome-devtools'],
    ...['circleci', 'clickhouse', 'code-index', 'context7', 'dbhub', 'deepl', 'duckdb', 'duckduckgo'],
    ...['elasticsearch', 'git'],
  ],
  podman: [
    ...['arxiv', 'aws-docs', 'calculator', 'clickhouse', 'code-index', 'dbhub', 'duckdb', 'duckduckgo', 'excel'],
    ...['fetch', 'git', 'git-basic', 'neo4j', 'nixos', 'playwright', 'redis', 'time', 'wikipedia', 'word'],
  ],
}

const rotation = rotationInside(import.meta.url)

/** The platforms take turns as well, so the names move on once they have all had theirs. */
const inTurn = (kind: PlatformKind) =>
  sample(rotation.full ? NAMES : SEEN_TO_START[kind], 2, slowed(PLATFORMS.length, rotation))

/**
 * A test run takes two on one platform and so covers all that start there over time. A full run starts every one on
 * each platform.
 */
describe.each(platformsInTurn(import.meta.url))('on %s', (kind) => {
  const platform = usePlatform(kind, { isShared: true, baseImages: ['node', 'python'] })
  const stack = new AsyncDisposableStack()
  let daemon: Promise<DaemonProcess> | undefined
  afterAll(() => stack.disposeAsync())

  // Most of the time is spent waiting for package indexes, so several install at once.
  test.concurrent.for(inTurn(kind))(
    '%s of the built-in registry starts and has the tools it is said to have',
    async (name, context) => {
      const here = platform(context)
      daemon ??= startOn(here, stack)
      await seeServer(await daemon, name)
      await removeServer(await daemon, here, name)
    },
  )
})

async function startOn({ engine, makeHome: makeHomeHere }: Platform, stack: AsyncDisposableStack) {
  // Packages come from their real indexes, not from the registry of the testbed.
  const home = engine ? await makeHomeHere() : await makeHome({ env: { THV_RUNTIME: 'process' } })
  return stack.use(await startDaemon(stack.use(home)))
}

async function seeServer(daemon: DaemonProcess, name: string): Promise<void> {
  const { server } = await daemon.api.call('getServer', { params: { name: 'default', serverName: name } })
  if (!server) throw new Error(`${name} is not a container server`)
  const install_hosts = [...(INSTALL_HOSTS[name] ?? [])]
  const body = { name, image: name, env_vars: placeholders(server), install_hosts }
  await daemon.api.call('createWorkload', { body })
  await untilStatus(daemon, name, 'running')
  const { url, network_mode } = await daemon.api.call('getWorkload', { params: { name } })
  expect(network_mode).toBe('isolated')
  await using connection = await connectMcp(url, CAPABILITIES)
  expect((await connection.toolNames()).toSorted()).toEqual(server.tools.toSorted())
}

async function removeServer(daemon: DaemonProcess, { engine }: Platform, name: string): Promise<void> {
  const containers = engine ? (await containersOf(engine)).filter((container) => container.name === name) : []
  await daemon.api.call('deleteWorkload', { params: { name } })
  await untilGone(daemon, name)
  // All of them together would fill a disk.
  if (engine)
    await removeImages(
      engine,
      containers.map(({ imageId }) => imageId),
    )
}

function placeholders(server: ImageServer): Record<string, string> {
  const required = (server.env_vars ?? []).filter((variable) => variable.required && variable.default === undefined)
  return Object.fromEntries(required.map(({ name }) => [name, PLACEHOLDERS[name] ?? 'placeholder']))
}
