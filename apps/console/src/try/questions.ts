import * as z from 'zod'
import { jsonObject, type JsonObject, type QuestionAnswer } from './mcp-messages.ts'
import { type Content, contentOf } from './contents.ts'

const text = z.string().optional().catch(undefined)

export const elicitation = z.object({
  mode: text,
  message: z.string().catch(''),
  url: text,
  requestedSchema: jsonObject.catch({}),
})

export const sampling = z.object({
  systemPrompt: text,
  maxTokens: z.number().optional().catch(undefined),
  messages: z.array(z.object({ role: z.string(), content: z.unknown() })).catch([]),
})

/** A message has one part, or a list of them. */
export const partsOf = (content: unknown): Content[] =>
  (Array.isArray(content) ? content : [content]).map((part: unknown) => contentOf(part))

const REJECTED = -1

export const ANSWERS = {
  accept: (content?: JsonObject): QuestionAnswer => ({ result: { action: 'accept', ...(content && { content }) } }),
  decline: (): QuestionAnswer => ({ result: { action: 'decline' } }),
  cancel: (): QuestionAnswer => ({ result: { action: 'cancel' } }),
  sampled: (said: string): QuestionAnswer => ({
    result: { role: 'assistant', content: { type: 'text', text: said }, model: 'person', stopReason: 'endTurn' },
  }),
  notSampled: (): QuestionAnswer => ({ error: { code: REJECTED, message: 'User rejected sampling request' } }),
}
