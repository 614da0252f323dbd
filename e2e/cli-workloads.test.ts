import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '@toolhaven/testing/free-port'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { serverList, serverResponse } from '@toolhaven/contract/registry'
import { runConfig } from '@toolhaven/contract/run-config'
import { workloadDetails, workloadList } from '@toolhaven/contract/workloads'
import { type CliWorld, openCliWorld } from './src/cli-world.ts'
import { makeGate } from './src/gate.ts'
import { callText, connectMcp } from './src/mcp-client.ts'
import { thv as runThv } from './src/thv.ts'

let world: CliWorld
beforeAll(async () => {
  world = await openCliWorld()
})
afterEach(() => world.removeAll())
afterAll(() => world[Symbol.asyncDispose]())

const thv = (...args: string[]) => runThv(world.home, args)
const listed = async (...args: string[]) => {
  const { stdout } = await thv('list', '--format', 'json', ...args)
  return workloadList.parse(JSON.parse(stdout)).workloads
}

test('a server is found, run, used, listed, read, stopped, restarted, exported, removed and run from the file', async () => {
  const found = await thv('search', 'TIME')
  expect(found).toMatchObject({ code: 0, stderr: '' })
  expect(found.stdout).toMatch(/^NAME +KIND +TRANSPORT .*\ntime +npx +stdio +Community/)

  const run = await thv('run', 'time', '--label', 'team=docs')
  expect(run).toMatchObject({ code: 0 })
  const [, url = ''] = /^time is running at (http:\/\/127\.0\.0\.1:\d+\/mcp)\n$/.exec(run.stdout) ?? []
  await using connection = await connectMcp(url)
  expect(await callText(connection, 'add', { a: 20, b: 22 })).toBe('42')

  expect((await thv('ls')).stdout).toMatch(/^NAME +STATUS +GROUP +URL +PACKAGE\ntime +running +default +http/)
  expect(await listed('--label', 'team=docs')).toMatchObject([{ name: 'time', status: 'running', url }])
  expect(await listed('--label', 'team=other')).toEqual([])
  expect(JSON.parse((await thv('list', '--format', 'mcpservers')).stdout)).toEqual({
    mcpServers: { time: { url, type: 'streamable-http' } },
  })
  expect(await thv('logs', 'time')).toMatchObject({ code: 0 })

  expect(await thv('stop', 'time')).toMatchObject({ code: 0, stdout: 'time is stopped\n' })
  expect(await listed()).toEqual([])
  expect(await listed('--all')).toMatchObject([{ name: 'time', status: 'stopped' }])
  expect(await thv('restart', '--all')).toMatchObject({ code: 0, stdout: 'time is running\n' })

  await mkdir(join(world.home.dir, 'backup'))
  expect(await thv('export', 'time', 'backup/time.json')).toMatchObject({ code: 0, stdout: '' })
  const file = join(world.home.dir, 'backup', 'time.json')
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  const exported = await thv('export', 'time')
  expect(runConfig.parse(JSON.parse(exported.stdout))).toEqual(JSON.parse(await readFile(file, 'utf8')))

  const removed = await thv('rm', '--group', 'default', '--format', 'json')
  expect({ ...removed, stdout: JSON.parse(removed.stdout) }).toEqual({
    code: 0,
    stdout: { names: ['time'] },
    stderr: '',
  })
  expect(await listed('--all')).toEqual([])
  const again = await thv('run', '--from-config', file, '--name', 'again', '--format', 'json')
  expect(workloadDetails.parse(JSON.parse(again.stdout))).toMatchObject({
    name: 'again',
    status: 'running',
    url,
    labels: { team: 'docs' },
  })
  expect(await thv('rm', '--all', '--yes')).toMatchObject({ code: 0, stdout: 'again is removed\n' })
  expect(await thv('rm', '--all', '--yes')).toEqual({
    code: 0,
    stdout: '',
    stderr: 'There is nothing to do: no workload matches.\n',
  })
})

test('options, variables, paths and arguments of run reach the workload', async () => {
  for (const folder of ['some/folder', 'home/notes']) await mkdir(join(world.home.dir, folder), { recursive: true })
  await writeFile(join(world.home.dir, 'some.env'), 'export FROM_FILE="a b"\nBOTH=file\n')
  await writeFile(
    join(world.home.dir, 'profile.json'),
    JSON.stringify({ network: { outbound: { insecure_allow_all: true } } }),
  )
  const { code, stdout, stderr } = await runThv(
    world.home,
    [
      ...['run', world.fixture, '--name', 'full', '--group', 'default', '--transport', 'stdio', '--proxy-mode', 'sse'],
      ...['--host', '127.0.0.1', '--env', 'BOTH=flag', '-e', 'MINE', '-e', 'EQUALS=a=b', '--env-file', 'some.env'],
      ...[
        '--volume',
        'some/folder:/here:ro',
        '-v',
        '~/notes:/notes',
        '--tools',
        'echo,add',
        '--tools',
        'size',
        '--label',
        'a=1',
      ],
      ...[
        '--allow-host',
        'localhost:5432',
        '--permission-profile',
        'profile.json',
        '--no-wait',
        '--format',
        'json',
        '--',
        '--one',
        '-x',
        'two words',
      ],
    ],
    { env: { MINE: 'from my shell' } },
  )
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(workloadDetails.parse(JSON.parse(stdout))).toMatchObject({
    ...{
      name: 'full',
      group: 'default',
      transport: 'stdio',
      proxy_mode: 'sse',
      tools: ['echo', 'add', 'size'],
      labels: { a: '1' },
    },
    env_vars: { FROM_FILE: 'a b', BOTH: 'flag', MINE: 'from my shell', EQUALS: 'a=b' },
    volumes: [`${world.home.dir}/some/folder:/here:ro`, `${world.home.env['HOME']}/notes:/notes`],
    permission_profile: { network: { outbound: { insecure_allow_all: true, allow_host: ['localhost:5432'] } } },
    network_mode: 'isolated',
    cmd_arguments: ['--one', '-x', 'two words'],
  })
  expect(await thv('rm', 'full')).toMatchObject({ code: 0 })
})

test('a registry entry or a file that asks for files or the network of this machine needs a confirmation', async () => {
  const notes = join(world.home.dir, 'asked-for')
  await mkdir(notes)
  const shared = { network_mode: 'host', permission_profile: { network: { outbound: { insecure_allow_all: true } } } }
  const config = { schema_version: 'v0.1.0', name: 'file', image: world.fixture, transport: 'stdio' }
  await writeFile(
    join(world.home.dir, 'file.json'),
    JSON.stringify({ ...config, ...shared, volumes: [`${notes}:/notes:ro`] }),
  )
  const run = (...flags: string[]) => thv('run', '--from-config', 'file.json', '--no-wait', ...flags)
  expect(await run()).toMatchObject({ code: 2, stderr: expect.stringMatching(/network_mode host.*--accept-network/) })
  expect(await run('--accept-network')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/asked-for:\/notes:ro; .*--accept-mounts/),
  })
  expect(await listed()).toEqual([])
  const accepted = await run('--accept-network', '--accept-mounts')
  expect(accepted).toMatchObject({ code: 0, stderr: expect.stringContaining('Warning: file shares the network') })
  expect(await thv('rm', 'file')).toMatchObject({ code: 0 })
})

test('a server that cannot start is told with its reason, and stays for another try if that was asked for', async () => {
  expect(await thv('run', world.fixture, '--name', 'broken', '--', '--behaviour=crash-at-start')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining(
      'thv: broken: the server exited with code 1\nIts last lines:\n  ready\nbroken was removed. To keep a workload that does not start, use --keep.\n',
    ),
  })
  expect(await listed('--all')).toEqual([])
  const { code, stdout, stderr } = await thv('run', 'npx://surely-not-there@1.0.0', '--name', 'broken', '--keep')
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/^thv: broken: .*surely-not-there[^]*\n"thv logs broken" shows its output/)
  expect(await listed()).toMatchObject([{ name: 'broken', status: 'error' }])
  expect(await thv('list')).toMatchObject({ code: 0, stderr: expect.stringMatching(/^broken: .*surely-not-there/) })
  expect(await thv('restart', 'broken')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^thv: broken: [^]*\n"thv logs broken" shows its output\./),
  })
  expect(await thv('rm', 'broken')).toMatchObject({ code: 0 })
})

test('a remote server that nobody answers for is told at once, kept and tried again', async () => {
  const away = await thv('run', `http://127.0.0.1:${await freePort()}/mcp`, '--name', 'away')
  expect(away).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('ECONNREFUSED') })
  expect(away.stderr).toContain('The workload is kept, and Toolhaven tries again.')
  expect(await listed()).toMatchObject([{ name: 'away', status: 'error' }])
  expect(await thv('logs', 'away')).toMatchObject({ stdout: expect.stringMatching(/^\[toolhaven\] .*ECONNREFUSED/) })
})

test('names that nobody has are errors that say what may have been meant', async () => {
  expect(await thv('run', 'time')).toMatchObject({ code: 0 })
  for (const args of [['stop'], ['restart'], ['rm'], ['logs'], ['logs', '--follow'], ['export']]) {
    const { code, stdout, stderr } = await thv(...args, 'tiem')
    expect({ code, stdout }, args.join(' ')).toEqual({ code: 3, stdout: '' })
    expect(stderr, args.join(' ')).toMatch(
      /^thv: workload tiem not found.*\nDid you mean time\? "thv list --all" lists them\.\n$/,
    )
  }
  expect(await thv('rm', 'time', 'ghost')).toMatchObject({ code: 3, stderr: expect.stringContaining('ghost') })
  expect(await listed()).toMatchObject([{ name: 'time' }])
  expect(await thv('list', '--group', 'defalt')).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('Did you mean default?'),
  })
  expect(await thv('stop', '--group', 'nowhere')).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('group nowhere not found'),
  })
  expect(await thv('registry', 'info', 'tme')).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('Did you mean time?'),
  })
  const taken = await thv('run', 'time', '--name', 'time')
  expect(taken).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('already exists') })
  const meant = { code: 3, stdout: '', stderr: 'thv: The registry has no "tme". Did you mean "time"?\n' }
  expect(await thv('run', 'tme')).toEqual(meant)
  expect(await thv('run', 'Tme', '--group', 'default')).toMatchObject({ code: 3, stdout: '' })
  const strange = await thv('run', 'no-such-server-anywhere')
  expect(strange).toMatchObject({
    code: 3,
    stdout: '',
    stderr: expect.stringContaining('no-such-server-anywhere:latest'),
  })
  expect(await listed('--all')).toMatchObject([{ name: 'time' }])
  expect(await thv('rm', '--all', '--yes')).toMatchObject({ code: 0 })
})

test('wrong usage is told before anything is done', async () => {
  for (const [args, said] of [
    [['stop'], 'pass --group NAME or --all'],
    [['rm', 'time', '--all'], 'names, --group and --all exclude each other'],
    [['run'], 'no server given'],
    [['run', 'time', '--env', 'NOT_THERE'], 'NOT_THERE=VALUE'],
    [['run', 'time', '--label', 'x'], '--label must have the form KEY=VALUE'],
    [['run', 'time', '--memory', 'much'], '--memory much must be a size such as 512m or 2g'],
    [['run', 'time', '--secret', 'x'], 'NAME,target=VARIABLE'],
    [['run', 'time', '--permission-profile', 'nowhere.json'], '--permission-profile nowhere.json cannot be read'],
    [['run', 'time', '--from-config', 'x.json'], '--from-config takes everything from the file'],
    [['run', '--from-config', 'nowhere.json'], '--from-config nowhere.json cannot be read'],
    [['run', 'time', '--proxy-port', '70000'], 'from 1 to 65535'],
    [['run', 'time', '--transport', 'carrier-pigeon'], 'Allowed choices are'],
    [['list', '--frmat', 'json'], 'Did you mean --format?'],
    [['lits'], 'Did you mean list?'],
  ] as const) {
    const { code, stdout, stderr } = await thv(...args)
    expect({ code, stdout }, args.join(' ')).toEqual({ code: 2, stdout: '' })
    expect(stderr, args.join(' ')).toContain(said)
  }
  expect(await listed('--all')).toEqual([])
})

test('the registry is listed, searched and explained in the shapes of the API', async () => {
  const all = serverList.parse(JSON.parse((await thv('registry', 'list', '--format', 'json')).stdout))
  expect(all.servers.map(({ name }) => name)).toEqual(['fetch', 'keyed', 'time'])
  const some = serverList.parse(JSON.parse((await thv('search', 'page', '--format', 'json')).stdout))
  expect(some.servers.map(({ name }) => name)).toEqual(['fetch'])
  const one = serverResponse.parse(JSON.parse((await thv('registry', 'info', 'time', '--format', 'json')).stdout))
  expect(one.server).toMatchObject({ name: 'time' })
  const text = await thv('registry', 'info', 'keyed')
  expect(text.stdout).toContain('API_KEY (required, secret): Key of the account')
  expect(text.stdout).toContain('Run it: thv run keyed --secret API_KEY,target=API_KEY')
  // What a registry says must not drive the terminal.
  expect(text.stdout).not.toContain('\u001B')
  expect(await thv('search', 'zeppelin')).toMatchObject({
    code: 0,
    stdout: '',
    stderr: expect.stringContaining('zeppelin'),
  })
})

test('output is followed until Ctrl-C, and logs of no workload are pruned', async () => {
  await thv('run', 'time')
  const followed = await runThv(world.home, ['logs', 'time', '--follow'], {
    interruptWhen: (output) => output.includes('\n'),
  })
  expect(followed).toMatchObject({ code: 0, stderr: '' })
  expect(followed.stdout).not.toBe('')
  await writeFile(join(world.home.stateDir, 'logs', 'forgotten.log'), 'x\n', { mode: 0o600 })
  expect(await thv('logs', 'prune')).toEqual({ code: 0, stdout: 'log of forgotten is removed\n', stderr: '' })
  const nothing = await thv('logs', 'prune', '--format', 'json')
  expect(JSON.parse(nothing.stdout)).toEqual({ removed: [] })
  expect((await thv('logs', 'time')).stdout).not.toBe('')
  expect(await thv('rm', 'time')).toMatchObject({ code: 0 })
})

test('Ctrl-C while a server starts leaves it starting, and says how to remove it', async () => {
  // Takes the connection and never answers.
  await using gate = await makeGate(9)
  gate.hold()
  const args = ['run', `http://127.0.0.1:${gate.port}/mcp`, '--name', 'slow']
  const interrupted = await runThv(world.home, args, { interruptAfter: gate.reached })
  expect(interrupted).toEqual({ code: 130, stdout: '', stderr: 'slow is still starting; "thv rm slow" removes it.\n' })
  expect(await listed()).toMatchObject([{ name: 'slow', status: 'starting' }])
  expect(await thv('rm', 'slow')).toMatchObject({ code: 0 })
})
