/**
 * An MCP server whose tools need every kind of form and give every kind of result: `node showcase-server.ts`, over stdio.
 * It uses nothing but Node and is one file, so that it can be put into any container or sandbox.
 */
import { createInterface } from 'node:readline'
import { deflateSync, crc32 } from 'node:zlib'

type Json = { [key: string]: unknown }

const text = (said: string) => ({ type: 'text', text: said })
const object = (properties: Json, required: string[] = []) => ({ type: 'object', properties, required })
const base64 = (bytes: Uint8Array | string) => Buffer.from(bytes).toString('base64')

const BOOKING = {
  ...object(
    {
      notes: { type: 'string', description: 'Whatever else matters', maxLength: 500 },
      city: { type: 'string', title: 'City', description: 'Where to stay' },
      nights: { type: 'integer', minimum: 1, maximum: 14, default: 2 },
      room: { enum: ['single', 'double', 'suite'] },
      extras: { type: 'array', items: { enum: ['breakfast', 'parking'] } },
      guests: { type: 'array', items: { $ref: '#/$defs/guest' }, minItems: 1 },
      payment: { anyOf: [object({ card: { type: 'string' } }, ['card']), { type: 'string', title: 'voucher' }] },
      isQuiet: { type: 'boolean' },
    },
    ['city', 'room', 'guests'],
  ),
  $defs: { guest: object({ name: { type: 'string' }, age: { type: 'integer', minimum: 0 } }, ['name']) },
}

const HTML = '<h1>Bill</h1><p>For two nights</p>'

interface Call {
  args: Json
  token: unknown
  signal: AbortSignal
}

const tools: Record<string, { about: string; schema: Json; call: (call: Call) => Json | Promise<Json> }> = {
  book: {
    about: 'Books a room, and says what it got',
    schema: BOOKING,
    call: ({ args }) => ({ content: [text(JSON.stringify(args))], structuredContent: { booked: true } }),
  },
  show: {
    about: 'Gives a picture, a sound, a page and links',
    schema: object({}),
    call: () => ({
      content: [
        { type: 'image', data: base64(picture(96, 64)), mimeType: 'image/png' },
        { type: 'audio', data: base64(sound(800)), mimeType: 'audio/wav' },
        { type: 'resource', resource: { uri: 'bill://1', mimeType: 'text/html', text: HTML } },
        { type: 'resource', resource: { uri: 'data://1', mimeType: 'application/zip', blob: base64('PK') } },
        { type: 'resource_link', uri: 'https://example.com/terms', name: 'terms' },
        text('done\u200B'),
      ],
    }),
  },
  /** Returns the result that the call contains. */
  give: {
    about: 'Gives the result that you pass',
    schema: object({ result: { type: 'object' } }, ['result']),
    call: ({ args }) => Object(args['result']),
  },
  work: {
    about: 'Works step by step, and then waits until it is cancelled',
    schema: object({ steps: { type: 'integer', default: 3 } }),
    call: async ({ args, token, signal }) => {
      const total = Number(args['steps'])
      send({ method: 'notifications/message', params: { level: 'info', data: 'begun' } })
      for (let progress = 1; progress < total; progress++)
        send({
          method: 'notifications/progress',
          params: { progressToken: token, progress, total, message: `step ${progress}` },
        })
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
      return {}
    },
  },
  fail: {
    about: 'Reports an error',
    schema: object({}),
    call: () => ({ isError: true, content: [text('no rooms left')] }),
  },
  ask: {
    about: 'Asks you something',
    schema: object({ url: { type: 'string' } }),
    call: async ({ args }) => {
      const requestedSchema = object(
        { name: { type: 'string', title: 'Your name' }, floor: { type: 'integer', minimum: 1 } },
        ['name'],
      )
      const form = { mode: 'form', message: 'Who are you?', requestedSchema }
      const page = { mode: 'url', message: 'Please confirm there', url: args['url'], elicitationId: 'e1' }
      const answer = await ask('elicitation/create', args['url'] === undefined ? form : page)
      return { content: [text(JSON.stringify(answer))] }
    },
  },
  think: {
    about: 'Asks a model',
    schema: object({}),
    call: async () => {
      const messages = [{ role: 'user', content: text('What is the best city?') }]
      const answer = await ask('sampling/createMessage', { messages, systemPrompt: 'Be short.', maxTokens: 20 })
      return { content: [text(JSON.stringify(answer))] }
    },
  },
}

const waiting = new Map<unknown, (answer: unknown) => void>()
const running = new Map<unknown, AbortController>()
let cancelled = 0

function ask(method: string, params: Json): Promise<unknown> {
  const id = `q${waiting.size}-${Date.now()}`
  send({ id, method, params })
  return new Promise((resolve) => waiting.set(id, resolve))
}

function send(message: Json): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
}

async function answer(method: string, params: Json, signal: AbortSignal): Promise<Json> {
  const name = String(params['name'])
  const args = Object(params['arguments'])
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params['protocolVersion'],
        capabilities: { tools: {}, resources: {}, prompts: {}, logging: {} },
        serverInfo: { name: 'showcase', version: '1.0.0' },
      }
    case 'tools/list':
      return {
        tools: Object.entries(tools).map(([tool, { about, schema }]) => ({
          ...{ name: tool, description: about, inputSchema: schema },
        })),
      }
    case 'tools/call': {
      const tool = tools[name]
      if (!tool) throw new Error(`Unknown tool: ${name}`)
      return tool.call({ args, token: Object(params['_meta'])['progressToken'], signal })
    }
    case 'resources/list':
      return { resources: [{ uri: 'memo://state', name: 'state', description: 'How it is' }] }
    case 'resources/templates/list':
      return { resourceTemplates: [{ uriTemplate: 'memo://{room}/{+path}', name: 'rooms' }] }
    case 'resources/read': {
      const uri = String(params['uri'])
      return { contents: [{ uri, mimeType: 'application/json', text: JSON.stringify({ uri, cancelled }) }] }
    }
    case 'prompts/list':
      return {
        prompts: [{ name: 'greet', description: 'Greets', arguments: [{ name: 'who', required: true }] }],
      }
    case 'prompts/get':
      return { description: 'A greeting', messages: [{ role: 'user', content: text(`Say hello to ${args.who}`) }] }
    default:
      return {}
  }
}

async function receive({ id, method, params, ...rest }: Json): Promise<void> {
  if (method === undefined) return waiting.get(id)?.(rest['result'] ?? rest['error'])
  if (method === 'notifications/cancelled') {
    cancelled++
    return running.get(Object(params)['requestId'])?.abort()
  }
  if (id === undefined) return
  const stop = new AbortController()
  running.set(id, stop)
  try {
    const result = await answer(String(method), Object(params), stop.signal)
    if (!stop.signal.aborted) send({ id, result })
  } catch (error) {
    send({ id, error: { code: -32_602, message: error instanceof Error ? error.message : String(error) } })
  }
}

/** A PNG of one colour that fades. */
function picture(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data])
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(data.length)
    sum.writeUInt32BE(crc32(body))
    return Buffer.concat([length, body, sum])
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, 2], 8)
  const rows = Buffer.alloc((width * 3 + 1) * height)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) rows.set([30, 90 + y, 120 + x], y * (width * 3 + 1) + 1 + x * 3)
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** A WAV file of a tone. */
function sound(samples: number): Buffer {
  const head = Buffer.from('RIFF____WAVEfmt ____________________data____', 'latin1')
  head.writeUInt32LE(36 + samples, 4)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(8000, 24)
  head.writeUInt32LE(8000, 28)
  head.writeUInt16LE(1, 32)
  head.writeUInt16LE(8, 34)
  head.writeUInt32LE(samples, 40)
  return Buffer.concat([head, Buffer.from(Array.from({ length: samples }, (_, at) => 128 + 80 * Math.sin(at / 4)))])
}

createInterface({ input: process.stdin })
  .on('line', (line) => void receive(JSON.parse(line)))
  .on('close', () => process.exit(0))
