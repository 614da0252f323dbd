import { get, type IncomingMessage } from 'node:http'
import { once } from 'node:events'
import { request } from 'undici'
import { INITIALIZE, INITIALIZED, mustHaveResult } from '../rig/mcp.ts'
import { type Ask, PostConnection, type Shape, callOf } from './load.ts'

/** Clients of one program, as many as requested, each with its own session. */
export interface Askers extends AsyncDisposable {
  asks: Ask[]
}

type OpenAskers = (url: string, shape: Shape, headers?: Readonly<Record<string, string>>) => Promise<Askers>

/** Streamable HTTP: a connection for every question in flight. */
export const openStreamable: OpenAskers = async (url, { sessions, inFlight }, headers = {}) => {
  const connections: PostConnection[] = []
  for (let session = 0; session < sessions; session++) {
    const named = { ...headers, ...(await initialize(url, headers)) }
    for (let each = 0; each < inFlight; each++) connections.push(new PostConnection(new URL(url), named))
  }
  return {
    asks: connections.map((connection) => (id, text) => connection.post(callOf(id, text))),
    [Symbol.asyncDispose]: async () => connections.forEach((connection) => connection.close()),
  }
}

/** The headers all later messages of the session carry. */
export async function initialize(
  url: string,
  given: Readonly<Record<string, string>> = {},
): Promise<Record<string, string>> {
  const headers: Record<string, string> = {
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    ...given,
  }
  const first = await request(url, {
    method: 'POST',
    headers,
    body: JSON.stringify({ jsonrpc: '2.0', id: 0, ...INITIALIZE }),
  })
  mustHaveResult(await first.body.text())
  const id = first.headers['mcp-session-id']
  const named = {
    'mcp-protocol-version': INITIALIZE.params.protocolVersion,
    ...(typeof id === 'string' && { 'mcp-session-id': id }),
  }
  await (
    await request(url, { method: 'POST', headers: { ...headers, ...named }, body: JSON.stringify(INITIALIZED) })
  ).body.dump()
  return named
}

/** HTTP+SSE: a stream for every session, and a connection for every question in flight. */
export const openSse: OpenAskers = async (url, { sessions, inFlight }) => {
  const opened: SseSession[] = []
  for (let session = 0; session < sessions; session++) opened.push(await SseSession.open(url))
  return {
    asks: opened.flatMap((session) => Array.from({ length: inFlight }, () => session.asker())),
    [Symbol.asyncDispose]: async () => opened.forEach((session) => session.close()),
  }
}

class SseSession {
  readonly #stream: IncomingMessage
  readonly #waiting = new Map<number, (answer: Buffer) => void>()
  readonly #connections: PostConnection[] = []
  readonly #messages: Promise<URL>
  #rest = ''

  private constructor(stream: IncomingMessage, url: string) {
    this.#stream = stream
    const address = Promise.withResolvers<URL>()
    this.#messages = address.promise
    stream.setEncoding('utf8')
    stream.on('data', (chunk: string) => {
      const events = (this.#rest + chunk).split(/\r?\n\r?\n/)
      this.#rest = events.pop() ?? ''
      for (const event of events) {
        const data = /^data: ?(.*)$/m.exec(event)?.[1]
        if (data === undefined) continue
        if (/^event: ?endpoint$/m.test(event)) address.resolve(new URL(data, url))
        else this.#answer(data)
      }
    })
  }

  static async open(url: string): Promise<SseSession> {
    const asked = get(url, { headers: { accept: 'text/event-stream' }, agent: false })
    const [response]: IncomingMessage[] = await once(asked, 'response')
    if (response === undefined || response.statusCode !== 200) throw new Error(`${url} gives no stream`)
    const session = new SseSession(response, url)
    const connection = new PostConnection(await session.#messages, {})
    const answered = session.#expect(0)
    await connection.post(JSON.stringify({ jsonrpc: '2.0', id: 0, ...INITIALIZE }))
    mustHaveResult((await answered).toString())
    await connection.post(JSON.stringify(INITIALIZED))
    session.#connections.push(connection)
    return session
  }

  asker(): Ask {
    let connection: PostConnection | undefined
    return async (id, text) => {
      if (connection === undefined) {
        connection = new PostConnection(await this.#messages, {})
        this.#connections.push(connection)
      }
      const answered = this.#expect(id)
      await connection.post(callOf(id, text))
      return answered
    }
  }

  close(): void {
    for (const connection of this.#connections) connection.close()
    this.#stream.destroy()
  }

  #expect(id: number): Promise<Buffer> {
    const { promise, resolve } = Promise.withResolvers<Buffer>()
    this.#waiting.set(id, resolve)
    return promise
  }

  #answer(data: string): void {
    const id = Number(/"id":\s*(\d+)/.exec(data)?.[1])
    this.#waiting.get(id)?.(Buffer.from(data))
    this.#waiting.delete(id)
  }
}
