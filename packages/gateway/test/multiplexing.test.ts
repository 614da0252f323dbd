import { setImmediate } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fc } from '@toolhaven/testing/properties'
import { startGateway, type TestGateway } from './support/gateway.ts'

let test: TestGateway
beforeAll(async () => {
  test = await startGateway()
  await test.open()
  await test.run()
})
afterAll(() => test[Symbol.asyncDispose]())

type Step = { kind: 'echo' | 'progress' | 'sleep' | 'cancelled' | 'touch' }
const steps = fc.array(
  fc.record({ kind: fc.constantFrom<Step['kind']>('echo', 'progress', 'sleep', 'cancelled', 'touch') }),
  { minLength: 1, maxLength: 6 },
)

/** A client that speaks in raw messages, so that its ids are exactly those of every other client. */
class RawClient {
  readonly name: string
  readonly headers: Record<string, string>
  /** Everything that ever reached this client. */
  readonly received: { [key: string]: unknown }[] = []

  constructor(name: string, headers: Record<string, string>) {
    this.name = name
    this.headers = headers
  }

  async send(message: object): Promise<void> {
    const response = await fetch(`${test.origin}/mcp`, {
      method: 'POST',
      headers: this.headers,
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    })
    const text = await response.text()
    const isStream = response.headers.get('content-type') === 'text/event-stream'
    const found = isStream
      ? [...text.matchAll(/^data: (.+)$/gm)].map((match) => match[1] ?? '')
      : text === ''
        ? []
        : [text]
    this.received.push(...found.map((json) => JSON.parse(json)))
  }
}

async function connect(name: string): Promise<RawClient> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  }
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 0,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name, version: '1' } },
  })
  const response = await fetch(`${test.origin}/mcp`, { method: 'POST', headers, body })
  await response.text()
  const client = new RawClient(name, { ...headers, 'mcp-session-id': response.headers.get('mcp-session-id') ?? '' })
  await client.send({ id: 0, method: 'resources/subscribe', params: { uri: `memo://${name}` } })
  return client
}

/** All clients use the ids 1, 2, 3… and equal progress tokens at the same time. */
async function play(client: RawClient, script: readonly Step[]): Promise<void> {
  await Promise.all(
    script.map(async ({ kind }, index) => {
      const id = index + 1
      const text = `${client.name} ${id}`
      const call = (name: string, args: object) =>
        client.send({ id, method: 'tools/call', params: { name, arguments: args, _meta: { progressToken: id } } })
      if (kind === 'echo') return call('echo', { text })
      if (kind === 'progress') return call('progress', { steps: 3, text })
      if (kind === 'sleep') return call('sleep', { ms: 5, text })
      if (kind === 'touch') return call('touch', { uri: `memo://${client.name}` })
      const slept = call('sleep', { ms: 30_000, text })
      // Until the call has arrived there is nothing to cancel, so repeat it until it is heard.
      const cancel = async (): Promise<void> => {
        await client.send({ method: 'notifications/cancelled', params: { requestId: id } })
        const isOver = await Promise.race([slept.then(() => true), setImmediate(false)])
        return isOver ? undefined : cancel()
      }
      return cancel()
    }),
  )
}

function check(client: RawClient, script: readonly Step[]): void {
  const others = ['alpha', 'beta', 'gamma'].filter((name) => name !== client.name)
  const seen = JSON.stringify(client.received)
  for (const other of others) expect(seen).not.toContain(other)
  for (const [index, { kind }] of script.entries()) {
    const answers = client.received.filter((message) => message['id'] === index + 1 && message['method'] === undefined)
    expect(answers).toHaveLength(kind === 'cancelled' ? 0 : 1)
    const hasText = JSON.stringify(answers).includes(`${client.name} ${index + 1}`)
    expect(hasText).toBe(kind !== 'touch' && kind !== 'cancelled')
    const progress = client.received.filter(
      (message) =>
        message['method'] === 'notifications/progress' &&
        JSON.stringify(message).includes(`"progressToken":${index + 1},`),
    )
    expect(progress).toHaveLength(kind === 'progress' ? 3 : 0)
  }
}

it('many clients with equal ids on one process get exactly their own messages', async () => {
  await fc.assert(
    fc.asyncProperty(fc.tuple(steps, steps, steps), async (scripts) => {
      const clients = await Promise.all(['alpha', 'beta', 'gamma'].map(connect))
      await Promise.all(clients.map((client, i) => play(client, scripts[i] ?? [])))
      for (const [i, client] of clients.entries()) check(client, scripts[i] ?? [])
      await Promise.all(
        clients.map((client) => fetch(`${test.origin}/mcp`, { method: 'DELETE', headers: client.headers })),
      )
    }),
    { numRuns: 100 },
  )
})
