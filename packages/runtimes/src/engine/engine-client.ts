import { request as httpRequest, type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Duplex } from 'node:stream'
import type { z } from 'zod'
import { unavailable } from '@toolhaven/core/errors'
import { EngineFault } from './engine-fault.ts'

/** Where an engine's API listens. A Windows pipe counts as `unix`. */
export type EngineAddress =
  | { kind: 'unix'; path: string }
  | { kind: 'tcp'; host: string; port: number; tls?: { ca: string; cert: string; key: string } }

export interface EngineCall {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'HEAD'
  path: string
  query?: Readonly<Record<string, string | number | boolean>>
  headers?: Readonly<Record<string, string>>
  /** Sent as JSON, or unchanged if it is bytes. */
  body?: unknown
}

/**
 * Speaks HTTP to a container engine. Throws `unavailable` when the engine does not answer, `EngineFault` when it
 * answers with an error, and the signal's reason when it is aborted.
 */
export interface EngineClient {
  /** For people: which engine, and where. */
  readonly label: string
  readonly address: EngineAddress
  json: <T>(schema: z.ZodType<T>, call: EngineCall, signal: AbortSignal) => Promise<T>
  /** For calls whose answer has no body worth reading. */
  send: (call: EngineCall, signal: AbortSignal) => Promise<void>
  stream: (call: EngineCall, signal: AbortSignal) => Promise<IncomingMessage>
  /** Takes the connection over from HTTP. `head` is what followed directly after the answer. */
  upgrade: (call: EngineCall, signal: AbortSignal) => Promise<{ socket: Duplex; head: Buffer }>
}

export function createEngineClient(product: string, address: EngineAddress): EngineClient {
  const label = `${product} at ${describeAddress(address)}`
  const stream: EngineClient['stream'] = async (call, signal) => {
    const answer = await exchange(label, address, call, signal)
    if (answer.kind === 'upgraded') throw unavailable(`${label} switched protocols unasked.`)
    await refuseErrors(answer.response)
    return answer.response
  }
  return {
    label,
    address,
    stream,
    async json(schema, call, signal) {
      const text = await readText(label, await stream(call, signal), signal)
      // Undefined for a schema that allows an empty body.
      return schema.parse(text === '' ? undefined : JSON.parse(text))
    },
    async send(call, signal) {
      await readText(label, await stream(call, signal), signal)
    },
    async upgrade(call, signal) {
      const headers = { ...call.headers, connection: 'Upgrade', upgrade: 'tcp' }
      const answer = await exchange(label, address, { ...call, headers }, signal)
      if (answer.kind === 'upgraded') return answer
      await refuseErrors(answer.response)
      answer.response.destroy()
      throw unavailable(`${label} does not let a connection be taken over. Update the engine.`)
    },
  }
}

export function describeAddress(address: EngineAddress): string {
  return address.kind === 'unix' ? address.path : `tcp://${address.host}:${address.port}`
}

type Answer = { kind: 'response'; response: IncomingMessage } | { kind: 'upgraded'; socket: Duplex; head: Buffer }

function exchange(label: string, address: EngineAddress, call: EngineCall, signal: AbortSignal): Promise<Answer> {
  signal.throwIfAborted()
  return new Promise((resolve, reject) => {
    const request = open(address, call)
    const abort = () => request.destroy()
    signal.addEventListener('abort', abort, { once: true })
    const settle = () => signal.removeEventListener('abort', abort)
    request.on('error', (cause) => {
      settle()
      reject(signal.aborted ? abortReason(signal) : unavailable(`${label} does not answer. Is it running?`, cause))
    })
    request.on('response', (response) => {
      // The signal still applies to the body.
      response.on('close', settle)
      resolve({ kind: 'response', response })
    })
    request.on('upgrade', (_response, socket, head) => {
      settle()
      resolve({ kind: 'upgraded', socket, head })
    })
    if (call.body === undefined) request.end()
    else request.end(Buffer.isBuffer(call.body) ? call.body : JSON.stringify(call.body))
  })
}

function open(address: EngineAddress, call: EngineCall): ClientRequest {
  const query = new URLSearchParams(Object.entries(call.query ?? {}).map(([key, value]) => [key, String(value)]))
  const contentType = Buffer.isBuffer(call.body) ? 'application/x-tar' : 'application/json'
  const options: RequestOptions = {
    method: call.method,
    path: query.size === 0 ? call.path : `${call.path}?${query}`,
    headers: { host: 'engine', ...(call.body === undefined ? {} : { 'content-type': contentType }), ...call.headers },
    // One connection per call: none is stale after the engine restarted, and on a local socket it costs next to
    // nothing.
    agent: false,
  }
  if (address.kind === 'unix') return httpRequest({ ...options, socketPath: address.path })
  const target = { ...options, host: address.host, port: address.port }
  return address.tls === undefined ? httpRequest(target) : httpsRequest({ ...target, ...address.tls })
}

async function refuseErrors(response: IncomingMessage): Promise<void> {
  const status = response.statusCode ?? 500
  if (status < 400) return
  const text = (await response.toArray()).map(String).join('')
  throw new EngineFault(status, engineMessage(text) ?? `status ${status}`)
}

function engineMessage(text: string): string | undefined {
  try {
    const body: unknown = JSON.parse(text)
    if (typeof body === 'object' && body !== null && 'message' in body) return String(body.message)
  } catch {
    // Not JSON: the text itself is the message.
  }
  return text.trim() === '' ? undefined : text.trim()
}

async function readText(label: string, response: IncomingMessage, signal: AbortSignal): Promise<string> {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of response) chunks.push(chunk)
  } catch (cause) {
    throw brokenOff(label, cause, signal)
  }
  return Buffer.concat(chunks).toString()
}

/** What a body that broke off means: the caller aborted it, or the engine went away. */
export function brokenOff(label: string, cause: unknown, signal: AbortSignal): unknown {
  return signal.aborted ? abortReason(signal) : unavailable(`The connection to ${label} broke off.`, cause)
}

export function abortReason(signal: AbortSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason))
}
