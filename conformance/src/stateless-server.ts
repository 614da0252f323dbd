import { setTimeout as sleep } from 'node:timers/promises'
import {
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ResourceNotFoundError,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import {
  completions,
  CONTEXT_GIVEN,
  FIXED_TOOLS,
  INPUT_PROMPT,
  promptMessages,
  PROMPTS,
  resourceContents,
  RESOURCES,
  SERVER,
  TEMPLATES,
  text,
  toolEntry,
} from './content.ts'
import { REGION_HEADER, REGION_TOOL } from './region-header.ts'
import { askForContext, capabilitiesOf, INPUT_TOOLS, states, type Answer } from './input-tools.ts'

/** Tells the clients that listen. */
export interface Changes {
  toolsChanged: () => void
  promptsChanged: () => void
}

const PAUSE_MS = 50

const tools: Readonly<Record<string, (ctx: ServerContext, changes: Changes) => Answer | Promise<Answer>>> = {
  ...INPUT_TOOLS,
  async test_tool_with_progress(ctx) {
    const progressToken = ctx.mcpReq._meta?.progressToken
    for (const progress of [0, 50, 100]) {
      const params = { progressToken, progress, total: 100 }
      if (progressToken !== undefined) await ctx.mcpReq.notify({ method: 'notifications/progress', params })
      await sleep(PAUSE_MS)
    }
    return text('progressed')
  },
  async test_logging_tool(ctx) {
    // The SDK calls it deprecated; clients that ask for it get it all the same.
    // oxlint-disable-next-line typescript/no-deprecated
    await ctx.mcpReq.log('info', 'Tool execution started')
    return text('logged')
  },
  test_missing_capability(ctx) {
    if (capabilitiesOf(ctx).sampling === undefined)
      throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } })
    return text('The client can sample.')
  },
  [REGION_TOOL]: () => text('accepted'),
  test_trigger_tool_change(_ctx, changes) {
    changes.toolsChanged()
    return text('The tools have changed.')
  },
  test_trigger_prompt_change(_ctx, changes) {
    changes.promptsChanged()
    return text('The prompts have changed.')
  },
}

const ARGUMENTS: Readonly<Record<string, Record<string, Record<string, string>>>> = {
  [REGION_TOOL]: { region: { type: 'string', 'x-mcp-header': REGION_HEADER } },
}

const CACHE = { ttlMs: 1000, cacheScope: 'public' as const }

/** A server of the stateless revision, created for each request, with everything that the suite tests. */
export function makeStatelessServer(changesOf: (server: Server) => Changes): Server {
  const server = new Server(SERVER, {
    capabilities: {
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: {},
      logging: {},
      completions: {},
    },
    cacheHints: {
      'tools/list': CACHE,
      'prompts/list': CACHE,
      'resources/list': CACHE,
      'resources/templates/list': CACHE,
      'resources/read': CACHE,
    },
    requestState: { verify: states.verify },
  })
  server.setRequestHandler('tools/list', () => ({
    tools: [...Object.keys(FIXED_TOOLS), ...Object.keys(tools)].map((name) => toolEntry(name, ARGUMENTS[name])),
  }))
  server.setRequestHandler('tools/call', async ({ params: { name } }, ctx) => {
    const result = FIXED_TOOLS[name] ?? (await tools[name]?.(ctx, changesOf(server)))
    if (result === undefined) throw new ProtocolError(-32_602, `Unknown tool: ${name}`)
    return result
  })
  server.setRequestHandler('prompts/list', () => ({
    prompts: [...PROMPTS, INPUT_PROMPT],
  }))
  server.setRequestHandler('prompts/get', ({ params }, ctx) => {
    const isAsking = params.name === INPUT_PROMPT.name
    const question = isAsking ? askForContext(ctx) : undefined
    if (question !== undefined) return question
    const contents = isAsking ? CONTEXT_GIVEN : promptMessages(params.name, params.arguments ?? {})
    if (contents === undefined) throw new ProtocolError(-32_602, `Unknown prompt: ${params.name}`)
    return { messages: contents.map((content) => ({ role: 'user' as const, content })) }
  })
  serveResources(server)
  return server
}

function serveResources(server: Server): void {
  server.setRequestHandler('resources/list', () => ({ resources: RESOURCES }))
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: TEMPLATES }))
  server.setRequestHandler('resources/read', ({ params: { uri } }) => {
    const contents = resourceContents(uri)
    if (contents === undefined) throw new ResourceNotFoundError(uri)
    return { contents }
  })
  server.setRequestHandler('completion/complete', ({ params }) => ({
    completion: { values: completions(params.argument.value), hasMore: false },
  }))
}
