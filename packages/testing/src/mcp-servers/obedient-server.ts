import { createInterface } from 'node:readline'
import * as z from 'zod'

/**
 * A server on stdin and stdout that does what its calls say, step by step, so that a test decides what happens when. It
 * uses plain messages: nothing between it and the gateway changes their order.
 */
const message = z.looseObject({
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string().optional(),
  params: z.looseObject({}).optional(),
  result: z.looseObject({}).optional(),
})
type Message = z.infer<typeof message>

const obeyed = z.object({
  arguments: z.object({
    /** Names the caller. */
    tag: z.string(),
    steps: z.array(z.enum(['progress', 'ask', 'hold', 'touch'])).default([]),
    /** Answers although the call was cancelled, as some servers do. */
    isStubborn: z.boolean().default(false),
  }),
  _meta: z.looseObject({}).optional(),
})
type Obeyed = z.infer<typeof obeyed>

const named = z.looseObject({ name: z.string(), arguments: z.looseObject({ tag: z.string().optional() }).optional() })

const cancelled = new Set<string | number>()
const released = new Set<string>()
const holds = new Map<string, () => void>()
const questions = new Map<string, (text: string) => void>()
const given: [asked: string, answer: string][] = []
let asked = 0

createInterface({ input: process.stdin }).on('line', (line) => receive(message.parse(JSON.parse(line))))

function receive({ id, method, params, result }: Message): void {
  if (method === undefined) {
    const content = z.looseObject({ content: z.looseObject({ text: z.string() }) }).safeParse(result)
    questions.get(String(id))?.(content.data?.content.text ?? 'refused')
    questions.delete(String(id))
  } else if (method === 'notifications/cancelled') {
    const of = z.looseObject({ requestId: z.union([z.string(), z.number()]) }).parse(params)
    cancelled.add(of.requestId)
  } else if (id !== undefined) {
    void answer(id, method, params)
  }
}

async function answer(id: string | number, method: string, params: Message['params']): Promise<void> {
  if (method === 'initialize') {
    const capabilities = { tools: {}, resources: { subscribe: true } }
    const serverInfo = { name: 'obedient', version: '1' }
    return write({ id, result: { protocolVersion: '2025-11-25', capabilities, serverInfo } })
  }
  if (method === 'tools/list')
    return write({ id, result: { tools: [{ name: 'obey', inputSchema: { type: 'object' } }] } })
  if (method !== 'tools/call') return write({ id, result: {} })
  const call = named.parse(params)
  if (call.name === 'obey') return obey(id, obeyed.parse(params))
  if (call.name === 'release') release(call.arguments?.tag ?? '')
  else if (call.name === 'fail') return write({ id, result: { isError: true, content: [] } })
  else if (call.name !== 'report') return write({ id, error: { code: -32_602, message: `no tool ${call.name}` } })
  write({ id, result: text({ given }) })
}

async function obey(
  id: string | number,
  { arguments: { tag, steps, isStubborn }, _meta: meta }: Obeyed,
): Promise<void> {
  const heard: string[] = []
  for (const [index, step] of steps.entries()) {
    if (cancelled.has(id) && !isStubborn) return
    const progressToken = meta?.['progressToken']
    if (step === 'progress' && progressToken !== undefined)
      notify('notifications/progress', { progressToken, progress: index + 1, message: tag })
    if (step === 'touch') notify('notifications/resources/updated', { uri: `memo://${tag}` })
    if (step === 'ask') heard.push(await ask(tag))
    if (step === 'hold') await held(tag)
  }
  if (!cancelled.has(id) || isStubborn) write({ id, result: text({ tag, heard, meta }) })
}

function ask(tag: string): Promise<string> {
  const id = `q${++asked}`
  const question = { role: 'user', content: { type: 'text', text: `${id} of ${tag}` } }
  write({ id, method: 'sampling/createMessage', params: { messages: [question], maxTokens: 1 } })
  return new Promise((resolve) => {
    questions.set(id, (answered) => {
      given.push([id, answered])
      resolve(answered)
    })
  })
}

function held(tag: string): Promise<void> {
  if (released.has(tag)) return Promise.resolve()
  return new Promise((resolve) => {
    holds.set(tag, resolve)
  })
}

function release(tag: string): void {
  released.add(tag)
  holds.get(tag)?.()
  holds.delete(tag)
}

function notify(method: string, params: object): void {
  write({ method, params })
}

function text(value: object): object {
  return { content: [{ type: 'text', text: JSON.stringify(value) }] }
}

function write(body: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...body })}\n`)
}
