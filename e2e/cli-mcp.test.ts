import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js'
import {
  CallToolResultSchema,
  ListPromptsResultSchema,
  ListResourcesResultSchema,
  ListToolsRequestSchema,
  ListToolsResultSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type CliWorld, openCliWorld } from './src/cli-world.ts'
import { connectMcp } from './src/mcp-client.ts'
import { THV, startThv } from './src/running-thv.ts'
import { thv as runThv } from './src/thv.ts'

let world: CliWorld
beforeAll(async () => {
  world = await openCliWorld()
})
afterEach(() => world.removeAll())
afterAll(() => world[Symbol.asyncDispose]())

const thv = (...args: string[]) => runThv(world.home, args)

describe('mcp list', () => {
  test('a workload is asked for tools, resources and prompts', async () => {
    await thv('run', 'time')
    const all = await thv('mcp', 'list', '--server', 'time')
    expect(all.code, all.stderr).toBe(0)
    expect(all.stdout).toMatch(/^TOOLS\nNAME +ARGUMENTS +DESCRIPTION\n(?:.*\n)*add /)
    expect(all.stdout).toMatch(/\nRESOURCES\nNAME +URI +TYPE +DESCRIPTION\na +memo:\/\/a\n\nPROMPTS\n(?:.*\n)*greet\n$/)

    const json = JSON.parse((await thv('mcp', 'list', '--server', 'time', '--format', 'json')).stdout)
    expect(ListToolsResultSchema.parse(json).tools.map(({ name }) => name)).toContain('echo')
    expect(ListResourcesResultSchema.parse(json).resources).toMatchObject([{ uri: 'memo://a' }])
    expect(ListPromptsResultSchema.parse(json).prompts).toMatchObject([{ name: 'greet' }])

    const tools = await thv('mcp', 'list', 'tools', '-s', 'time', '--format', 'json')
    expect(Object.keys(JSON.parse(tools.stdout))).toEqual(['tools'])
    const prompts = await thv('mcp', 'list', 'prompts', '--server', 'time')
    expect(prompts).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/^NAME .*\ngreet\n$/) })
    const resources = await thv('mcp', 'list', 'resources', '--server', 'time')
    expect(resources).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('memo://a') })
  })

  test('a workload whose clients speak SSE is listed too', async () => {
    await thv('run', 'time', '--proxy-mode', 'sse')
    const { code, stdout, stderr } = await thv('mcp', 'list', 'prompts', '--server', 'time')
    expect(code, stderr).toBe(0)
    expect(stdout).toContain('greet')
  })

  test('every page is read, and the text of a server cannot drive the terminal', async () => {
    await using server = await pagingServer()
    const { code, stdout, stderr } = await thv('mcp', 'list', 'tools', '--server', server.url)
    expect(code, stderr).toBe(0)
    const names = stdout.split('\n').slice(1, -1)
    expect(names.map((line) => line.split(' ')[0])).toEqual(Array.from({ length: 150 }, (_, at) => `tool-${at}`))
    expect(stdout).not.toContain('\u001B')
  })

  test('a server that knows only SSE, at an address that does not say so, is understood', async () => {
    await using server = await sseServer()
    const { code, stdout, stderr } = await thv('mcp', 'list', 'tools', '--server', server.url)
    expect(code, stderr).toBe(0)
    expect(stdout).toContain('old-tool')
    const forced = await thv('mcp', 'list', 'tools', '--server', server.url, '--transport', 'streamable-http')
    expect(forced).toMatchObject({ code: 1, stdout: '' })
  })

  test('what cannot be listed is said, with what to do', async () => {
    await thv('run', 'time')
    const unknown = await thv('mcp', 'list', 'tools', '--server', 'tmie')
    expect(unknown).toMatchObject({ code: 3, stdout: '' })
    expect(unknown.stderr).toMatch(/tmie not found.*\nDid you mean time\? "thv list --all" lists them\./)
    await thv('stop', 'time')
    expect(await thv('mcp', 'list', '--server', 'time')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'thv: time is stopped\n"thv restart time" starts it.\n',
    })
    expect(await thv('mcp', 'list')).toMatchObject({ code: 2, stderr: expect.stringContaining('--server') })
    expect(await thv('mcp', 'list', '--server', 'ftp://example.com')).toMatchObject({ code: 2 })
    const other = await thv('mcp', 'list', '--server', world.daemon.baseUrl)
    expect(other).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('answered 404\nCheck the path of http://127.0.0.1'),
    })
  })

  test('a silent server is given up after the time that was asked for', async () => {
    await using server = await httpServer(() => undefined)
    const { code, stderr } = await thv('mcp', 'list', '--server', `${server.url}/mcp`, '--timeout', '1')
    expect(code).toBe(1)
    expect(stderr).toMatch(/did not answer within 1 s\nGive it longer with --timeout\./)
  })
})

describe('mcp serve', () => {
  test('a client finds, runs, reads, stops and removes a server, and never sees a secret', async () => {
    await runThv(world.home, ['secret', 'setup', '--provider', 'encrypted'], { input: 'a good password\n' })
    await runThv(world.home, ['secret', 'set', 'account-key'], { input: 'very-secret-value\n' })
    await using serving = startThv(world.home, ['mcp', 'serve', '--port', '0'])
    const [, url = ''] = await serving.says(/MCP server at (http:\/\/127\.0\.0\.1:\d+\/mcp)\n/)
    await using connection = await connectMcp(url)
    const said: string[] = []
    const call = async (name: string, args: Record<string, unknown> = {}) => {
      const result = CallToolResultSchema.parse(await connection.client.callTool({ name, arguments: args }))
      said.push(JSON.stringify(result))
      return result
    }
    const { tools } = await connection.client.listTools()
    expect(tools.map(({ name }) => name).toSorted()).toEqual([
      'get_server_logs',
      'list_servers',
      'remove_server',
      'run_server',
      'search_registry',
      'stop_server',
    ])
    for (const tool of tools) {
      expect(tool.description?.length, tool.name).toBeGreaterThan(40)
      expect(tool.outputSchema, tool.name).toBeDefined()
    }

    expect((await call('search_registry', { query: 'keyed' })).structuredContent).toMatchObject({
      total: 1,
      servers: [{ name: 'keyed', kind: 'npx', variables: [{ name: 'API_KEY', required: true, secret: true }] }],
    })
    const secrets = [{ name: 'account-key', target: 'API_KEY' }]
    const ran = await call('run_server', { server: 'keyed', name: 'mine', secrets, env: { PLAIN: 'not-for-others' } })
    expect(ran.structuredContent, JSON.stringify(ran)).toMatchObject({ name: 'mine', status: 'running', url: /http/ })
    expect((await call('list_servers')).structuredContent).toMatchObject({ servers: [{ name: 'mine' }] })
    expect((await call('get_server_logs', { name: 'mine', lines: 5 })).structuredContent).toEqual({
      name: 'mine',
      lines: [expect.stringContaining('ready')],
    })
    expect((await call('stop_server', { name: 'mine' })).structuredContent).toEqual({ name: 'mine', status: 'stopped' })
    expect((await call('list_servers', { all: false })).structuredContent).toEqual({ servers: [] })

    const unknown = await call('stop_server', { name: 'mnie' })
    expect(unknown).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('Did you mean mine?') }] })
    expect(await call('run_server', { server: 'time', name: 'mine' })).toMatchObject({ isError: true })
    expect(await call('get_server_logs', { name: 'mine', lines: 0 })).toMatchObject({ isError: true })
    expect((await call('remove_server', { name: 'mine' })).structuredContent).toEqual({
      name: 'mine',
      status: 'removed',
    })
    expect((await call('list_servers')).structuredContent).toEqual({ servers: [] })
    expect(said.join()).not.toMatch(/very-secret-value|not-for-others/)

    expect(await serving.interrupt()).toMatchObject({ code: 0, stderr: '' })
    await expect(fetch(url)).rejects.toThrow()
  })

  test('a failed start is told with its reason', async () => {
    await using serving = startThv(world.home, ['mcp', 'serve', '--port', '0'])
    const [, url = ''] = await serving.says(/MCP server at (\S+)\n/)
    await using connection = await connectMcp(url)
    const args = { server: 'npx://thv-no-such-package@1.0.0', name: 'broken' }
    const failed = CallToolResultSchema.parse(await connection.client.callTool({ name: 'run_server', arguments: args }))
    expect(failed.structuredContent).toMatchObject({ name: 'broken', status: 'error', reason: /not in/ })
  })

  test('it is listed by our own client, in the newest revision of the protocol', async () => {
    await using serving = startThv(world.home, ['mcp', 'serve', '--port', '0'])
    const [, url = ''] = await serving.says(/MCP server at (\S+)\n/)
    const { code, stdout, stderr } = await thv('mcp', 'list', 'tools', '--server', url)
    expect(code, stderr).toBe(0)
    expect(stdout).toMatch(/\nrun_server +server, name\?, group\?/)
  })

  test('web pages do not get in, and only loopback addresses are served', async () => {
    await using serving = startThv(world.home, ['mcp', 'serve', '--port', '0'])
    const [, url = ''] = await serving.says(/MCP server at (\S+)\n/)
    expect(await statusOf(url, { host: 'evil.example' })).toBe(403)
    expect(await statusOf(url, { origin: 'https://evil.example' })).toBe(403)
    expect(await statusOf(url, { 'content-type': 'text/plain' })).toBe(400)
    expect(await statusOf(new URL('/', url).href, {})).toBe(404)
    const open = await thv('mcp', 'serve', '--host', '0.0.0.0', '--port', '0')
    expect(open).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('127.0.0.1') })
    const port = new URL(url).port
    const taken = await thv('mcp', 'serve', '--port', port)
    expect(taken).toMatchObject({ code: 1, stderr: expect.stringContaining(`port ${port} is in use`) })
  })

  test('a client can start it over stdio, and it ends with the client', async () => {
    const client = new Client({ name: 'toolhaven-e2e', version: '1.0.0' })
    const args = [THV, 'mcp', 'serve', '--transport', 'stdio']
    const transport = new StdioClientTransport({ command: process.execPath, args, env: world.home.env })
    await client.connect(transport)
    const { pid } = transport
    const { servers } = CallToolResultSchema.parse(await client.callTool({ name: 'list_servers', arguments: {} }))
      .structuredContent ?? { servers: undefined }
    expect(servers).toEqual([])
    await client.close()
    expect(() => process.kill(pid ?? 0, 0)).toThrow('ESRCH')
  })
})

interface TestServer extends AsyncDisposable {
  url: string
}

type Listener = Parameters<typeof createServer>[1]

async function httpServer(listener: NonNullable<Listener>): Promise<TestServer> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const { port } =
    address !== null && typeof address === 'object' ? address : ({ port: 0 } satisfies Partial<AddressInfo>)
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** 150 tools, two to a page, with a description that would clear a screen. */
async function pagingServer(): Promise<TestServer> {
  const server = await httpServer(async (incoming, response) => {
    if (incoming.method !== 'POST') return void response.writeHead(405).end()
    const { id, method, params } = JSON.parse((await incoming.toArray()).join(''))
    const reply = (message: object) =>
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id, ...message }))
    if (id === undefined) return void response.writeHead(202).end()
    if (method === 'initialize') {
      const { protocolVersion } = params
      return void reply({
        result: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'p', version: '1' } },
      })
    }
    if (method !== 'tools/list') return void reply({ error: { code: -32_601, message: 'Method not found' } })
    const from = Number(params?.cursor ?? 0)
    const tools = [from, from + 1].map((at) => ({
      name: `tool-${at}`,
      description: 'clears\u001B[2J',
      inputSchema: { type: 'object' },
    }))
    reply({ result: { tools, ...(from + 2 < 150 && { nextCursor: String(from + 2) }) } })
  })
  return { url: `${server.url}/mcp`, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

async function sseServer(): Promise<TestServer> {
  const transports = new Map<string, SSEServerTransport>()
  const server = await httpServer(async (incoming, response) => {
    const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://localhost')
    if (pathname === '/messages')
      return transports.get(searchParams.get('sessionId') ?? '')?.handlePostMessage(incoming, response)
    if (incoming.method !== 'GET') return void response.writeHead(405).end()
    const transport = new SSEServerTransport('/messages', response)
    transports.set(transport.sessionId, transport)
    const mcp = new Server({ name: 'old', version: '1' }, { capabilities: { tools: {} } })
    mcp.setRequestHandler(ListToolsRequestSchema, () => ({
      tools: [{ name: 'old-tool', inputSchema: { type: 'object' } }],
    }))
    await mcp.connect(transport)
  })
  return { url: `${server.url}/events`, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

/** `fetch` would not let a caller choose these headers. */
function statusOf(url: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const all = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers }
    const call = request(url, { method: 'POST', headers: all }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    call.once('error', reject)
    call.end('{}')
  })
}
