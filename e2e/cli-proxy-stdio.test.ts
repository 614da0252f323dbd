import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { CreateMessageRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { startIdentityProvider } from '@toolhaven/testing/testbed/identity-provider'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type CliWorld, openCliWorld } from './src/cli-world.ts'
import { callText, type McpConnection } from './src/mcp-client.ts'
import { thv as runThv } from './src/thv.ts'

const THV = fileURLToPath(new URL('../apps/cli/dist/thv.mjs', import.meta.url))

let world: CliWorld
beforeAll(async () => {
  world = await openCliWorld()
})
afterEach(() => world.removeAll())
afterAll(() => world[Symbol.asyncDispose]())

const thv = (...args: string[]) => runThv(world.home, args)

interface StdioConnection extends McpConnection {
  stderr: () => string
  faults: Error[]
  isOpen: () => boolean
}

/** Like a client that only speaks stdio: it starts the program and talks to it. */
async function connectStdio(args: readonly string[]): Promise<StdioConnection> {
  const { env, dir } = world.home
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [THV, 'proxy', 'stdio', ...args],
    env,
    cwd: dir,
    stderr: 'pipe',
  })
  let stderr = ''
  transport.stderr?.on('data', (chunk: Buffer) => void (stderr += chunk.toString()))
  const client = new Client({ name: 'only-stdio', version: '1' }, { capabilities: { sampling: {} } })
  const faults: Error[] = []
  let isOpen = true
  Object.assign(client, {
    onerror: (error: Error) => void faults.push(error),
    onclose: () => void (isOpen = false),
  })
  client.setRequestHandler(CreateMessageRequestSchema, () => ({
    model: 'test',
    role: 'assistant',
    content: { type: 'text', text: 'from the client' },
  }))
  await client.connect(transport)
  return {
    client,
    toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
    stderr: () => stderr,
    faults,
    isOpen: () => isOpen,
    [Symbol.asyncDispose]: () => client.close(),
  }
}

test('a client that only speaks stdio uses a workload, both ways and over restarts of the workload', async () => {
  await thv('run', 'time')
  await using connection = await connectStdio(['time'])
  expect(await connection.toolNames()).toContain('add')
  const sums = await Promise.all(Array.from({ length: 20 }, (_, a) => callText(connection, 'add', { a, b: 1 })))
  expect(sums).toEqual(Array.from({ length: 20 }, (_, a) => String(a + 1)))
  expect(await callText(connection, 'sample', { text: 'q' })).toContain('from the client')
  const text = 'y'.repeat(2_000_000)
  expect(await callText(connection, 'size', { text })).toBe('2000000')

  const cut = callText(connection, 'sleep', { ms: 600_000 }).catch((error: unknown) => error)
  await thv('restart', 'time')
  expect(await cut).toMatchObject({ code: -32_000 })
  expect(await callText(connection, 'add', { a: 20, b: 22 })).toBe('42')

  // Created again: another port, and no session with that id.
  await thv('rm', 'time')
  const later = callText(connection, 'add', { a: 1, b: 2 })
  await thv('run', 'time')
  expect(await later).toBe('3')
  expect(await callText(connection, 'sample', { text: 'q' })).toContain('from the client')
  expect(connection.faults).toEqual([])
  expect(connection.stderr()).toBe('')
  expect(connection.isOpen()).toBe(true)
})

test('a file of messages is answered in full, and what is not a message with an error', async () => {
  await thv('run', 'time')
  const lines = [
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"f","version":"1"}}}',
    '{"jsonrpc":"2.0","method":"notifications/initialized"}',
    'this is not a message',
    '{"jsonrpc":"1.0","id":2}',
    '',
    '[{"jsonrpc":"2.0","id":"a","method":"ping"},{"jsonrpc":"2.0","id":"b","method":"ping"}]',
    '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"add","arguments":{"a":20,"b":22}}}',
  ]
  const { code, stdout, stderr } = await runThv(world.home, ['proxy', 'stdio', 'time'], { input: lines.join('\n') })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const answers = stdout
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line))
  expect(answers).toHaveLength(6)
  expect(answers).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ id: 1, result: expect.objectContaining({ protocolVersion: '2025-03-26' }) }),
      expect.objectContaining({ id: null, error: expect.objectContaining({ code: -32_700 }) }),
      expect.objectContaining({ id: null, error: expect.objectContaining({ code: -32_600 }) }),
      expect.objectContaining({ id: 'a', result: {} }),
      expect.objectContaining({ id: 'b', result: {} }),
      expect.objectContaining({ id: 3, result: expect.objectContaining({ content: [{ type: 'text', text: '42' }] }) }),
    ]),
  )
})

test('a workload that asks for a token gets the one of the file, and the client an error without it', async () => {
  await using provider = await startIdentityProvider()
  const audience = 'https://guarded.example.com'
  const oidc = { issuer: provider.issuer, audience, allow_private_ip: true }
  await world.daemon.api.call('createWorkload', { body: { name: 'guarded', image: world.fixture, oidc } })
  await thv('restart', 'guarded')
  await writeFile(join(world.home.dir, 'access.txt'), await provider.token({ audience }))
  {
    await using connection = await connectStdio(['guarded', '--token-file', 'access.txt'])
    expect(await callText(connection, 'add', { a: 20, b: 22 })).toBe('42')
  }
  await expect(connectStdio(['guarded'])).rejects.toThrow('401')
})

test('a workload that is stopped is not bridged', async () => {
  await thv('run', 'time')
  await thv('stop', 'time')
  const result = await thv('proxy', 'stdio', 'time')
  expect(result).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('thv restart time') })
})

test('a client that only starts commands finds a working entry in its file', async () => {
  const folder = join(world.home.env['HOME'] ?? '', '.config', 'Claude')
  await mkdir(folder, { recursive: true })
  const file = join(folder, 'claude_desktop_config.json')
  await writeFile(file, '{"globalShortcut": ""}')
  expect(await thv('client', 'register', 'claude-desktop')).toMatchObject({ code: 0 })
  await thv('run', 'time')
  const { command, args } = JSON.parse(await readFile(file, 'utf8')).mcpServers.time
  expect([command, args.slice(0, -1)]).toEqual([process.execPath, [THV, 'proxy', 'stdio']])
  const connection = await connectStdio(args.slice(3))
  expect(await callText(connection, 'echo', { text: 'hello' })).toContain('hello')
  await connection.client.close()
  const wrong = await thv('proxy', 'stdio', 'http://127.0.0.1:1/mcp')
  expect(wrong).toMatchObject({ code: 3, stderr: expect.stringContaining('no workload has the address') })
  await thv('client', 'remove', 'claude-desktop')
  expect(await readFile(file, 'utf8')).toBe('{"globalShortcut": ""}')
})
