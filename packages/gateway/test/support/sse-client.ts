import { setTimeout as pause } from 'node:timers/promises'
import { eventsOf } from './events.ts'
import type { TestGateway } from './gateway.ts'

type Json = { [key: string]: unknown }

/** A client of the older transport made of plain messages, which may disconnect at any moment. */
export interface SseClient {
  /** Where its messages go. */
  path: string
  /** Every message that reached it. */
  got: Json[]
  /** The status of the POST. Answers arrive in `got`. */
  post: (message: Json) => Promise<number>
  /** Resolves when the gateway has noticed. */
  leave: () => Promise<void>
}

export const INITIALIZE = {
  id: 'first',
  method: 'initialize',
  params: { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
}

export async function openSse(test: TestGateway): Promise<SseClient> {
  const gone = new AbortController()
  test.defer(() => gone.abort())
  const response = await fetch(`${test.origin}/sse`, { headers: { accept: 'text/event-stream' }, signal: gone.signal })
  const events = eventsOf(response)
  const first = await events.next()
  const path = first.done === true ? '' : first.value.data
  const got: Json[] = []
  const read = async () => {
    for await (const { data } of events) got.push(JSON.parse(data))
  }
  // It left: its stream ends like this.
  read().catch(() => undefined)
  const post = async (message: Json) => {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message })
    const headers = { 'content-type': 'application/json' }
    const posted = await fetch(`${test.origin}${path}`, { method: 'POST', headers, body })
    await posted.text()
    return posted.status
  }
  const leave = async () => {
    gone.abort()
    while ((await post({ method: 'notifications/nothing' })) !== 404) await pause(5)
  }
  return { path, got, post, leave }
}
