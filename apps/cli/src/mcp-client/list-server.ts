import {
  type Client,
  ProtocolError,
  type Prompt,
  type Resource,
  type ResourceTemplateType,
  SdkHttpError,
  type Tool,
} from '@modelcontextprotocol/client'
import { type AskOptions, withServer } from './connect-server.ts'
import type { McpTarget } from './target.ts'

export type ListKind = 'tools' | 'resources' | 'prompts'

/** What a server offers, in the format of the protocol. */
export interface Listing {
  tools?: Tool[]
  resources?: Resource[]
  resourceTemplates?: ResourceTemplateType[]
  prompts?: Prompt[]
}

/** Connects, reads everything page by page, and disconnects. */
export function listServer(
  target: McpTarget,
  kinds: readonly ListKind[],
  timeoutSeconds: number,
  signal: AbortSignal,
): Promise<Listing> {
  const purpose = { failure: 'could not be listed', timeoutSeconds, signal }
  return withServer(target, purpose, (client, options) => ask(client, kinds, options))
}

async function ask(client: Client, kinds: readonly ListKind[], options: AskOptions): Promise<Listing> {
  // Asks only for what the server announces.
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

/** Many servers with resources do not support templates, and answer with an error. */
async function templates(client: Client, options: AskOptions): Promise<ResourceTemplateType[]> {
  try {
    return (await client.listResourceTemplates(undefined, options)).resourceTemplates
  } catch (error) {
    if (isUnknownMethod(error)) return []
    throw error
  }
}

/** Since revision 2026-07-28 it has status 404, which the library treats as a transport error. */
function isUnknownMethod(error: unknown): boolean {
  if (error instanceof ProtocolError) return error.code === METHOD_NOT_FOUND
  return error instanceof SdkHttpError && error.status === 404 && /"code"\s*:\s*-32601\b/.test(error.message)
}
