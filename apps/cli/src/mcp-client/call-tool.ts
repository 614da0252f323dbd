import type { CallToolResult, Client, Progress, Tool } from '@modelcontextprotocol/client'
import type { Output } from '../output/output.ts'
import { unknownName } from '../output/did-you-mean.ts'
import { canAsk } from '../output/prompt.ts'
import { answerQuestion } from './answer-questions.ts'
import { withServer } from './connect-server.ts'
import type { McpTarget } from './target.ts'

export interface ToolCall {
  tool: string
  /** Builds the arguments for the call, once the tool's schema is known. */
  argumentsFor: (tool: Tool) => Record<string, unknown>
  timeoutSeconds: number
  signal: AbortSignal
  out: Output
}

/** Calls a tool as any client would. Shows progress, and passes the server's questions to the person at the terminal. */
export function callTool(target: McpTarget, call: ToolCall): Promise<CallToolResult> {
  const { timeoutSeconds, signal, out } = call
  const capabilities = canAsk() ? { elicitation: { form: {}, url: {} } } : {}
  const purpose = { failure: `could not be asked for ${call.tool}`, timeoutSeconds, signal, capabilities }
  return withServer(target, purpose, async (client, options) => {
    if (canAsk())
      client.setRequestHandler('elicitation/create', (request) => answerQuestion(request, out, options.signal))
    const tool = await findTool(client, call.tool, options)
    const asked = { name: tool.name, arguments: call.argumentsFor(tool) }
    out.transient(`${tool.name} is at work`)
    try {
      return await client.callTool(asked, {
        ...options,
        onprogress: (progress) => out.transient(describe(tool, progress)),
      })
    } finally {
      out.transient('')
    }
  })
}

async function findTool(
  client: Client,
  name: string,
  options: { signal: AbortSignal; timeout: number },
): Promise<Tool> {
  const { tools } = client.getServerCapabilities()?.tools ? await client.listTools(undefined, options) : { tools: [] }
  const found = tools.find((tool) => tool.name === name)
  if (found !== undefined) return found
  throw unknownName(
    'tool',
    name,
    tools.map((tool) => tool.name),
  )
}

function describe({ name }: Tool, { progress, total, message }: Progress): string {
  const share = total === undefined || total === 0 ? `${progress}` : `${Math.floor((progress / total) * 100)} %`
  return message === undefined ? `${name}: ${share}` : `${name}: ${share}, ${message}`
}
