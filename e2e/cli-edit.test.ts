import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CliWorld, openCliWorld } from './src/cli-world.ts'
import { connectMcp } from './src/mcp-client.ts'
import { KEYS, atTerminal } from './src/terminal.ts'
import { thv as runThv } from './src/thv.ts'

let world: CliWorld
beforeAll(async () => {
  world = await openCliWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

const thv = (...args: string[]) => runThv(world.home, args)
const details = (name: string) => world.daemon.api.call('getWorkload', { params: { name } })
const daemonKnows = (name: string) => world.daemon.api.call('exportWorkload', { params: { name } })

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
  expect(stdout).toContain('Cursor sees it.')
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
    /--env A +removed \(value not shown\)\n {2}--env B +added \(value not shown\)\n {2}--tools +not set → \["echo"\]/,
  )
  expect(shown.stderr).toMatch(/The server restarts\. Its address stays http/)
  const refused = await thv(...change)
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('add --yes to make these changes') })
  expect(await atTerminal(world.home, change, [['Change web?', 'n\r']])).toMatchObject({ code: 1 })
  expect(await details('web')).toMatchObject({ env_vars: { A: 'hidden-1' }, tools: [] })
  const done = await atTerminal(world.home, change, [['Change web?', 'y\r']])
  expect(done).toMatchObject({ code: 0, screen: expect.stringContaining(`web is changed and running at ${url}`) })
  expect(await details('web')).toMatchObject({ env_vars: { B: 'hidden-2' }, tools: ['echo'], url })
  expect(await connection.client.listTools()).toMatchObject({ tools: [{ name: 'echo' }] })
  expect(await thv(...change.slice(0, -2))).toMatchObject({ code: 0, stderr: 'web already has these settings.\n' })

  for (const [args, told] of [
    [['edit', 'web'], /what should change of web\?/],
    [['edit', 'wbe', '--memory', '1g', '--yes'], /Did you mean web\?/],
    [['edit', 'web', '--secret', 'gone,target=KEY', '--yes'], /"thv secret (setup|set gone)"/],
    [['edit', 'web', '--server', 'tiem', '--yes'], /Did you mean "time"\?/],
    [['move', 'web'], /no group given\nPass --group/],
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
    ...{ name: 'web', applied: true, restarts: false },
    changes: [{ option: '--group', change: 'changed', from: 'research', to: 'default' }],
  })
  expect(await details('web')).toMatchObject({ group: 'default', status: 'stopped' })
})

test('what the daemon would refuse is told at once, before the difference, with --dry-run too', async () => {
  await thv('run', 'time', '--name', 'clock')
  const before = await daemonKnows('clock')
  for (const consent of ['--dry-run', '--yes'])
    for (const [flags, told] of [
      [['--volume', './nope:/x'], /nope.*(not there|does not exist)/],
      [['--secret', 'gone,target=KEY'], /"thv secret (setup|set gone)"/],
      [['--group', 'defualt'], /group defualt not found[^]*Did you mean default\?/],
      [['--tools', 'nosuch'], /nosuch/],
      [['--server', 'tiem'], /Did you mean "time"\?/],
    ] as const) {
      const refused = await thv('edit', 'clock', ...flags, consent)
      expect(refused.code, flags.join(' ')).toBeGreaterThan(0)
      expect(refused.stderr, flags.join(' ')).toMatch(told)
      expect(refused.stderr, flags.join(' ')).not.toMatch(/changes:|restarts|Nothing was changed/)
    }
  const several = await thv('edit', 'clock', '--group', 'gone', '--tools', 'nosuch', '--dry-run', '--format', 'json')
  expect(several).toMatchObject({ stdout: '', stderr: expect.stringMatching(/group gone not found[^]*nosuch/) })
  expect(await daemonKnows('clock')).toEqual(before)
  await thv('rm', 'clock')
})

test('a header is taken back, and those that are kept as secrets stay', async () => {
  const { api } = world.daemon
  await api.call('setupSecrets', { body: { provider_type: 'encrypted' } })
  const headers = { Authorization: 'Bearer canary', 'X-Team': 'red', 'X-Region': 'eu' }
  await api.call('createWorkload', { body: { name: 'far', url: 'http://127.0.0.1:9/mcp', headers } })
  const edit = (...flags: string[]) => thv('edit', 'far', ...flags, '--yes', '--no-wait')
  expect(await edit('--unset', 'header=X-Team')).toMatchObject({ code: 0 })
  expect(await edit('--header', 'X-Lang=en')).toMatchObject({ code: 0 })
  expect(await details('far')).toMatchObject({
    headers: { 'X-Region': 'eu', 'X-Lang': 'en' },
    headers_from_secrets: { Authorization: 'far-header-authorization' },
  })
  expect(await edit('--unset', 'header=Authorization')).toMatchObject({ code: 0 })
  expect(await details('far')).not.toHaveProperty('headers_from_secrets')
})

test('what workloads use is seen once, live and in inspect', async () => {
  await thv('run', world.fixture, '--name', 'busy')
  await thv('run', 'time', '--name', 'idle')
  await thv('stop', 'idle')
  await using connection = await connectMcp((await details('busy')).url)
  for (let call = 0; call < 5; call++) await connection.client.callTool({ name: 'echo', arguments: { text: 'hi' } })
  await connection.client.callTool({ name: 'no-such-tool' }).catch(() => undefined)

  const json = await thv('stats', 'busy', 'idle', '--no-stream', '--format', 'json')
  const [busy, idle] = JSON.parse(json.stdout).workloads
  expect(busy).toMatchObject({ name: 'busy', status: 'running', cpu_percent: expect.any(Number), errors_per_minute: 1 })
  expect(busy.memory_bytes).toBeGreaterThan(20 * 2 ** 20)
  expect(busy.memory_bytes).toBeLessThan(500 * 2 ** 20)
  expect(busy.pids).toBeGreaterThan(1)
  expect(busy.sessions).toBeGreaterThanOrEqual(1)
  expect(busy.calls_per_minute).toBeGreaterThanOrEqual(6)
  expect(busy.p50_ms).toBeGreaterThan(0)
  expect(idle).toEqual({
    ...{ name: 'idle', status: 'stopped', not_measured: 'it is not running' },
    ...{ sessions: 0, calls_per_minute: 0, errors_per_minute: 0 },
  })

  const once = await thv('stats', '--all', '--no-stream')
  expect(once).toMatchObject({ code: 0, stderr: '' })
  expect(once.stdout).toMatch(
    /^NAME +STATUS +CPU +MEMORY +PIDS +SESSIONS +CALLS\/MIN +P50 +ERRORS\nbusy +running +[\d.]+ % /,
  )
  expect(once.stdout).toMatch(/\nidle +stopped +– +– +– +0 +0 +– +0\n/)
  const live = await atTerminal(
    world.home,
    ['stats'],
    [
      ['busy', ''],
      ['busy', KEYS.interrupt],
    ],
  )
  expect(live.code).toBe(0)
  const interruptWhen = (output: string) => output.split('NAME').length > 2
  const piped = await runThv(world.home, ['stats', '--group', 'default'], { interruptWhen })
  expect(piped).toMatchObject({ code: 0, stderr: '' })
  expect(piped.stdout).not.toContain('\u001B')
  const lines = await runThv(world.home, ['stats', 'busy', '--format', 'json'], {
    interruptWhen: (output) => output.split('\n').length > 2,
  })
  expect(JSON.parse(lines.stdout.split('\n')[1] ?? '')).toMatchObject({ workloads: [{ name: 'busy' }] })
  expect((await thv('inspect', 'busy')).stdout).toMatch(
    /\nResource use\n {2}.* % of a core, .* MiB of memory, \d+ processes and threads\n {2}\d+ sessions?; \d+ calls .*; 1 error\n/,
  )

  for (const [args, told] of [
    [['busi', '--no-stream'], /workload busi not found[^]*Did you mean busy\?/],
    [['busy', '--all'], /names cannot be combined/],
    [['--group', 'gone', '--no-stream'], /group gone not found/],
  ] as const) {
    const wrong = await thv('stats', ...args)
    expect(wrong.code, args.join(' ')).toBeGreaterThan(0)
    expect(wrong.stderr, args.join(' ')).toMatch(told)
  }
  await thv('rm', 'busy', 'idle')
})

test('output of several workloads is merged, with times, and that of an earlier life is kept apart', async () => {
  const before = new Date().toISOString()
  await thv('run', 'time')
  await thv('run', 'fetch')
  await thv('restart', 'time')
  const merged = await thv('logs', 'fetch', 'time', '--timestamps')
  expect(merged.stdout).toMatch(
    /^time {2}\| \d{4}-[\dT:.-]+Z ready\nfetch \| \d{4}-[\dT:.-]+Z ready\ntime {2}\| .* ready\n$/,
  )
  const json = await thv('logs', 'time', '--since', before, '--format', 'json')
  const parsed = json.stdout.trimEnd().split('\n')
  expect(parsed.map((line) => JSON.parse(line))).toEqual([
    { workload: 'time', time: expect.stringMatching(/Z$/), stream: 'stderr', text: 'ready' },
    { workload: 'time', time: expect.stringMatching(/Z$/), stream: 'stderr', text: 'ready' },
  ])
  expect(await thv('logs', 'time', '--tail', '1')).toMatchObject({ code: 0, stdout: 'ready\n' })
  expect(await thv('logs', 'time', '--previous')).toMatchObject({ code: 0, stdout: 'ready\n' })
  const none = await thv('logs', 'fetch', '--previous')
  expect(none).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining('no earlier start') })
  const interruptWhen = (output: string) => /time .*ready/.test(output) && /fetch .*ready/.test(output)
  const followed = await runThv(world.home, ['logs', 'time', 'fetch', '--follow'], { interruptWhen })
  expect(followed).toMatchObject({ code: 0, stderr: '' })

  for (const [args, told] of [
    [['time', '--since', 'yesterday'], /--since yesterday is not a time\n.*10m/],
    [['time', '--follow', '--previous'], /pass one of them/],
    [['time', 'fetsh'], /workload fetsh not found[^]*Did you mean fetch\?/],
    [['time', 'fetsh', '--follow'], /workload fetsh not found/],
    [['time', '--tail', 'all'], /must be a number from 0 to 10000/],
  ] as const) {
    const wrong = await thv('logs', ...args)
    expect(wrong.code, args.join(' ')).toBeGreaterThan(0)
    expect(wrong.stderr, args.join(' ')).toMatch(told)
  }
})
