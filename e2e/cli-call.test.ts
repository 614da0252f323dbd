import { once } from 'node:events'
import { createServer } from 'node:http'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { freePort } from '@toolhaven/testing/free-port'
import { until } from '@toolhaven/testing/testbed/until'
import { startDaemon } from './src/daemon-process.ts'
import { type Home, makeHome } from './src/home.ts'
import { KEYS, atTerminal } from './src/terminal.ts'
import { thv as runThv } from './src/thv.ts'

const PIXEL = Buffer.from('89504e470d0a1a0a', 'hex')

function makeServer(): McpServer {
  const server = new McpServer({ name: 'remote', version: '1' })
  const text = (said: string) => ({ content: [{ type: 'text' as const, text: said }] })
  const sum = { a: z.number().describe('the first'), b: z.number().int(), tags: z.array(z.string()).optional() }
  server.registerTool('add', { inputSchema: sum }, ({ a, b, tags = [] }) => text([a + b, ...tags].join(' ')))
  server.registerTool('draw', {}, () => ({
    content: [
      { type: 'text', text: 'two pictures\u001B[2J' },
      { type: 'image', data: PIXEL.toString('base64'), mimeType: 'image/png' },
      { type: 'image', data: PIXEL.toString('base64'), mimeType: 'image/png' },
    ],
  }))
  // What a shell would run if it were pasted into a line unchanged.
  server.registerTool('add;touch${IFS}hacked', {}, () => text(''))
  server.registerTool('fail', {}, () => ({ ...text('there is no such city'), isError: true }))
  server.registerTool('work', {}, async ({ sendNotification, _meta }) => {
    const progressToken = _meta?.progressToken ?? 0
    const params = { progressToken, progress: 1, total: 4, message: 'reading' }
    await sendNotification({ method: 'notifications/progress', params })
    await new Promise((resolve) => setTimeout(resolve, 300))
    return text('done')
  })
  server.registerTool('ask', {}, async ({ requestId: relatedRequestId }) => {
    const requestedSchema = {
      type: 'object' as const,
      properties: {
        city: { type: 'string' as const, title: 'City' },
        days: { type: 'integer' as const },
        unit: { type: 'string' as const, enum: ['C', 'F'] },
      },
      required: ['city', 'days', 'unit'],
    }
    const answer = await server.server.elicitInput({ message: 'Which weather?', requestedSchema }, { relatedRequestId })
    return text(JSON.stringify(answer))
  })
  return server
}

async function serve() {
  const transports = new Map<string, StreamableHTTPServerTransport>()
  const server = createServer(async (request, response) => {
    const known = transports.get(String(request.headers['mcp-session-id']))
    if (known) return known.handleRequest(request, response)
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => void transports.set(id, transport),
    })
    await makeServer().connect(transport)
    await transport.handleRequest(request, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP listener has a port')
  return {
    url: `http://127.0.0.1:${address.port}/mcp`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

const cleanUp = new AsyncDisposableStack()
let home: Home
let url: string
const thv = (...args: string[]) => runThv(home, args)
beforeAll(async () => {
  ;({ url } = cleanUp.use(await serve()))
  home = cleanUp.use(await makeHome({ env: { THV_RUNTIME: 'process' } }))
  cleanUp.use(await startDaemon(home))
  const run = await thv('run', url, '--name', 'remote')
  expect(run, run.stderr).toMatchObject({ code: 0 })
})
afterAll(() => cleanUp.disposeAsync())

test('a tool is called with arguments of the types it takes', async () => {
  const call = (...args: string[]) => thv('call', 'remote', 'add', ...args)
  expect(await call('-a', 'a=1.5', '-a', 'b=2')).toEqual({ code: 0, stdout: '3.5\n', stderr: '' })
  expect(await call('--json', '{"a": 1, "b": 1}', '--arg', 'b=41')).toMatchObject({ code: 0, stdout: '42\n' })
  const lists = await call('-a', 'a=1', '-a', 'b=1', '-a', 'tags=x', '-a', 'tags=3')
  expect(lists).toMatchObject({ code: 0, stdout: '2 x 3\n' })
  expect(await call('-a', 'a=1', '-a', 'b=1', '-a', 'tags=["y"]')).toMatchObject({ stdout: '2 y\n' })
  const json = await call('-a', 'a=1', '-a', 'b=2', '--format', 'json')
  expect(JSON.parse(json.stdout)).toMatchObject({ content: [{ type: 'text', text: '3' }] })
  expect(await call('a=1', 'b=1', 'tags=x', 'tags=3')).toMatchObject({ code: 0, stdout: '2 x 3\n' })
  const direct = await thv('call', url, 'add', '-a', 'a=1', '-a', 'b=2')
  expect(direct).toMatchObject({ code: 0, stdout: '3\n' })
})

test('a mistake is answered with what to do', async () => {
  const says = async (code: number, text: string | RegExp, ...args: string[]) =>
    expect(await thv('call', ...args)).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(text) })
  await says(3, /tool ad not found\nDid you mean add\?/, 'remote', 'ad')
  await says(3, /Did you mean remote\?/, 'remot', 'add')
  await says(2, /add needs b; give b=VALUE\nIt takes:\n {2}a \(number\) {2}the first\n/, 'remote', 'add', '-a', 'a=1')
  await says(2, /add has no argument tag; did you mean tags\?\nIt takes:/, 'remote', 'add', '-a', 'tag=3')
  await says(2, /^thv: a=one: a must be a number/, 'remote', 'add', '-a', 'a=one', '-a', 'b=2')
  await says(2, /^thv: b=1.5: b must be a whole number/, 'remote', 'add', '-a', 'a=1', '-a', 'b=1.5')
  await says(2, /^thv: a has no value; write a=VALUE/, 'remote', 'add', '-a', 'a')
  await says(2, /^thv: 1 has no name; write it as key=value, such as city=Bern/, 'remote', 'add', '1', '2')
  await says(2, /Write the arguments of the tool as key=value, such as city=Bern/, 'remote', 'add', '--a', '1')
  await says(2, /^thv: “a=1” begins with “, a curly quote.*\nType straight quotes/, 'remote', 'add', '-a', '“a=1”')
  await says(2, /^thv: a was given 2 times but takes only one value/, 'remote', 'add', 'a=1', '--arg', 'a=2', 'b=1')
  await says(
    2,
    /--json is not JSON: \{a: 1\}\nWrite names and texts in double quotes/,
    'remote',
    'add',
    '--json',
    '{a: 1}',
  )
  await says(2, /--json must be an object\n.*double quotes/, 'remote', 'add', '--json', '[1]')
  await says(2, /It must be a number from 1 to 86400\.\n"thv call --help"/, 'remote', 'add', '--timeout', '0')
  await says(2, /missing required argument 'workload'\n[^]*"thv list --all" shows the workloads/)
  const nobody = `http://127.0.0.1:${await freePort()}/mcp`
  await says(1, /nothing listens at that address\nCheck the address, and that the server runs/, nobody, 'add')
  await says(2, /nothing is piped in/, 'remote', 'add', '--json', '-')
})

test('pictures are saved beside those that are there, and text does not drive the terminal', async () => {
  await writeFile(join(home.dir, 'draw-1.png'), 'mine')
  const { code, stdout, stderr } = await thv('call', 'remote', 'draw')
  expect(code, stderr).toBe(0)
  expect(stdout.split('\n').slice(0, 3)).toEqual([
    'two pictures\\u{1b}[2J',
    join(home.dir, 'draw-2.png'),
    join(home.dir, 'draw-3.png'),
  ])
  expect(await readFile(join(home.dir, 'draw-1.png'), 'utf8')).toBe('mine')
  expect(await readFile(join(home.dir, 'draw-3.png'))).toEqual(PIXEL)
  const nowhere = await thv('call', 'remote', 'draw', '--output-dir', 'nowhere')
  expect(nowhere).toMatchObject({ code: 4, stderr: expect.stringContaining('choose a folder with --output-dir') })
})

test('an error that a tool reports is told, with exit code 1', async () => {
  expect(await thv('call', 'remote', 'fail')).toEqual({
    ...{ code: 1, stdout: '' },
    stderr: 'fail reports an error:\nthere is no such city\n',
  })
  expect(await thv('call', 'remote', 'fail', '--format', 'json')).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('"isError": true'),
  })
})

test('a person at the terminal sees the progress and answers what the server asks', async () => {
  expect((await atTerminal(home, ['call', 'remote', 'work'], [])).screen).toContain('work: 25 %, reading')
  const { code, screen } = await atTerminal(
    home,
    ['call', 'remote', 'ask'],
    [
      ['Which weather? Do you want to answer?', 'y\r'],
      ['City', `Bern${KEYS.enter}`],
      ['days', `3${KEYS.enter}`],
      ['unit', `${KEYS.down}${KEYS.enter}`],
    ],
  )
  expect({ code, screen }).toMatchObject({
    code: 0,
    screen: expect.stringContaining('{"action":"accept","content":{"city":"Bern","days":3,"unit":"F"}}'),
  })
  const declined = await atTerminal(home, ['call', 'remote', 'ask'], [['Do you want to answer?', 'n\r']])
  expect(declined.screen).toContain('{"action":"decline"}')
})

test('a shell completes tools and their arguments', async () => {
  // A shell gives up soon, and a busy machine may need a second try.
  const complete = (current: string, ...before: string[]) =>
    until(
      'an answer',
      async () => (await thv('__complete', `--current=${current}`, '--', ...before)).stdout || undefined,
    )
  expect(await complete('a', 'call', 'remote')).toBe('add\nask\n')
  expect(await complete('', 'call', 'remote', 'add', '--arg')).toBe('a=\nb=\ntags=\n')
})
