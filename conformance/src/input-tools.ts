import {
  createRequestStateCodec,
  inputRequired,
  type InputRequest,
  type InputRequiredResult,
  type ServerContext,
} from '@modelcontextprotocol/server'
import * as z from 'zod'
import { text, type ToolResult } from './content.ts'

/** What a call may answer in revision 2026-07-28: a result, or questions to the client. */
export type Answer = ToolResult | InputRequiredResult

/** Sealed, so that nobody can change what comes back. */
export const states = createRequestStateCodec<string>({ key: crypto.getRandomValues(new Uint8Array(32)) })

const named = z.object({ action: z.literal('accept'), content: z.object({ name: z.string() }) })

const question = {
  name: ask('What is your name?', 'name', 'string'),
  confirm: ask('Please confirm', 'ok', 'boolean'),
  capital: sample('What is the capital of France?', 100),
  greeting: sample('Generate a greeting', 50),
}

/** Tools that need something from their client before they can answer. */
export const INPUT_TOOLS: Readonly<Record<string, (ctx: ServerContext) => Answer | Promise<Answer>>> = {
  test_input_required_result_elicitation(ctx) {
    const given = named.safeParse(answerTo(ctx, 'user_name'))
    return given.success
      ? text(`Hello, ${given.data.content.name}!`)
      : inputRequired({ inputRequests: { user_name: question.name } })
  },
  test_input_required_result_sampling: (ctx) => once(ctx, { capital_question: question.capital }),
  test_input_required_result_list_roots: (ctx) => once(ctx, { client_roots: inputRequired.listRoots() }),
  test_streaming_elicitation: (ctx) => once(ctx, { user_name: question.name }),
  test_input_required_result_request_state: (ctx) => withState(ctx, { confirm: question.confirm }, 'state-ok'),
  test_input_required_result_tampered_state: (ctx) => withState(ctx, { confirm: question.confirm }, 'state-ok'),
  test_input_required_result_multiple_inputs: (ctx) =>
    withState(
      ctx,
      { user_name: question.name, greeting: question.greeting, client_roots: inputRequired.listRoots() },
      'all given',
    ),
  async test_input_required_result_multi_round(ctx) {
    const round = ctx.mcpReq.requestState<string>()
    if (round === 'second' && answerTo(ctx, 'step2') !== undefined) return text('Both steps are done.')
    if (round === 'first' && answerTo(ctx, 'step1') !== undefined)
      return inputRequired({
        inputRequests: { step2: ask('Step 2: What is your favorite color?', 'color', 'string') },
        requestState: await states.mint('second', ctx),
      })
    return inputRequired({
      inputRequests: { step1: ask('Step 1: What is your name?', 'name', 'string') },
      requestState: await states.mint('first', ctx),
    })
  },
  /** Asks only for what the client said it can do. */
  test_input_required_result_capabilities(ctx) {
    const { sampling, elicitation } = capabilitiesOf(ctx)
    return once(ctx, {
      ...(sampling === undefined ? {} : { capital_question: question.capital }),
      ...(elicitation === undefined ? {} : { user_name: question.name }),
    })
  },
}

export function askForContext(ctx: ServerContext): InputRequiredResult | undefined {
  if (answerTo(ctx, 'user_context') !== undefined) return undefined
  return inputRequired({
    inputRequests: { user_context: ask('What context should the prompt use?', 'context', 'string') },
  })
}

const declared = z.looseObject({
  'io.modelcontextprotocol/clientCapabilities': z.looseObject({
    sampling: z.looseObject({}).optional(),
    elicitation: z.looseObject({}).optional(),
  }),
})

export function capabilitiesOf(ctx: ServerContext) {
  return declared.parse(ctx.mcpReq.envelope)['io.modelcontextprotocol/clientCapabilities']
}

function answerTo(ctx: ServerContext, key: string): unknown {
  return ctx.mcpReq.inputResponses?.[key]
}

function once(ctx: ServerContext, inputRequests: Record<string, InputRequest>): Answer {
  const answers = Object.keys(inputRequests).map((key) => answerTo(ctx, key))
  return answers.every((given) => given !== undefined)
    ? text(`Given: ${JSON.stringify(answers)}`)
    : inputRequired({ inputRequests })
}

async function withState(
  ctx: ServerContext,
  inputRequests: Record<string, InputRequest>,
  done: string,
): Promise<Answer> {
  const isAnswered = Object.keys(inputRequests).every((key) => answerTo(ctx, key) !== undefined)
  if (isAnswered && ctx.mcpReq.requestState<string>() === 'asked') return text(done)
  return inputRequired({ inputRequests, requestState: await states.mint('asked', ctx) })
}

function ask(message: string, field: string, type: 'string' | 'boolean'): InputRequest {
  const property = type === 'string' ? { type: 'string' as const } : { type: 'boolean' as const }
  return inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties: { [field]: property }, required: [field] },
  })
}

function sample(prompt: string, maxTokens: number): InputRequest {
  return inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: prompt } }],
    maxTokens,
  })
}
