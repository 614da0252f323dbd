import { setTimeout as pause } from 'node:timers/promises'
import {
  Client,
  type ClientOptions,
  SSEClientTransport,
  SdkHttpError,
  SseError,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { ThvError, conflict, describeError, isThvError } from '@toolhaven/core/errors'
import { printable } from '@toolhaven/contract/visible-text'
import { VERSION } from '../version.ts'
import type { McpTarget } from './target.ts'

/** How long a server may take to end the session. The result is already there. */
const FAREWELL_MS = 1_000

export interface AskOptions {
  signal: AbortSignal
  timeout: number
}

export interface Purpose {
  /** The text after the server's name in an error. */
  failure: string
  timeoutSeconds: number
  signal: AbortSignal
  /** The client's capabilities. */
  capabilities?: ClientOptions['capabilities']
}

/** Connects to a server, runs the work and disconnects. Explains failures. */
export async function withServer<Result>(
  target: McpTarget,
  purpose: Purpose,
  work: (client: Client, options: AskOptions) => Promise<Result>,
): Promise<Result> {
  const { timeoutSeconds, signal, capabilities = {} } = purpose
  const limit = AbortSignal.timeout(timeoutSeconds * 1000)
  const options = { signal: AbortSignal.any([signal, limit]), timeout: timeoutSeconds * 1000 }
  try {
    await using connection = await connect(target, capabilities, options)
    return await work(connection.client, options)
  } catch (error) {
    if (signal.aborted || isThvError(error)) throw error
    if (limit.aborted)
      throw conflict(`${target.name} did not answer within ${timeoutSeconds} s\nGive it longer with --timeout.`, error)
    throw explained(target, purpose.failure, error)
  }
}

interface Connection extends AsyncDisposable {
  client: Client
}

async function connect(
  { url, transports }: McpTarget,
  capabilities: NonNullable<ClientOptions['capabilities']>,
  options: AskOptions,
): Promise<Connection> {
  const [kind, ...others] = transports
  const client = new Client(
    { name: 'thv', version: VERSION },
    { versionNegotiation: { mode: 'auto' }, listMaxPages: 0, capabilities },
  )
  const transport = kind === 'sse' ? new SSEClientTransport(url) : new StreamableHTTPClientTransport(url)
  try {
    await client.connect(transport, options)
  } catch (error) {
    await client.close()
    // A server that answers 401 or 403 understood the request, so another transport would be refused too.
    const isOtherKind =
      error instanceof SdkHttpError && (error.status === 404 || error.status === 405 || error.status === 400)
    if (others.length === 0 || !isOtherKind) throw error
    return connect({ name: '', url, transports: others }, capabilities, options)
  }
  return {
    client,
    [Symbol.asyncDispose]: async () => {
      // A server with sessions can end ours at once. Other servers, or one that is gone, have nothing to end.
      if ('terminateSession' in transport)
        await Promise.race([transport.terminateSession().catch(() => undefined), pause(FAREWELL_MS)])
      await client.close()
    },
  }
}

/** Explanations for the error codes of Node and its HTTP library. */
const UNREACHED: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens at that address',
  ENOTFOUND: 'there is no host with that name',
  EAI_AGAIN: 'the name of the host could not be looked up',
  EHOSTUNREACH: 'no way leads to that host',
  ENETUNREACH: 'no way leads to that host',
  ECONNRESET: 'the connection was cut',
  UND_ERR_SOCKET: 'the connection was cut',
  UND_ERR_CONNECT_TIMEOUT: 'the host did not answer in time',
}

/** The connection error is the cause of the library's error, or the cause of that cause. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  if ('code' in error && typeof error.code === 'string' && error.code in UNREACHED) return error.code
  return codeOf(error.cause)
}

function statusOf(error: unknown): number | undefined {
  if (error instanceof SdkHttpError) return error.status
  return error instanceof SseError ? error.code : undefined
}

function explained({ name, url }: McpTarget, failure: string, error: unknown): ThvError {
  const status = statusOf(error)
  if (status === 401 || status === 403)
    return new ThvError('forbidden', `${name} asks who calls (${status}); "thv run ${url.href}" runs it with a login`, {
      cause: error,
    })
  if (statusOf(error) === 404)
    return conflict(
      printable(`${name} ${failure}: it answered 404`) +
        `\nCheck the path of ${url.href}; the address of a workload, which "thv list" shows, ends in /mcp or /sse.`,
      error,
    )
  const reason = UNREACHED[codeOf(error) ?? '']
  if (reason !== undefined)
    return conflict(
      printable(`${name} ${failure}: ${reason}`) + `\nCheck the address, and that the server runs: ${url.href}`,
      error,
    )
  const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : ''
  const what = printable(`${name} ${failure}: ${describeError(error)}${cause}`.slice(0, 500))
  return conflict(`${what}\nIs ${url.origin} an MCP server? --transport says how to speak to it.`, error)
}
