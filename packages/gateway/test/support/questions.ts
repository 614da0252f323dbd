import * as z from 'zod'

/** What servers ask clients. */
export type Question = 'sampling' | 'elicitation' | 'roots'

/** A question that names its subject, where it has room for that. */
export function questionOf(kind: Question, text: string) {
  if (kind === 'roots') return { method: 'roots/list' }
  if (kind === 'elicitation')
    return {
      method: 'elicitation/create',
      params: { message: text, requestedSchema: { type: 'object', properties: {} } },
    }
  return {
    method: 'sampling/createMessage',
    params: { messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens: 1 },
  }
}

const sampling = z.looseObject({
  messages: z.tuple([z.looseObject({ content: z.looseObject({ text: z.string() }) })]),
})
const elicitation = z.looseObject({ message: z.string() })

/** The subject of a question, and the answer of a client that gives its name. */
export function answerTo(name: string, method: string, params: unknown): { about: string; result: object } {
  if (method === 'roots/list')
    return { about: '', result: { roots: [{ uri: `file:///${name}`, name: `${name} answers` }] } }
  if (method === 'elicitation/create') {
    const { message } = elicitation.parse(params)
    return { about: message, result: { action: 'accept', content: { said: `${name} answers ${message}` } } }
  }
  const about = sampling.parse(params).messages[0].content.text
  const content = { type: 'text', text: `${name} answers ${about}` }
  return { about, result: { model: 'm', role: 'assistant', content } }
}
