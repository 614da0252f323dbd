import { readEvents } from '../live/read-events.ts'
import { isObject } from '../schema/json-schema.ts'
import {
  type JsonObject,
  type McpRequest,
  type Question,
  type QuestionAnswer,
  RpcFault,
  type RpcMessage,
  rpcMessage,
  TransportFault,
} from './mcp-messages.ts'

const REVISION = '2025-11-25'
const METHOD_NOT_FOUND = -32_601

export interface SessionDeps {
  /** One request to the address of the server. */
  fetch: (init: RequestInit) => Promise<Response>
  /** Puts a question of the server to the person. */
  answer: (question: Question, signal: AbortSignal) => Promise<QuestionAnswer>
}

export interface AskOptions {
  signal: AbortSignal
  /** Each message of this call as it is on the wire. */
  onTraffic?: (traffic: { isSent: boolean; text: string }) => void
  /** What the server says besides the answer. */
  onNotice?: (notice: RpcMessage) => void
}

/** An MCP client with a session, over the one address that pages may use. */
export class McpSession {
  readonly #deps: SessionDeps
  #opening: Promise<{ id: string | undefined; capabilities: JsonObject }> | undefined
  #nextId = 1

  constructor(deps: SessionDeps) {
    this.#deps = deps
  }

  async capabilities(): Promise<JsonObject> {
    return (await this.#open()).capabilities
  }

  /** A session that the server has forgotten is opened again: it has not seen the request. */
  async ask(request: McpRequest, options: AskOptions): Promise<JsonObject> {
    const { id } = await this.#open()
    try {
      return await this.#send(request, id, options)
    } catch (error) {
      if (!(error instanceof TransportFault) || error.status !== 404 || id === undefined) throw error
      this.#opening = undefined
      return this.#send(request, (await this.#open()).id, options)
    }
  }

  /** Also while the page goes. */
  close(): void {
    const opening = this.#opening
    this.#opening = undefined
    opening
      ?.then(async ({ id }) => {
        if (id !== undefined) await this.#fetch('DELETE', id, { keepalive: true })
      })
      // The server forgets it after a while.
      .catch(() => undefined)
  }

  #open() {
    this.#opening ??= this.#initialize().catch((error: unknown) => {
      this.#opening = undefined
      throw error
    })
    return this.#opening
  }

  async #initialize() {
    const params = {
      protocolVersion: REVISION,
      capabilities: { elicitation: { form: {}, url: {} }, sampling: {} },
      clientInfo: { name: 'toolhaven-console', version: '1' },
    }
    let id: string | undefined
    const onResponse = ({ headers }: Response) => (id = headers.get('mcp-session-id') ?? undefined)
    const signal = AbortSignal.timeout(60_000)
    const { capabilities } = await this.#send({ method: 'initialize', params }, undefined, { signal, onResponse })
    await this.#post({ method: 'notifications/initialized' }, id, signal)
    return { id, capabilities: isObject(capabilities) ? { ...capabilities } : {} }
  }

  async #send(
    { method, params }: McpRequest,
    session: string | undefined,
    { signal, onTraffic, onNotice, onResponse }: AskOptions & { onResponse?: (response: Response) => void },
  ): Promise<JsonObject> {
    const id = this.#nextId++
    const meta = onNotice && { _meta: { progressToken: id } }
    const text = JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, ...meta } })
    onTraffic?.({ isSent: true, text })
    const questions = new Map<string | number, AbortController>()
    const isCancelled = () => {
      void this.#post({ method: 'notifications/cancelled', params: { requestId: id } }, session).catch(() => undefined)
    }
    if (method !== 'initialize') signal.addEventListener('abort', isCancelled, { once: true })
    try {
      const response = await this.#fetch('POST', session, { body: text, signal })
      onResponse?.(response)
      for await (const received of messagesOf(response)) {
        onTraffic?.({ isSent: false, text: received })
        const message = rpcMessage.parse(JSON.parse(received))
        if (message.method === undefined && message.id === id) return resultOf(message)
        const question = questionOf(message)
        if (question) {
          const stop = new AbortController()
          questions.set(question.id, stop)
          void this.#reply(question, session, AbortSignal.any([signal, stop.signal]), onTraffic)
        } else {
          if (message.method === 'notifications/cancelled') questions.get(idOf(message.params?.['requestId']))?.abort()
          onNotice?.(message)
        }
      }
      throw new TransportFault('The connection ended before the answer came.')
    } finally {
      signal.removeEventListener('abort', isCancelled)
      for (const stop of questions.values()) stop.abort()
    }
  }

  async #reply(
    question: Question,
    session: string | undefined,
    signal: AbortSignal,
    onTraffic: AskOptions['onTraffic'],
  ): Promise<void> {
    try {
      const answer = await this.#answerTo(question, signal)
      if (signal.aborted) return
      const text = JSON.stringify({ jsonrpc: '2.0', id: question.id, ...answer })
      onTraffic?.({ isSent: true, text })
      await this.#fetch('POST', session, { body: text, signal })
    } catch {
      // The call that it belongs to is over, and says why.
    }
  }

  #answerTo(question: Question, signal: AbortSignal): Promise<QuestionAnswer> | QuestionAnswer {
    if (question.method === 'ping') return { result: {} }
    if (question.method === 'elicitation/create' || question.method === 'sampling/createMessage')
      return this.#deps.answer(question, signal)
    return { error: { code: METHOD_NOT_FOUND, message: 'Method not found' } }
  }

  async #post(
    notification: { method: string; params?: JsonObject },
    session: string | undefined,
    signal?: AbortSignal,
  ) {
    const body = JSON.stringify({ jsonrpc: '2.0', ...notification })
    await this.#fetch('POST', session, { body, ...(signal && { signal }) })
  }

  async #fetch(method: string, session: string | undefined, init: RequestInit): Promise<Response> {
    const headers = {
      accept: 'application/json, text/event-stream',
      ...(init.body !== undefined && { 'content-type': 'application/json' }),
      ...(session !== undefined && { 'mcp-session-id': session, 'mcp-protocol-version': REVISION }),
    }
    const response = await this.#deps.fetch({ ...init, method, headers })
    if (!response.ok) throw await faultOf(response)
    return response
  }
}

async function* messagesOf(response: Response): AsyncGenerator<string> {
  if (response.headers.get('content-type')?.startsWith('text/event-stream')) {
    for await (const { data } of readEvents(response)) if (data !== '') yield data
  } else {
    const text = await response.text()
    if (text !== '') yield text
  }
}

function resultOf({ result, error }: RpcMessage): JsonObject {
  if (error) throw new RpcFault(error)
  return result ?? {}
}

function questionOf({ id, method, params = {} }: RpcMessage): Question | undefined {
  return method === undefined || id === undefined || id === null ? undefined : { id, method, params }
}

const isOfTransport = ({ status }: Response) => status === 404 || status === 401

/** Errors come as plain text of the API or as JSON-RPC of the gateway. */
async function faultOf(response: Response): Promise<Error> {
  const text = (await response.text()).trim()
  try {
    const { error } = rpcMessage.parse(JSON.parse(text))
    // A session that is unknown and a token that is missing are told the same way; their status says what they are.
    if (error) return isOfTransport(response) ? new TransportFault(error.message, response.status) : new RpcFault(error)
  } catch {
    // It is plain text.
  }
  return new TransportFault(text === '' ? `The server answered with status ${response.status}.` : text, response.status)
}

const idOf = (value: unknown) => (typeof value === 'number' ? value : String(value))
