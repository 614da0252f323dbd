import { expect, test } from 'vitest'
import type { ImageServer } from '@toolhaven/contract/registry-document'
import { sample } from '@toolhaven/testing/rotation'
import { rotationInside } from '@toolhaven/testing/turns'
import { builtInRegistry } from '@toolhaven/stores/registry/built-in/built-in-registry'
import { startDaemon } from './src/daemon-process.ts'
import { makeHome } from './src/home.ts'
import { connectMcp } from './src/mcp-client.ts'
import { untilGone, untilStatus } from './src/statuses.ts'

/** Values that a server looks at before it lists its tools; for all others any text will do. */
const PLACEHOLDERS: Readonly<Record<string, string>> = {
  ES_URL: 'http://127.0.0.1:9',
  MAPBOX_ACCESS_TOKEN: 'pk.eyJ1IjoicHJvYmUifQ.probe',
  MDB_MCP_CONNECTION_STRING: 'mongodb://127.0.0.1:9/probe',
  NEO4J_URI: 'bolt://127.0.0.1:9',
  SEARXNG_URL: 'http://127.0.0.1:9',
}

/** What install scripts need besides the package indexes, as the descriptions of these entries say. */
const INSTALL_HOSTS: Readonly<Record<string, readonly string[]>> = { mongodb: ['github.com'] }

/** Some servers show all of their tools only to a client that they can ask. */
const CAPABILITIES = { sampling: {}, elicitation: { form: {}, url: {} }, roots: {} }

const NAMES = Object.keys(builtInRegistry.servers).toSorted()

/** The gate takes two a run and so comes round to all; a full run starts every one. */
for (const name of sample(NAMES, 2, rotationInside(import.meta.url))) {
  test(`${name} of the built-in registry starts and has the tools it is said to have`, async () => {
    await using home = await makeHome({ env: { THV_RUNTIME: 'process' } })
    await using daemon = await startDaemon(home)
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
    await daemon.api.call('deleteWorkload', { params: { name } })
    await untilGone(daemon, name)
  })
}

function placeholders(server: ImageServer): Record<string, string> {
  const required = (server.env_vars ?? []).filter((variable) => variable.required && variable.default === undefined)
  return Object.fromEntries(required.map(({ name }) => [name, PLACEHOLDERS[name] ?? 'placeholder']))
}
