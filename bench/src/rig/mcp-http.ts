import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'undici'
import { INITIALIZE, INITIALIZED, type McpCall, type McpSession, mustHaveResult } from './mcp.ts'

const DEADLINE_MS = 60_000

/** A session of streamable HTTP on its own connection. It retries until the port is open. */
export async function openHttp(url: string): Promise<McpSession> {
  const { origin, pathname } = new URL(url)
  const client = new Client(origin, { bodyTimeout: DEADLINE_MS, headersTimeout: DEADLINE_MS })
  const headers: Record<string, string> = {
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
  }
  const post = (message: object) =>
    client.request({ path: pathname, method: 'POST', headers, body: JSON.stringify(message) })
  let next = 0
  const call = async (message: McpCall) => {
    const { body } = await post({ jsonrpc: '2.0', id: next++, ...message })
    return mustHaveResult(await body.text())
  }
  const first = await knock(() => post({ jsonrpc: '2.0', id: next++, ...INITIALIZE }))
  mustHaveResult(await first.body.text())
  const session = first.headers['mcp-session-id']
  if (typeof session === 'string') headers['mcp-session-id'] = session
  headers['mcp-protocol-version'] = INITIALIZE.params.protocolVersion
  await (await post(INITIALIZED)).body.dump()
  return { call, [Symbol.asyncDispose]: () => client.destroy() }
}

async function knock<T>(ask: () => Promise<T>): Promise<T> {
  const deadline = AbortSignal.timeout(DEADLINE_MS)
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      const isClosed = error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED'
      if (!isClosed || deadline.aborted) throw error
      await delay(2)
    }
  }
}
