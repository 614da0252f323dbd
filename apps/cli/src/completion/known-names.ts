import type { NameKind } from '../command.ts'
import type { DaemonClient } from '../connect/daemon-client.ts'

/** A person has pressed a key and waits, so the lookup has a time limit, besides the caller's signal. */
const PATIENCE_SECONDS = 30

/** The current names, which shell completion offers. */
export async function knownNames(
  daemon: DaemonClient,
  kind: NameKind,
  given: readonly string[],
  signal: AbortSignal,
): Promise<string[]> {
  switch (kind) {
    case 'workload':
      return (await daemon.call('listWorkloads', { query: { all: true } }, signal)).workloads.map(({ name }) => name)
    case 'group':
      return (await daemon.call('listGroups', {}, signal)).groups.map(({ name }) => name)
    case 'client':
      return (await daemon.call('discoverClients', {}, signal)).clients.map((client) => client.client_type)
    case 'secret':
      return (await daemon.call('listSecrets', {}, signal)).keys.map(({ key }) => key)
    case 'server': {
      const { servers, remote_servers: remote } = await daemon.call(
        'listServers',
        { params: { name: 'default' } },
        signal,
      )
      return [...servers, ...remote].map(({ name = '' }) => name)
    }
    case 'tool':
      return (await toolsOf(daemon, given, signal)).map(({ name }) => name)
    case 'argument': {
      const { propertiesOf } = await import('../mcp-client/call-arguments.ts')
      const tool = (await toolsOf(daemon, given, signal)).find(({ name }) => name === given[1])
      return tool === undefined ? [] : Object.keys(propertiesOf(tool)).map((name) => `${name}=`)
    }
  }
}

async function toolsOf(daemon: DaemonClient, [server = '']: readonly string[], signal: AbortSignal) {
  const [{ targetOf }, { listServer }] = await Promise.all([
    import('../mcp-client/target.ts'),
    import('../mcp-client/list-server.ts'),
  ])
  const target = await targetOf({ daemon: () => Promise.resolve(daemon), signal }, server, 'auto')
  const { tools = [] } = await listServer(target, ['tools'], PATIENCE_SECONDS, signal)
  return tools
}
