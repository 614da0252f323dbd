import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js'
import {
  CreateMessageResultSchema,
  ElicitResultSchema,
  ListRootsResultSchema,
  type ClientCapabilities,
  type ServerNotification,
  type ServerRequest,
} from '@modelcontextprotocol/sdk/types.js'
import { text, type ToolResult } from './content.ts'

export interface Asking {
  extra: RequestHandlerExtra<ServerRequest, ServerNotification>
  /** What the client of this session said it can do. */
  capabilities: ClientCapabilities | undefined
}

/**
 * The tools of `input-tools.ts` in a server with sessions: it asks during the call. A stateless client sees them as the
 * same tools, because the gateway turns questions into results and answers into the next call.
 */
export const ASKING_TOOLS: Readonly<Record<string, (asking: Asking) => Promise<ToolResult>>> = {
  async test_input_required_result_elicitation(asking) {
    const { content } = await ask(asking, 'What is your name?', 'name')
    return text(`Hello, ${String(content?.['name'])}!`)
  },
  test_input_required_result_sampling: (asking) => given([sample(asking, 'What is the capital of France?', 100)]),
  test_input_required_result_list_roots: (asking) => given([roots(asking)]),
  test_streaming_elicitation: (asking) => given([ask(asking, 'What is your name?', 'name')]),
  test_input_required_result_request_state: confirmed,
  test_input_required_result_tampered_state: confirmed,
  test_input_required_result_multiple_inputs: (asking) =>
    given([ask(asking, 'What is your name?', 'name'), sample(asking, 'Generate a greeting', 50), roots(asking)]),
  async test_input_required_result_multi_round(asking) {
    await ask(asking, 'Step 1: What is your name?', 'name')
    await ask(asking, 'Step 2: What is your favorite color?', 'color')
    return text('Both steps are done.')
  },
  /** Asks only for what the client said it can do. */
  test_input_required_result_capabilities(asking) {
    const { sampling, elicitation } = asking.capabilities ?? {}
    return given([
      ...(sampling === undefined ? [] : [sample(asking, 'What is the capital of France?', 100)]),
      ...(elicitation === undefined ? [] : [ask(asking, 'What is your name?', 'name')]),
    ])
  },
}

export function askForContext(asking: Asking): Promise<unknown> {
  return ask(asking, 'What context should the prompt use?', 'context')
}

async function confirmed(asking: Asking): Promise<ToolResult> {
  await ask(asking, 'Please confirm', 'ok', 'boolean')
  return text('state-ok')
}

async function given(answers: readonly Promise<unknown>[]): Promise<ToolResult> {
  return text(`Given: ${JSON.stringify(await Promise.all(answers))}`)
}

function ask({ extra }: Asking, message: string, field: string, type: 'string' | 'boolean' = 'string') {
  const property = type === 'string' ? { type: 'string' as const } : { type: 'boolean' as const }
  const requestedSchema = { type: 'object' as const, properties: { [field]: property }, required: [field] }
  return extra.sendRequest({ method: 'elicitation/create', params: { message, requestedSchema } }, ElicitResultSchema)
}

export function sample({ extra }: Pick<Asking, 'extra'>, prompt: string, maxTokens: number) {
  const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: prompt } }]
  return extra.sendRequest(
    { method: 'sampling/createMessage', params: { messages, maxTokens } },
    CreateMessageResultSchema,
  )
}

function roots({ extra }: Asking) {
  return extra.sendRequest({ method: 'roots/list' }, ListRootsResultSchema)
}
