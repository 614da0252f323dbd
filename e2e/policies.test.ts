import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type CliWorld, openCliWorld } from './src/cli-world.ts'
import { callText, connectMcp } from './src/mcp-client.ts'
import { thv as runThv } from './src/thv.ts'

let world: CliWorld
beforeAll(async () => {
  world = await openCliWorld()
})
afterEach(() => world.removeAll())
afterAll(() => world[Symbol.asyncDispose]())

const thv = (...args: string[]) => runThv(world.home, args)

async function file(name: string, content: object): Promise<string> {
  const path = join(world.home.dir, name)
  await writeFile(path, JSON.stringify(content))
  return path
}

const policies = (...list: string[]) => ({ type: 'cedarv1', version: '1.0', cedar: { policies: list } })

async function records(): Promise<unknown[]> {
  const text = await readFile(join(world.home.stateDir, 'audit', 'calls.log'), 'utf8').catch(() => '')
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line): unknown => JSON.parse(line))
}

test('policies decide on calls, and the audit log has both kinds', async () => {
  const { stdout } = await thv(
    ...['run', world.fixture, '--name', 'guarded'],
    ...[
      '--authz-config',
      await file(
        'policies.json',
        policies(
          'permit(principal, action == Action::"call_tool", resource == Tool::"add") when { context.arg_a < 10 };',
          'permit(principal, action == Action::"call_tool", resource == Tool::"echo");',
        ),
      ),
    ],
    ...[
      '--audit-config',
      await file('audit.json', { log_file: 'calls.log', event_types: ['mcp_tool_call'], include_request_data: true }),
    ],
    ...['--tools-override', await file('names.json', { echo: { name: 'say' } })],
  )
  const url = /http\S+/.exec(stdout)?.[0] ?? ''
  {
    await using mcp = await connectMcp(url)
    expect((await mcp.toolNames()).toSorted()).toEqual(['add', 'say'])
    expect(await callText(mcp, 'add', { a: 1, b: 2 })).toBe('3')
    expect(await callText(mcp, 'say', { text: 'hi' })).toBe('hi')
    await expect(callText(mcp, 'add', { a: 10, b: 2 })).rejects.toThrow('Denied')
    await expect(callText(mcp, 'env')).rejects.toThrow('Denied')
    await expect(callText(mcp, 'echo', { text: 'hi' })).rejects.toThrow('Unknown tool')
  }
  await expect.poll(async () => (await records()).length, { timeout: 20_000 }).toBe(5)
  const call = (name: string, outcome: string) => ({
    type: 'mcp_tool_call',
    component: 'guarded',
    outcome,
    target: { name },
  })
  expect(await records()).toMatchObject([
    { ...call('add', 'success'), data: { request: { arguments: { a: 1, b: 2 } } } },
    call('say', 'success'),
    call('add', 'denied'),
    call('env', 'denied'),
    call('echo', 'denied'),
  ])
  expect((await stat(join(world.home.stateDir, 'audit', 'calls.log'))).mode & 0o777).toBe(0o600)
  await thv('restart', 'guarded')
  await using again = await connectMcp(url)
  expect((await again.toolNames()).toSorted()).toEqual(['add', 'say'])
})

test('policies that cannot be put in force are refused before anything runs', async () => {
  const broken = await file('broken.json', policies('permit(principal action);', 'forbid(resource);'))
  const { code, stderr } = await thv('run', world.fixture, '--name', 'broken', '--authz-config', broken)
  expect(code).toBe(2)
  expect(stderr).toMatch(/policies\[0\].*policies\[1\]/s)
  expect((await thv('list', '--all')).stdout).not.toContain('broken')
})
