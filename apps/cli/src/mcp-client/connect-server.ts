import { setTimeout as pause } from 'node:timers/promises'
import {
  Client,
  type ClientOptions,
  SSEClientTransport,
  SdkHttpError,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { conflict, isThvError } from '@toolhaven/core/errors'
import { VERSION } from '../version.ts'
import { explainConnection } from './explain-connection.ts'
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
    throw explainConnection(target, purpose.failure, error)
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
