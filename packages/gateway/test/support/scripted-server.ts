import type { StdioChannel } from '@toolhaven/core/ports/runtime'
import { NAME, never, type TestGateway } from './gateway.ts'

type Json = { [key: string]: unknown }

/** What a server answers to a message: its response without the id, nothing, or its exit. */
export type Script = (message: Json) => Json | 'exits' | undefined

/** What a server of revision 2026-07-28 says about itself. */
export const DISCOVERED = {
  result: {
    resultType: 'complete',
    supportedVersions: ['2026-07-28'],
    capabilities: { tools: {} },
    ttlMs: 0,
    cacheScope: 'private',
    _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'new', version: '2' } },
  },
}

interface ScriptedServer {
  channel: StdioChannel
  heard: Json[]
  /** Sends something on its own initiative. */
  say: (message: Json) => void
}

export function scriptedServer(script: Script): ScriptedServer {
  const heard: Json[] = []
  const say = (message: Json) => channel.onStdout(Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`))
  const channel: StdioChannel = {
    onStdout: () => {},
    onStderr: () => {},
    onClose: () => {},
    async write(data) {
      const text = typeof data === 'string' ? data : Buffer.concat(data).toString()
      for (const line of text.split('\n').filter((part) => part !== '')) {
        const message: Json = JSON.parse(line)
        heard.push(message)
        const answer = script(message)
        if (answer === 'exits') queueMicrotask(() => channel.onClose(new Error('exit code 1')))
        else if (answer !== undefined) queueMicrotask(() => say({ id: message['id'], ...answer }))
      }
    },
    pause: () => {},
    resume: () => {},
    close: () => {},
  }
  return { channel, heard, say }
}

/** A server with sessions is greeted. The script answers what follows. */
export async function connectScripted(
  test: TestGateway,
  script: Script,
  capabilities: Json = { tools: {} },
): Promise<ScriptedServer> {
  const server = scriptedServer((message) => {
    const { id, method } = message
    if (method === 'server/discover') return { error: { code: -32_601, message: 'no' } }
    if (method === 'initialize')
      return { result: { protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 's', version: '1' } } }
    return id === undefined ? undefined : script(message)
  })
  const { channel } = server
  await test.gateway.connect(NAME, { kind: 'stdio', channel, processId: 'p', start: async () => {} }, never)
  return server
}
