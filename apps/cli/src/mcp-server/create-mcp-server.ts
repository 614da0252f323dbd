import { McpServer } from '@modelcontextprotocol/server'
import { VERSION } from '../version.ts'
import type { ToolDeps } from './tool-deps.ts'
import { registerChangeServer } from './tools/change-server.ts'
import { registerGetServerLogs } from './tools/get-server-logs.ts'
import { registerListServers } from './tools/list-servers.ts'
import { registerRunServer } from './tools/run-server.ts'
import { registerSearchRegistry } from './tools/search-registry.ts'

const INSTRUCTIONS =
  'Toolhaven runs MCP servers in isolation on this machine. Find one with search_registry, start it with run_server, see ' +
  'what runs with list_servers, read get_server_logs when one fails, and end it with stop_server or remove_server.'

/** Toolhaven itself as an MCP server: each tool is a call of the daemon's API. */
export function createMcpServer(deps: ToolDeps): McpServer {
  const server = new McpServer(
    { name: 'toolhaven', title: 'Toolhaven', version: VERSION },
    { instructions: INSTRUCTIONS },
  )
  registerSearchRegistry(server, deps)
  registerRunServer(server, deps)
  registerListServers(server, deps)
  registerChangeServer(server, 'stop_server', deps)
  registerChangeServer(server, 'remove_server', deps)
  registerGetServerLogs(server, deps)
  return server
}
