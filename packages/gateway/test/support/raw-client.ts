import * as z from 'zod'
import type { TestGateway } from './gateway.ts'
import { answerTo } from './questions.ts'

const received = z.looseObject({
  id: z.union([z.string(), z.number()]).nullish(),
  method: z.string().optional(),
  params: z.looseObject({}).optional(),
  result: z.looseObject({}).optional(),
  error: z.looseObject({ message: z.string() }).optional(),
})
export type Received = z.infer<typeof received>

export type RawFront = 'http' | 'sse'

/** Keeps tests from hanging: a lost message must make the test fail. */
const PATIENCE_MS = 30_000

const QUESTIONS = new Set(['sampling/createMessage', 'elicitation/create', 'roots/list'])

const JSON_HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

/** A client made of plain messages: the test chooses its ids, and it keeps everything that reaches it. */
export class RawClient {
  readonly name: string
  readonly responses: Received[] = []
  readonly progress: { token: unknown; message: unknown }[] = []
  readonly updates: unknown[] = []
  readonly logs: unknown[] = []
  readonly questions: string[] = []
  /** Other requests that it got, for the test to answer. */
  readonly others: Received[] = []
  /** Whether it answers `roots/list` automatically. */
  tellsRoots = false
  /** Refused HTTP requests, as a stateless client gets them. */
  readonly refusals: Received[] = []
  /** A hundred servers take longer to start. */
  patienceMs = PATIENCE_MS
  readonly #origin: string
  readonly #front: RawFront
  readonly #gone = new AbortController()
  readonly #waiting = new Set<() => void>()
  /** What each of its requests carries, such as a token. */
  readonly #own: Record<string, string>
  #headers: Record<string, string>
  #postTo = '/mcp'

  constructor(test: TestGateway, front: RawFront, name: string, headers: Record<string, string> = {}) {
    this.#origin = test.origin
    this.#front = front
    this.name = name
    this.#own = headers
    this.#headers = { ...JSON_HEADERS, ...headers }
  }

  /** Resolves with what the server says about itself, or undefined when it was refused. */
  async connect(capabilities: object, protocolVersion = '2025-11-25'): Promise<Received['result']> {
    if (this.#front === 'sse') await this.#openSse()
    const params = { protocolVersion, capabilities, clientInfo: { name: this.name, version: '1' } }
    const answered = this.until(() => this.responses.some(({ id }) => id === 'first'))
    const response = await this.#post({ id: 'first', method: 'initialize', params })
    const session = response.headers.get('mcp-session-id')
    await this.#read(response)
    await answered
    const [greeting] = this.responses.splice(0)
    if (session !== null) {
      this.#headers = { ...this.#headers, 'mcp-session-id': session }
      const stream = await fetch(`${this.#origin}/mcp`, { headers: this.#headers, signal: this.#gone.signal })
      void this.#read(stream)
    }
    return greeting?.result
  }

  /** Resolves when the gateway has sent its whole reply. */
  async send(message: object): Promise<void> {
    await this.#read(await this.#post(message))
  }

  /** All in one body, which only revision 2025-03-26 allows. */
  async sendTogether(messages: readonly object[]): Promise<void> {
    await this.#read(await this.#post(messages))
  }

  /** Ends the session, whatever is in flight. */
  async leave(): Promise<void> {
    if (this.#front === 'http')
      await fetch(`${this.#origin}/mcp`, { method: 'DELETE', headers: this.#headers }).then((gone) => gone.text())
    this.#gone.abort()
  }

  /** Closes its connections without notice, like a program that was killed. */
  hangUp(): void {
    this.#gone.abort()
  }

  /** Checks again whenever a message has arrived. */
  async until(isSo: () => boolean): Promise<void> {
    const patience = AbortSignal.timeout(this.patienceMs)
    while (!isSo()) {
      if (patience.aborted) throw new Error(`nothing arrived: ${JSON.stringify(this)}`)
      await new Promise<void>((resolve) => {
        this.#waiting.add(resolve)
        patience.addEventListener('abort', () => resolve(), { once: true })
      })
    }
  }

  async #openSse(): Promise<void> {
    const stream = await fetch(`${this.#origin}/sse`, {
      headers: { accept: 'text/event-stream', ...this.#own },
      signal: this.#gone.signal,
    })
    const named = this.until(() => this.#postTo !== '/mcp')
    void this.#read(stream)
    await named
  }

  #post(message: object | readonly object[]): Promise<Response> {
    const whole = (part: object) => ({ jsonrpc: '2.0', ...part })
    const body = JSON.stringify(Array.isArray(message) ? message.map(whole) : whole(message))
    return fetch(`${this.#origin}${this.#postTo}`, { method: 'POST', headers: this.#headers, body })
  }

  async #read(response: Response): Promise<void> {
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
    if (!isStream) {
      const text = await response.text()
      if (/^[[{]/.test(text)) for (const message of [JSON.parse(text)].flat()) this.#receive(message)
      return
    }
    let rest = ''
    try {
      for await (const chunk of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
        const events = (rest + chunk).split('\n\n')
        rest = events.pop() ?? ''
        for (const event of events) this.#event(event)
      }
    } catch (error) {
      // It left: its streams end like this.
      if (!this.#gone.signal.aborted) throw error
    }
  }

  #event(event: string): void {
    const data = /^data: (.*)$/m.exec(event)?.[1]
    if (data === undefined || data === '') return
    if (!/^event: endpoint$/m.test(event)) return this.#receive(JSON.parse(data))
    this.#postTo = data
    this.#woken()
  }

  #receive(json: unknown): void {
    const { id, method, params, ...rest } = received.parse(json)
    if (method === undefined && id === null) this.refusals.push(rest)
    else if (method === undefined) this.responses.push({ id, ...rest })
    else if (method === 'notifications/progress')
      this.progress.push({ token: params?.['progressToken'], message: params?.['message'] })
    else if (method === 'notifications/resources/updated') this.updates.push(params?.['uri'])
    else if (method === 'notifications/message') this.logs.push(params?.['data'])
    else if (method === 'roots/list' && !this.tellsRoots) this.others.push({ id, method })
    else if (QUESTIONS.has(method)) this.#answer(id, method, params)
    this.#woken()
  }

  #answer(id: unknown, method: string, params: unknown): void {
    const { about, result } = answerTo(this.name, method, params)
    this.questions.push(about)
    // A client that has left cannot answer: the gateway answers in its place.
    void this.send({ id, result }).catch(() => undefined)
  }

  #woken(): void {
    for (const wake of this.#waiting) wake()
    this.#waiting.clear()
  }
}
