import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CliWorld, openCliWorld } from './src/cli-world.ts'
import { connectMcp } from './src/mcp-client.ts'
import { atTerminal } from './src/terminal.ts'
import { thv as runThv } from './src/thv.ts'

let world: CliWorld
beforeAll(async () => {
  world = await openCliWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

const thv = (...args: string[]) => runThv(world.home, args)
const details = (name: string) => world.daemon.api.call('getWorkload', { params: { name } })

test('a workload is looked at, changed after a question, and moved to another group', async () => {
  await thv('client', 'register', 'cursor')
  await thv('run', world.fixture, '--name', 'web', '-e', 'A=hidden-1', '--permission-profile', 'none')
  const { url } = await details('web')
  await using connection = await connectMcp(url)
  await connection.client.listTools()

  const { code, stdout } = await thv('inspect', 'web')
  expect(code).toBe(0)
  expect(stdout).toMatch(/^web\n {2}Status +running\n {2}Address +http:[^]*Variables +A\n/)
  expect(stdout).toContain('It reaches nothing on any network.')
  expect(stdout).toContain('It sees no files of this machine.')
  expect(stdout).toMatch(/\nTools\n .*echo/)
  expect(stdout).toContain('Cursor see it.')
  expect(stdout).not.toContain('hidden-1')
  expect(JSON.parse((await thv('inspect', 'web', '--format', 'json')).stdout)).toMatchObject({
    workload: { name: 'web', env_vars: { A: 'hidden-1' } },
    clients: ['Cursor'],
    tools: { names: expect.arrayContaining(['echo']), changed: [] },
  })

  const change = ['edit', 'web', '-e', 'B=hidden-2', '--tools', 'echo', '--unset', 'env=A']
  const shown = await thv(...change, '--dry-run')
  expect(shown).toMatchObject({ code: 0, stdout: '' })
  expect(shown.stderr).toMatch(
    /--env A +\(value not shown\)\n {2}--env B +\(value not shown\)\n {2}--tools +not set → \["echo"\]/,
  )
  expect(shown.stderr).toMatch(/The server restarts\. Its address stays http/)
  const refused = await thv(...change)
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('add --yes to make these changes') })
  expect(await atTerminal(world.home, change, [['Change web?', 'n']])).toMatchObject({ code: 1 })
  expect(await details('web')).toMatchObject({ env_vars: { A: 'hidden-1' }, tools: [] })
  const done = await atTerminal(world.home, change, [['Change web?', 'y']])
  expect(done).toMatchObject({ code: 0, screen: expect.stringContaining(`web is changed and running at ${url}`) })
  expect(await details('web')).toMatchObject({ env_vars: { B: 'hidden-2' }, tools: ['echo'], url })
  expect(await connection.client.listTools()).toMatchObject({ tools: [{ name: 'echo' }] })
  expect(await thv(...change.slice(0, -2))).toMatchObject({ code: 0, stderr: 'Nothing changes: web is so already.\n' })

  for (const [args, told] of [
    [['edit', 'web'], /what should change of web\?/],
    [['edit', 'wbe', '--memory', '1g', '--yes'], /Did you mean web\?/],
    [['edit', 'web', '--secret', 'gone,target=KEY', '--yes'], /"thv secret (setup|set gone)"/],
    [['edit', 'web', '--server', 'tiem', '--yes'], /Did you mean "time"\?/],
    [['move', 'web'], /which group\? Name it with --group/],
    [['move', 'web', '--group', 'gone'], /group gone not found/],
  ] as const) {
    const wrong = await thv(...args)
    expect(wrong.code, args.join(' ')).toBeGreaterThan(0)
    expect(wrong.stderr, args.join(' ')).toMatch(told)
  }

  await thv('group', 'create', 'research')
  await thv('stop', 'web')
  expect(await thv('move', 'web', '-g', 'research')).toMatchObject({ code: 0, stdout: 'web is in research\n' })
  expect(await details('web')).toMatchObject({ group: 'research', status: 'stopped' })
  expect(await thv('move', 'web', '-g', 'research')).toMatchObject({ stdout: 'web is in research already\n' })
  const again = await thv('edit', 'web', '--group', 'default', '--yes', '--format', 'json')
  expect(JSON.parse(again.stdout)).toEqual({
    ...{ name: 'web', applied: true, restarts: true },
    changes: [{ option: '--group', from: 'research', to: 'default' }],
  })
})
