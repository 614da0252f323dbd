import type { InstanceSpec } from '../ports/runtime.ts'

export interface InspectorRun {
  version: string
  uiPort: number
  proxyPort: number
  transport: 'http' | 'sse'
  serverUrl: string
  token: string
}

type InspectorSpec = Omit<InstanceSpec, 'prepared' | 'source' | 'labels'>

/** It has no network, folders or secrets: everything it needs goes through the tunnel, and everything it stores ends with it. */
export function inspectorInstance(run: InspectorRun, preload: string): InspectorSpec {
  return {
    // Workloads are named `thv-NAME`, so this name can never be one of theirs.
    name: `toolhaven-inspector-${crypto.randomUUID().slice(0, 8)}`,
    args: ['--web', '--transport', run.transport, '--server-url', run.serverUrl],
    env: {
      CLIENT_PORT: String(run.uiPort),
      MCP_SANDBOX_PORT: String(run.proxyPort),
      HOST: '127.0.0.1',
      MCP_INSPECTOR_API_TOKEN: run.token,
      MCP_AUTO_OPEN_ENABLED: 'false',
      MCP_INSPECTOR_SECRET_STORE: 'memory',
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(preload)}`,
    },
    mounts: [],
    network: 'none',
    stdio: true,
    limits: {},
  }
}

/** The page of the Inspector, which reads its token from the address. */
export function inspectorPage({ uiPort, token }: InspectorRun): string {
  return `http://127.0.0.1:${uiPort}/?MCP_INSPECTOR_API_TOKEN=${token}`
}
