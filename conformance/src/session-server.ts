import { setTimeout as sleep } from 'node:timers/promises'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import {
  CallToolRequestSchema,
  CompleteRequestSchema,
  ElicitResultSchema,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  LoggingLevelSchema,
  McpError,
  ReadResourceRequestSchema,
  SetLevelRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
  type ElicitRequestFormParams,
  type LoggingLevel,
} from '@modelcontextprotocol/sdk/types.js'
import { askForContext, ASKING_TOOLS, sample, type Asking } from './asking-tools.ts'
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
  type ToolResult,
} from './content.ts'
import { REGION_HEADER, REGION_TOOL } from './region-header.ts'
import { DEFAULTS_FORM, ENUMS_FORM, USER_FORM } from './elicitation-schemas.ts'

interface ToolContext extends Asking {
  args: Record<string, unknown>
  /** Whether a call may end its stream and have the client come back. */
  closesStreams: boolean
  /** Sent unless the client asked for less. */
  log: (level: LoggingLevel, data: string) => Promise<void>
}

type Tool = (context: ToolContext) => Promise<ToolResult>

/** Long enough to be seen as apart. */
const PAUSE_MS = 50
/** The code of the stateless revision. */
const MISSING_CAPABILITY = -32_021

/** All that are open: a change of what there is, is one for all of them. */
const sessions = new Set<Server>()

const tools: Readonly<Record<string, Tool>> = {
  ...ASKING_TOOLS,
  async test_tool_with_logging({ log }) {
    await log('info', 'Tool execution started')
    await sleep(PAUSE_MS)
    await log('info', 'Tool processing data')
    await sleep(PAUSE_MS)
    await log('info', 'Tool execution completed')
    return text('logged')
  },
  async test_tool_with_progress({ extra }) {
    const progressToken = extra._meta?.progressToken
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined)
        await extra.sendNotification({
          method: 'notifications/progress',
          params: { progressToken, progress, total: 100 },
        })
      await sleep(PAUSE_MS)
    }
    return text('progressed')
  },
  async test_sampling({ args, extra }) {
    const { content } = await sample({ extra }, String(args['prompt']), 100)
    return text(`LLM response: ${'text' in content ? content.text : JSON.stringify(content)}`)
  },
  test_elicitation: ({ args, extra }) => elicit(extra, 'User response', String(args['message']), USER_FORM),
  test_elicitation_sep1034_defaults: ({ extra }) =>
    elicit(extra, 'Elicitation completed', 'Please check these values', DEFAULTS_FORM),
  test_elicitation_sep1330_enums: ({ extra }) => elicit(extra, 'Elicitation completed', 'Please choose', ENUMS_FORM),
  /** Makes its client come back for the answer, which only HTTP supports. */
  async test_reconnection({ extra, closesStreams }) {
    if (closesStreams) extra.closeSSEStream?.()
    await sleep(PAUSE_MS)
    return text('Reconnection test completed successfully')
  },
  [REGION_TOOL]: async () => text('accepted'),
  async test_logging_tool({ log }) {
    await log('info', 'Tool execution started')
    return text('logged')
  },
  async test_missing_capability({ capabilities }) {
    const data = { requiredCapabilities: { sampling: {} } }
    if (capabilities?.sampling === undefined) throw new McpError(MISSING_CAPABILITY, 'The client cannot sample', data)
    return text('The client can sample.')
  },
  async test_trigger_tool_change() {
    for (const each of sessions) await each.sendToolListChanged()
    return text('The tools have changed.')
  },
  async test_trigger_prompt_change() {
    for (const each of sessions) await each.sendPromptListChanged()
    return text('The prompts have changed.')
  },
}

const ARGUMENTS: Readonly<Record<string, Record<string, Record<string, string>>>> = {
  test_sampling: { prompt: { type: 'string' } },
  test_elicitation: { message: { type: 'string' } },
  [REGION_TOOL]: { region: { type: 'string', 'x-mcp-header': REGION_HEADER } },
}

async function elicit(
  extra: ToolContext['extra'],
  intro: string,
  message: string,
  requestedSchema: ElicitRequestFormParams['requestedSchema'],
): Promise<ToolResult> {
  const { action, content } = await extra.sendRequest(
    { method: 'elicitation/create', params: { message, requestedSchema } },
    ElicitResultSchema,
  )
  return text(`${intro}: action=${action}, content=${JSON.stringify(content ?? {})}`)
}

/** A server of the revisions with sessions, one for each session, with everything that the suite tests. */
export function makeSessionServer(options: Pick<ToolContext, 'closesStreams'>): Server {
  const server = new Server(SERVER, {
    capabilities: {
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { subscribe: true },
      logging: {},
      completions: {},
    },
  })
  server.oninitialized = () => void sessions.add(server)
  // The SDK has no other way.
  // oxlint-disable-next-line unicorn/prefer-add-event-listener
  server.onclose = () => void sessions.delete(server)
  serveTools(server, options)
  server.setRequestHandler(ListPromptsRequestSchema, () => ({ prompts: [...PROMPTS, INPUT_PROMPT] }))
  server.setRequestHandler(GetPromptRequestSchema, async ({ params }, extra) => {
    const isAsking = params.name === INPUT_PROMPT.name
    if (isAsking) await askForContext({ extra, capabilities: server.getClientCapabilities() })
    const contents = isAsking ? CONTEXT_GIVEN : promptMessages(params.name, params.arguments ?? {})
    if (contents === undefined) throw new McpError(-32_602, `Unknown prompt: ${params.name}`)
    return { messages: contents.map((content) => ({ role: 'user' as const, content })) }
  })
  server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources: RESOURCES }))
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({ resourceTemplates: TEMPLATES }))
  server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) => {
    const contents = resourceContents(uri)
    if (contents === undefined) throw new McpError(-32_002, 'Resource not found', { uri })
    return { contents }
  })
  const subscribed = new Set<string>()
  server.setRequestHandler(SubscribeRequestSchema, ({ params }) => {
    subscribed.add(params.uri)
    return {}
  })
  server.setRequestHandler(UnsubscribeRequestSchema, ({ params }) => {
    subscribed.delete(params.uri)
    return {}
  })
  server.setRequestHandler(CompleteRequestSchema, ({ params }) => ({
    completion: { values: completions(params.argument.value), hasMore: false },
  }))
  return server
}

function serveTools(server: Server, options: Pick<ToolContext, 'closesStreams'>): void {
  const levels = LoggingLevelSchema.options
  let least: LoggingLevel = 'debug'
  server.setRequestHandler(SetLevelRequestSchema, ({ params }) => {
    least = params.level
    return {}
  })
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [...Object.keys(FIXED_TOOLS), ...Object.keys(tools)].map((name) => toolEntry(name, ARGUMENTS[name])),
  }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const { name, arguments: args = {} } = params
    const log = async (level: LoggingLevel, data: string) => {
      if (levels.indexOf(level) < levels.indexOf(least)) return
      await extra.sendNotification({ method: 'notifications/message', params: { level, data } })
    }
    const capabilities = server.getClientCapabilities()
    const result = FIXED_TOOLS[name] ?? (await tools[name]?.({ ...options, args, extra, log, capabilities }))
    if (result === undefined) throw new McpError(-32_602, `Unknown tool: ${name}`)
    return result
  })
}
