import {
  Client,
  ProtocolError,
  type Prompt,
  type Resource,
  type ResourceTemplateType,
  SSEClientTransport,
  SdkHttpError,
  StreamableHTTPClientTransport,
  type Tool,
} from '@modelcontextprotocol/client'
import { ThvError, conflict, describeError } from '@toolhaven/core/errors'
import { printable } from '../output/table.ts'
import { VERSION } from '../version.ts'
import type { ListKind } from './list-command.ts'
import type { McpTarget } from './target.ts'

/** What a server offers, in the protocol's own shapes. */
export interface Listing {
  tools?: Tool[]
  resources?: Resource[]
  resourceTemplates?: ResourceTemplateType[]
  prompts?: Prompt[]
}

/** Connects, asks for everything page by page, and takes its leave. */
export async function listServer(
  target: McpTarget,
  kinds: readonly ListKind[],
  timeoutSeconds: number,
  signal: AbortSignal,
): Promise<Listing> {
  const limit = AbortSignal.timeout(timeoutSeconds * 1000)
  const options = { signal: AbortSignal.any([signal, limit]), timeout: timeoutSeconds * 1000 }
  try {
    await using connection = await connect(target, options)
    return await ask(connection.client, kinds, options)
  } catch (error) {
    if (signal.aborted) throw error
    if (limit.aborted)
      throw conflict(`${target.name} did not answer within ${timeoutSeconds} s\nGive it longer with --timeout.`, error)
    throw explained(target, error)
  }
}

interface CallOptions {
  signal: AbortSignal
  timeout: number
}

interface Connection extends AsyncDisposable {
  client: Client
}

async function connect({ url, transports }: McpTarget, options: CallOptions): Promise<Connection> {
  const [kind, ...others] = transports
  const client = new Client(
    { name: 'thv', version: VERSION },
    { versionNegotiation: { mode: 'auto' }, listMaxPages: 0 },
  )
  const transport = kind === 'sse' ? new SSEClientTransport(url) : new StreamableHTTPClientTransport(url)
  try {
    await client.connect(transport, options)
  } catch (error) {
    await client.close()
    // 401 and 403 are answers of a server that understood: another transport would be refused too.
    const isOtherKind =
      error instanceof SdkHttpError && (error.status === 404 || error.status === 405 || error.status === 400)
    if (others.length === 0 || !isOtherKind) throw error
    return connect({ name: '', url, transports: others }, options)
  }
  return {
    client,
    [Symbol.asyncDispose]: async () => {
      // A server that keeps sessions can forget ours at once; one that does not, or is gone, has nothing to forget.
      if ('terminateSession' in transport) await transport.terminateSession().catch(() => undefined)
      await client.close()
    },
  }
}

async function ask(client: Client, kinds: readonly ListKind[], options: CallOptions): Promise<Listing> {
  // What a server does not say it has is not asked for: there is none.
  const has = client.getServerCapabilities() ?? {}
  const listing: Listing = {}
  if (kinds.includes('tools')) listing.tools = has.tools ? (await client.listTools(undefined, options)).tools : []
  if (kinds.includes('resources')) {
    listing.resources = has.resources ? (await client.listResources(undefined, options)).resources : []
    listing.resourceTemplates = has.resources ? await templates(client, options) : []
  }
  if (kinds.includes('prompts'))
    listing.prompts = has.prompts ? (await client.listPrompts(undefined, options)).prompts : []
  return listing
}

const METHOD_NOT_FOUND = -32_601

/** Many servers that have resources know no templates, and say so with an error. */
async function templates(client: Client, options: CallOptions): Promise<ResourceTemplateType[]> {
  try {
    return (await client.listResourceTemplates(undefined, options)).resourceTemplates
  } catch (error) {
    if (isUnknownMethod(error)) return []
    throw error
  }
}

/** Since revision 2026-07-28 it comes with status 404, which the library takes for a fault of the transport. */
function isUnknownMethod(error: unknown): boolean {
  if (error instanceof ProtocolError) return error.code === METHOD_NOT_FOUND
  return error instanceof SdkHttpError && error.status === 404 && /"code"\s*:\s*-32601\b/.test(error.message)
}

function explained({ name, url }: McpTarget, error: unknown): ThvError {
  const status = error instanceof SdkHttpError ? error.status : undefined
  if (status === 401 || status === 403)
    return new ThvError('forbidden', `${name} asks who calls (${status}); "thv run ${url.href}" runs it with a login`, {
      cause: error,
    })
  const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : ''
  const what = printable(`${name} could not be listed: ${describeError(error)}${cause}`.slice(0, 500))
  return conflict(`${what}\nIs ${url.origin} an MCP server? --transport says how to speak to it.`, error)
}
