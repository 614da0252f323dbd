import type { IncomingMessage } from 'node:http'
import type { CallInput, CallResult } from '@toolhaven/contract/client'
import type { OperationId } from '@toolhaven/contract/routes'
import { type ErrorCode, ThvError, isThvError, unavailable } from '@toolhaven/core/errors'
import { type DaemonAddress, type DaemonRequest, exchange, isCut, WentAway } from './exchange.ts'
import { OPERATIONS } from './generated/operations.ts'

/** Typed by the contract. At run time it uses only a table of paths, so that a command starts fast. */
export interface DaemonClient {
  call<Id extends OperationId>(id: Id, input: CallInput<Id>, signal: AbortSignal): Promise<CallResult<Id>>
  /** The `data` of each server-sent event. After this resolves, no event is missed. */
  stream<Id extends OperationId>(id: Id, input: CallInput<Id>, signal: AbortSignal): Promise<AsyncIterable<string>>
}

export function createDaemonClient(address: DaemonAddress): DaemonClient {
  return {
    async call(id, input, signal) {
      const request = requestOf(address, id, input)
      const { status, type, text } = await withDaemon(address, request, signal, exchange)
      if (status >= 400) throw failureOf(status, text)
      const value: unknown = type.startsWith('application/json') ? JSON.parse(text) : text
      // oxlint-disable-next-line typescript/consistent-type-assertions -- the daemon answers by the same contract; it is this very program
      return value as CallResult<typeof id>
    },
    async stream(id, input, signal) {
      const request = requestOf(address, id, input)
      const response = await withDaemon(address, request, signal, open)
      if ((response.statusCode ?? 500) >= 400) throw failureOf(response.statusCode ?? 500, await readText(response))
      return dataOf(response, signal)
    },
  }
}

/**
 * If nobody listens, nothing was sent, so the request can be repeated later. A read that was cut off because another daemon took
 * over can be repeated too, but only once: otherwise two daemons that end each other would be retried for ever.
 */
async function withDaemon<T>(
  address: DaemonAddress,
  request: DaemonRequest,
  signal: AbortSignal,
  attempt: (address: DaemonAddress, request: DaemonRequest, signal: AbortSignal) => Promise<T>,
  isSecond = false,
): Promise<T> {
  try {
    return await attempt(address, request, signal)
  } catch (error) {
    if (signal.aborted) throw error
    const isRepeatable = error instanceof WentAway && request.method === 'GET' && !isSecond
    const wait =
      'socketPath' in address && (isNobodyThere(error) || isRepeatable) ? address.whenNobodyListens : undefined
    if (wait === undefined) throw isThvError(error) ? error : noAnswer(address, error)
    return withDaemon(
      { ...address, socketPath: await wait(signal) },
      request,
      signal,
      attempt,
      isSecond || isRepeatable,
    )
  }
}

function isNobodyThere(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ECONNREFUSED')
}

function noAnswer(address: DaemonAddress, cause: unknown): ThvError {
  if ('socketPath' in address) return unavailable('the daemon does not answer; start it with "thv serve"', cause)
  return unavailable(
    `no daemon answers at ${address.host}:${address.port}, which THV_HOST names\n` +
      'Check the address and that a daemon runs there, or unset THV_HOST to use the daemon of this machine.',
    cause,
  )
}

async function* dataOf(response: IncomingMessage, signal: AbortSignal): AsyncGenerator<string> {
  let rest = ''
  response.setEncoding('utf8')
  try {
    for await (const chunk of response) {
      const lines = `${rest}${String(chunk)}`.split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) if (line.startsWith('data: ')) yield line.slice('data: '.length)
    }
  } catch (error) {
    if (signal.aborted) throw error
    throw unavailable('the daemon went away; "thv list" starts it again and shows how far it got', error)
  }
}

interface CallParts {
  params?: Readonly<Record<string, unknown>>
  query?: Readonly<Record<string, unknown>>
  body?: unknown
}

function requestOf(address: DaemonAddress, id: OperationId, input: CallParts): DaemonRequest {
  const [method, template] = OPERATIONS[id]
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(input.params?.[name])))
  const query = Object.entries(input.query ?? {}).filter(([, value]) => value !== undefined)
  const search =
    query.length > 0 ? `?${new URLSearchParams(query.map(([name, value]) => [name, String(value)])).toString()}` : ''
  const body = input.body === undefined ? undefined : JSON.stringify(input.body)
  const headers = {
    host: 'localhost',
    ...(body !== undefined && { 'content-type': 'application/json', 'content-length': `${Buffer.byteLength(body)}` }),
    ...('token' in address && address.token !== undefined && { authorization: `Bearer ${address.token}` }),
  }
  return { method, path: path + search, headers, body }
}

/** Loaded only by commands that follow a stream. */
async function open(
  address: DaemonAddress,
  { body, ...rest }: DaemonRequest,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const { request } = await import('node:http')
  return new Promise((resolve, reject) => {
    const call = request({ ...address, ...rest, signal }, resolve)
    call.once('error', (error) => reject(isCut(error) ? new WentAway(error) : error))
    call.end(body)
  })
}

async function readText(response: IncomingMessage): Promise<string> {
  response.setEncoding('utf8')
  let text = ''
  for await (const chunk of response) text += String(chunk)
  return text
}

const CODES: Readonly<Record<number, ErrorCode>> = {
  400: 'invalid',
  403: 'forbidden',
  404: 'not-found',
  405: 'unsupported',
  409: 'conflict',
  501: 'not-implemented',
  503: 'unavailable',
}

export function failureOf(status: number, text: string): ThvError {
  return new ThvError(CODES[status] ?? 'unavailable', text.trim() || `the daemon answered ${status}`)
}
