import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type CliWorld, openCliWorld } from './src/cli-world.ts'
import { atTerminal } from './src/terminal.ts'
import { thv as runThv } from './src/thv.ts'

let world: CliWorld
beforeAll(async () => {
  world = await openCliWorld()
})
afterEach(() => world.removeAll())
afterAll(() => world[Symbol.asyncDispose]())

const thv = (...args: string[]) => runThv(world.home, args)

test('with --format json, a failure is one JSON object on stderr', async () => {
  const wrong: [string[], object][] = [
    [['logs', 'gone', '--format', 'json'], { code: 'not-found', exit_code: 3 }],
    [['lsit', '--format', 'json'], { code: 'invalid', message: expect.stringContaining('Did you mean list?') }],
    [['list', '--al', '--format=json'], { code: 'invalid', message: expect.stringContaining('Did you mean --all?') }],
    [['run', 'tiem', '--format', 'json'], { message: expect.stringContaining('Did you mean "time"?') }],
  ]
  for (const [args, error] of wrong) {
    const { code, stdout, stderr } = await thv(...args)
    expect({ stdout, ...JSON.parse(stderr) }, args.join(' ')).toMatchObject({
      stdout: '',
      error: { ...error, exit_code: code },
    })
  }
  // What follows "--" is the server's.
  expect((await thv('run', 'tiem', '--', '--format', 'json')).stderr).toMatch(/^thv: The registry has no/)
})

test('words of other programs lead to ours', async () => {
  await thv('run', 'time')
  expect((await thv('ps')).stdout).toMatch(/^time +running/m)
  expect((await thv('show', 'time')).stdout).toMatch(/^time\n/)
  await thv('stop', 'time')
  expect(await thv('start', 'time')).toMatchObject({ code: 0, stdout: 'time is running\n' })
  await thv('client', 'register', 'cursor')
  expect((await thv('client', 'list')).stdout).toContain('Cursor')
  expect(await thv('client', 'unregister', 'cursor')).toMatchObject({ code: 0 })
  expect((await thv('help', 'run')).stdout).toBe((await thv('run', '--help')).stdout)
  expect((await thv('help')).stdout).toBe((await thv('--help')).stdout)
  expect((await thv('--help')).stdout).toMatch(/-V, --version +show the version/)

  await writeFile(
    join(world.home.dir, 'typing.yaml'),
    'format: 1\nworkload: []\nworkloads:\n  - {name: a, imge: time}\n',
  )
  const wrong: [string[], RegExp][] = [
    [['run', 'time', '-p', '8080'], /unknown option '-p'\n--proxy-port is the port that clients connect to/],
    [['run', '-d', 'time'], /unknown option '-d'\n.*--no-wait/],
    [['run', 'time', '--allow-host', 'https://api.example.com/v1'], /\nWrite --allow-host api\.example\.com\n/],
    [['client', 'register', 'claude', 'code'], /client claude code is not known\nDid you mean ClaudeCode\?/],
    [
      ['apply', '-f', 'typing.yaml'],
      /workload: unknown field; did you mean workloads\?[^]*imge: unknown field; did you mean image\?/,
    ],
  ]
  for (const [args, told] of wrong) {
    const { code, stderr } = await thv(...args)
    expect(code, args.join(' ')).toBe(args[0] === 'client' ? 3 : 2)
    expect(stderr, args.join(' ')).toMatch(told)
  }
})

test('a folder where nothing can be kept is refused at once', async () => {
  for (const name of ['XDG_STATE_HOME', 'XDG_CACHE_HOME', 'HOME']) {
    const refused = await runThv(world.home, ['list'], { env: { [name]: '/proc' } })
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(`${name} is "/proc", where no files`) })
  }
})

test('a terminal is asked for what a server needs, and whether a second copy is meant', async () => {
  const keyed = await atTerminal(
    world.home,
    ['run', 'keyed'],
    [
      ['needs API_KEY', 'hunter2-hunter2\r'],
      ['Set up an encrypted one', 'y\r'],
    ],
  )
  expect(keyed.screen).toContain('It is stored as the secret keyed-api-key')
  expect(keyed.screen).not.toContain('hunter2')
  expect(keyed).toMatchObject({ code: 0, screen: expect.stringContaining('keyed is running at') })
  const { request } = await world.daemon.api.call('getWorkloadRequest', { params: { name: 'keyed' } })
  expect(request.secrets).toEqual([{ name: 'keyed-api-key', target: 'API_KEY' }])
  expect((await thv('secret', 'get', 'keyed-api-key')).stdout).toBe('hunter2-hunter2\n')

  const refused = ['run', 'keyed', '--name', 'refused', '--group', 'gone']
  const failed = await atTerminal(world.home, refused, [['needs API_KEY', 'hunter3-hunter3\r']])
  expect(failed.screen).toContain('group gone not found')
  expect((await thv('secret', 'list')).stdout).toMatch(/^(?!.*refused)[^]*keyed-api-key/s)

  await thv('run', 'time')
  const no = await atTerminal(world.home, ['run', 'time'], [['Run a second one?', 'n\r']])
  expect(no).toMatchObject({ code: 1, screen: expect.stringContaining('"thv inspect time"') })
  expect((await thv('list')).stdout).not.toContain('time-2')
  const yes = await atTerminal(world.home, ['run', 'time'], [['Run a second one?', 'y\r']])
  expect(yes).toMatchObject({ code: 0, screen: expect.stringContaining('time-2 is running at') })

  await thv('stop', 'time')
  const { screen } = await atTerminal(world.home, ['list'], [])
  expect(screen).toMatch(/time-2 +running[^]*1 more stopped; "thv list --all" shows all\./)
  expect((await atTerminal(world.home, ['list', '--all'], [])).screen).not.toContain('more stopped')
})
