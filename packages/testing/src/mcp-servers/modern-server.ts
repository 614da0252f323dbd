/**
 * A server of protocol revision 2026-07-28 for tests, made with the official SDK:
 * `node modern-server.ts --transport=stdio|sse|streamable-http --era=modern|dual --port=0`. With `dual` it also takes clients
 * that open with initialize. `--tools-file=PATH` and
 * `--offers-file=PATH`: as in fixture-server.ts. HTTP writes "listening on PORT" to stderr. Its tools are named as those of fixture-server.ts.
 */
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  createMcpHandler,
  inputRequired,
  ProtocolError,
  Server,
  type InputRequest,
  type InputRequiredResult,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { serveStdio, type StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { answerSse } from './answer-sse.ts'
import { answerWithFetch } from './answer-with-fetch.ts'

const flags = new Map(process.argv.slice(2).map((arg) => [arg.split('=')[0] ?? '', arg.slice(arg.indexOf('=') + 1)]))
const legacy = flags.get('--era') === 'dual'

/** What happened in this process, which tests read through the `stats` tool. */
const stats = { era: '', cancelled: 0, sleeping: 0, rounds: 0 }
const held: (() => void)[] = []

interface Told {
  toolsChanged: () => void
  resourceUpdated: (uri: string) => void
}

interface ToolContext {
  args: Record<string, unknown>
  ctx: ServerContext
  told: Told
}

type Answer = string | InputRequiredResult

const tools: Record<string, (context: ToolContext) => Answer | Promise<Answer>> = {
  echo: ({ args }) => String(args['text']),
  add: ({ args }) => String(Number(args['a']) + Number(args['b'])),
  pid: () => String(process.pid),
  stats: () => JSON.stringify(stats),
  blob: ({ args }) => 'x'.repeat(Number(args['bytes'])),
  size: ({ args }) => String(String(args['text']).length),
  crash: () => process.exit(3),
  region: ({ args }) => `in ${String(args['region'])}`,
  /** What this very request told the server about its client. */
  envelope: ({ ctx }) => JSON.stringify({ ...ctx.mcpReq._meta, ...ctx.mcpReq.envelope }),
  headers: ({ ctx }) => JSON.stringify(Object.fromEntries(ctx.http?.req?.headers ?? [])),
  async sleep({ args, ctx }) {
    stats.sleeping++
    ctx.mcpReq.signal.addEventListener('abort', () => stats.cancelled++)
    // Aborted: nobody waits for the answer any more.
    await sleep(Number(args['ms']), undefined, { signal: ctx.mcpReq.signal }).catch(() => undefined)
    return 'slept'
  },
  async progress({ args, ctx }) {
    const steps = Number(args['steps'])
    const progressToken = ctx.mcpReq._meta?.progressToken
    for (let i = 1; i <= steps; i++) {
      const params = { progressToken, progress: i, total: steps, message: String(args['text']) }
      if (progressToken !== undefined) await ctx.mcpReq.notify({ method: 'notifications/progress', params })
      await sleep(1)
    }
    // With `hold` the answer waits for a call of `release`.
    if (args['hold'] === true) await new Promise<void>((resolve) => held.push(resolve))
    return String(args['text'])
  },
  async release() {
    // It may arrive before the call that it is for has got this far.
    for (let waited = 0; held.length === 0 && waited < 200; waited++) await sleep(1)
    for (const release of held.splice(0)) release()
    return 'released'
  },
  async log({ args, ctx }) {
    const level = args['level'] === 'error' ? 'error' : 'info'
    // The SDK calls it deprecated; clients that ask for it get it all the same.
    // oxlint-disable-next-line typescript/no-deprecated
    await ctx.mcpReq.log(level, String(args['text']))
    return 'logged'
  },
  sample: ({ args, ctx }) =>
    ask(
      ctx,
      'sample',
      inputRequired.createMessage({
        messages: [{ role: 'user', content: { type: 'text', text: String(args['text']) } }],
        maxTokens: 10,
      }),
    ),
  elicit: ({ args, ctx }) => ask(ctx, 'elicit', elicitation(String(args['text']))),
  roots: ({ ctx }) => ask(ctx, 'roots', inputRequired.listRoots()),
  /** Two questions in one result, then a third one. */
  interview({ ctx }) {
    const { inputResponses: given = {} } = ctx.mcpReq
    const state = ctx.mcpReq.requestState<string>()
    stats.rounds++
    if (state === undefined)
      return inputRequired({
        inputRequests: { first: elicitation('first'), second: inputRequired.listRoots() },
        requestState: 'one " two',
      })
    if (state !== 'one " two') return `${state} ${JSON.stringify(given)}`
    const known = JSON.stringify(given)
    return inputRequired({ inputRequests: { third: elicitation('third') }, requestState: known })
  },
  /** Busy: asks the client to ask again, twice. */
  later({ ctx }) {
    const round = Number(ctx.mcpReq.requestState<string>() ?? 0)
    return round < 2 ? inputRequired({ requestState: String(round + 1) }) : `after ${round}`
  },
  touch({ args, told }) {
    told.resourceUpdated(String(args['uri']))
    return 'touched'
  },
  relist({ told }) {
    told.toolsChanged()
    return 'relisted'
  },
}

function elicitation(message: string): InputRequest {
  return inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
  })
}

/** One question: asked once, and its answer returned as text. */
function ask(ctx: ServerContext, key: string, request: InputRequest): Answer {
  const answer = ctx.mcpReq.inputResponses?.[key]
  return answer === undefined ? inputRequired({ inputRequests: { [key]: request } }) : JSON.stringify(answer)
}

const REGION = { type: 'object' as const, properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } }

interface Offers {
  instructions: string
  prompts: { name: string }[]
  templates: { name: string; uriTemplate: string }[]
}

function offers(): Offers {
  const file = flags.get('--offers-file')
  const usual = { instructions: 'for tests', prompts: [{ name: 'greet' }], templates: [] }
  return { ...usual, ...(file !== undefined && JSON.parse(readFileSync(file, 'utf8'))) }
}

function makeServer(era: string, told: (server: Server) => Told): Server {
  stats.era = era
  const server = new Server(
    { name: 'modern-fixture', version: '2.3.4' },
    {
      capabilities: {
        tools: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        prompts: {},
        logging: {},
      },
      instructions: offers().instructions,
      cacheHints: { 'tools/list': { ttlMs: 60_000, cacheScope: 'public' } },
    },
  )
  server.setRequestHandler('tools/list', async () => {
    const file = flags.get('--tools-file')
    const changes: Record<string, object | null> = file === undefined ? {} : JSON.parse(await readFile(file, 'utf8'))
    const names = [...new Set([...Object.keys(tools), ...Object.keys(changes)])].filter(
      (name) => changes[name] !== null,
    )
    return {
      tools: names.map((name) => ({
        name,
        description: `the ${name} tool`,
        inputSchema: name === 'region' ? REGION : { type: 'object' as const },
        ...changes[name],
      })),
    }
  })
  server.setRequestHandler('tools/call', async ({ params }, ctx) => {
    const tool = Object.hasOwn(tools, params.name) ? tools[params.name] : undefined
    if (tool === undefined) throw new ProtocolError(-32_602, `Unknown tool: ${params.name}`)
    const answer = await tool({ args: params.arguments ?? {}, ctx, told: told(server) })
    return typeof answer === 'string' ? { content: [{ type: 'text', text: answer }] } : answer
  })
  server.setRequestHandler('resources/list', () => ({ resources: [{ uri: 'memo://a', name: 'a' }] }))
  server.setRequestHandler('resources/read', ({ params: { uri } }) => ({
    contents: [{ uri, text: `content of ${uri}` }],
  }))
  server.setRequestHandler('prompts/list', () => ({ prompts: offers().prompts }))
  server.setRequestHandler('prompts/get', ({ params: { name } }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `prompt ${name}` } }],
  }))
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: offers().templates }))
  return server
}

function streamableHttp(): RequestListener {
  const handler = createMcpHandler(({ era }) => makeServer(era, () => told), {
    legacy: legacy ? 'stateless' : 'reject',
  })
  const told: Told = handler.notify
  return (request, response) => void answerWithFetch((asked) => handler.fetch(asked), request, response)
}

/** Over the pipe of the process, or anything else that carries one message after the other. */
function serveMessages(transport?: StdioServerTransport): void {
  serveStdio(
    ({ era }) =>
      makeServer(era, (server) => ({
        toolsChanged: () => void server.sendToolListChanged(),
        resourceUpdated: (uri) => void server.sendResourceUpdated({ uri }),
      })),
    { legacy: legacy ? 'serve' : 'reject', ...(transport && { transport }) },
  )
}

function listen(onRequest: RequestListener): void {
  const server = createServer(onRequest)
  server.listen(Number(flags.get('--port') ?? 0), '127.0.0.1', () => {
    const address = server.address()
    process.stderr.write(`listening on ${typeof address === 'object' ? address?.port : address}\n`)
  })
}

const transport = flags.get('--transport')
if (transport === 'streamable-http') listen(streamableHttp())
else if (transport === 'sse') listen(answerSse(serveMessages))
else serveMessages()
