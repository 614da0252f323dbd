/** The three messages every figure is made of. */
export const INITIALIZE = {
  method: 'initialize',
  params: {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'toolhaven-bench', version: '1.0.0' },
  },
} as const

export const INITIALIZED = { jsonrpc: '2.0', method: 'notifications/initialized' } as const

/** Distinct arguments, so that nothing in between could answer from a cache. */
export const echo = (text: string) => ({ method: 'tools/call', params: { name: 'echo', arguments: { text } } })

export interface McpCall {
  method: string
  params?: object
}

export interface McpSession extends AsyncDisposable {
  /** Returns the result as text. Throws when there is none. */
  call: (call: McpCall) => Promise<string>
}

/** Answers are not parsed while the time is measured: that would be the client's cost, not the server's. */
export function mustHaveResult(text: string): string {
  if (!text.includes('"result"')) throw new Error(`no result: ${text.slice(0, 300)}`)
  return text
}
