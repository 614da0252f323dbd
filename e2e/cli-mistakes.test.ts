import { rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type CliWorld, openCliWorld } from './src/cli-world.ts'
import { startThv } from './src/running-thv.ts'
import { atTerminal, KEYS, type Step } from './src/terminal.ts'
import { thv as runThv } from './src/thv.ts'

let world: CliWorld

beforeAll(async () => {
  world = await openCliWorld()
})
afterAll(() => world[Symbol.asyncDispose]())
afterEach(() => world.removeAll())

const thv = (...args: string[]) => runThv(world.home, args)

test('a run that is refused names flags and commands', async () => {
  await thv('run', 'time')
  const { port } = await world.daemon.api.call('getWorkload', { params: { name: 'time' } })
  const wrong: [string[], RegExp][] = [
    [
      ['time', '--name', 'other', '--proxy-port', `${port}`],
      new RegExp(`--proxy-port ${port} belongs to the workload time; choose another, or omit it for a free one`),
    ],
    [
      ['time', '--name', 'other', '--proxy-port', `${world.daemon.port}`],
      /--proxy-port \d+ is the port of Toolhaven's own API; choose another/,
    ],
    [['time', '--name', '../x'], /--name: must be 1 to 100 letters[^;]*$/],
    [['time', '-e', 'A B=1'], /--env A B: must be an environment variable name: letters, digits/],
    [['time', '--permission-profile', 'nope'], /there is no such file; check the path\nUse "none", "network" or/],
    [['time', '--name', 'time'], /choose another name with --name, or remove it with "thv rm time"/],
    [['keyed'], /keyed needs API_KEY\. Pass it with --secret NAME,target=API_KEY or -e API_KEY=VALUE/],
    [['time', '--secret', 'token,target=A'], /"thv secret (setup|set token)"/],
    [['time', '--tools', 'nothing'], /--tools: time has no tool nothing/],
    [['time', '--transport', 'sse'], /--target-port is missing/],
    [['time', '--group', 'gone'], /"thv group create gone"/],
    [['time', '--host', '0.0.0.0'], /--host "0\.0\.0\.0" is not a loopback address/],
    [['time', '--oidc-audience', 'x'], /set --oidc-issuer or --oidc-jwks-url/],
    [['http://169.254.169.254/mcp'], /give another address/],
    [['http://a:b@127.0.0.1/mcp'], /use --header/],
  ]
  for (const [args, told] of wrong) {
    const { code, stdout, stderr } = await thv('run', ...args)
    expect({ code, stdout }, args.join(' ')).not.toEqual({ code: 0, stdout })
    expect(stderr, args.join(' ')).toMatch(told)
  }
  // Another port may be free later; this one never is.
  const ofApi = await thv('run', 'time', '--name', 'other', '--proxy-port', `${world.daemon.port}`)
  expect(ofApi.code).toBe(2)
})

test('all workloads are removed only after a question, or with --yes', async () => {
  await thv('run', 'time')
  const refused = await thv('rm', '--all')
  expect(refused).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(/add --yes .*\(time\)/) })
  const asked = await atTerminal(world.home, ['rm', '--all'], [['Remove the only workload', 'n\r']])
  expect(asked).toMatchObject({ code: 1, screen: expect.stringContaining('nothing was changed') })
  // Neither a key within a word counts, nor a word that is not an answer.
  const answers: Step[] = [
    ['Remove the only workload', 'maybe\r'],
    ['Type y or n', 'n\r'],
  ]
  expect(await atTerminal(world.home, ['rm', '--all'], answers)).toMatchObject({ code: 1 })
  for (const key of [KEYS.interrupt, KEYS.endOfInput]) {
    const left = await atTerminal(world.home, ['rm', '--all'], [['Remove the only workload', key]])
    expect(left).toMatchObject({ code: 1, screen: expect.stringContaining('cancelled; nothing was changed') })
  }
  expect((await thv('list')).stdout).toMatch(/^time +running/m)
  expect(await thv('rm', '--all', '--yes')).toMatchObject({ code: 0, stdout: 'time is removed\n' })
  // There is nothing to ask about.
  expect(await thv('rm', '--all')).toMatchObject({ code: 0 })
})

test('a second run of the same server says that there is one already', async () => {
  await thv('run', 'time')
  const already = 'There is already a workload time of the same server'
  const second = await thv('run', 'time')
  expect(second).toMatchObject({ code: 0, stdout: expect.stringMatching(/^time-2 is running/) })
  expect(second.stderr).toContain(`${already} (it is running), so this one is called time-2.`)
  await thv('stop', 'time')
  expect((await thv('run', 'time')).stderr).toContain(`${already} ("thv restart time" starts it)`)
  // A name that was asked for is no surprise.
  expect((await thv('run', 'time', '--name', 'time-9')).stderr).not.toContain(already)
})

test('a run that a script gives up says what goes on', async () => {
  const silent = createServer(() => {})
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  try {
    await using running = startThv(world.home, ['run', `http://127.0.0.1:${Object(silent.address()).port}/mcp`])
    const names = async () => (await world.daemon.api.call('listWorkloads', { query: {} })).workloads
    await expect.poll(names).toMatchObject([{ name: '127.0.0.1' }])
    const told = '127.0.0.1 is still starting; "thv rm 127.0.0.1" removes it.'
    expect(await running.terminate()).toMatchObject({ code: 143, stderr: expect.stringContaining(told) })
  } finally {
    silent.closeAllConnections()
    silent.close()
  }
})

test('a secret in use is deleted only by force', async () => {
  await runThv(world.home, ['secret', 'setup', '--provider', 'encrypted'], { input: 'a good password\n' })
  await runThv(world.home, ['secret', 'set', 'key'], { input: 'value\n' })
  await thv('run', 'keyed', '--secret', 'key,target=API_KEY')
  const refused = await thv('secret', 'delete', 'key')
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/used by keyed\n.*--force/) })
  expect(await thv('secret', 'delete', 'key', '--force')).toMatchObject({ code: 0 })
})

test('a wrong line or file is answered with what to do next', async () => {
  await rm(join(world.home.dir, 'toolhaven.yaml'), { force: true })
  await writeFile(join(world.home.dir, 'broken.json'), '{')
  await writeFile(join(world.home.dir, 'own.json'), '{"name": "x", "image": "time"}')
  await writeFile(join(world.home.dir, 'client.json'), '{"mcpServers": {"time": {"command": "npx"}}}')
  await writeFile(join(world.home.dir, 'client.yaml'), 'mcpServers:\n  time:\n    command: npx\n')
  const wrong: [string[], RegExp][] = [
    [['hlep'], /"thv --help" lists the commands/],
    [['lsit'], /Did you mean list\?/],
    [['mcp', 'list', 'tolls', '--server', 'time'], /unknown command 'tolls'\n\(Did you mean tools\?\)/],
    [['mcp', 'list', 'xyzzy'], /unknown command 'xyzzy'\nThere are: .*tools/],
    [['proxy', 'gone'], /--target-uri is missing\ngone is the name of the new proxy\./],
    [['list', 'time'], /too many arguments for 'list': it takes no arguments/],
    [['list', '--json'], /unknown option '--json'[^]*"thv list --format json" prints JSON/],
    [['list', '--label', 'team'], /--label team must have the form KEY=VALUE, such as team=docs/],
    [['group', 'create', 'my group'], /^thv: the name must be 1 to 100 lower-case letters/],
    [['group', 'create', 'G1'], /must be lower case/],
    [['search'], /"thv search --help" shows how to use it/],
    [['run', 'time', '--nmae', 'x'], /Did you mean --name\?/],
    [['run', 'time', '--proxy-port', 'abc'], /It must be a number from 1 to 65535/],
    [['run', 'time', '--permission-profile', 'gone.json'], /there is no such file; check the path/],
    [['run', '--from-config', '.'], /it is a folder; name a file in it/],
    [['run', '--from-config', 'broken.json'], /broken\.json is not JSON: line 1, column 2: /],
    [['secret', 'set', ' '], /the name of a secret is blank/],
    [['run', 'time', '--group', ''], /^thv: '--group' is empty; if it is a variable of your shell, set it first/],
    [
      ['config', 'set-registry', 'broken.json'],
      /is not a registry: [^]*\nCorrect the file, or name another one\. Nothing/,
    ],
    [['run', 'a b'], /is neither a server of the registry nor an image\. "thv run --help"/],
    [['run', ''], /'server' is empty; if it is a variable of your shell, set it first/],
    [['rm', ''], /is empty; if it is a variable of your shell, set it first/],
    [['config', 'get', 'port'], /"thv config --help" lists its commands/],
    [['run', 'http://127.0.0.1:1/mcp', '--header', 'A: b'], /--header must have the form KEY=VALUE, with "=" in place/],
    [['run', 'time', '–name', 'clock'], /begins with a long dash.*\nType two short ones: --name\n/],
    [['mcp', 'list', 'tools', 'time'], /Name the server with --server/],
    [['run', '--from-config', 'client.json'], /is not a run configuration\nIt lists "mcpServers"[^]*"thv adopt"/],
    [['run', '--from-config', 'own.json'], /It has no schema_version\. "thv export NAME FILE" writes such a file/],
    [['apply', '-f', 'client.json'], /nothing was changed\nIt lists "mcpServers"[^]*"thv adopt"/],
    [['run', 'client.json'], /client\.json is not a server\.json[^]*It lists "mcpServers"[^]*"thv adopt"/],
    [['run', 'gone.json'], /To run a server\.json, write its path: "thv run \.\/gone\.json"/],
    [
      ['edit', 'time', '--proxy-port', '9999'],
      /^thv: unknown option '--proxy-port'\nThe name and the port of a workload stay\. .*"thv run --from-config copy\.json/,
    ],
    [['edit', 'time', '--name', 'x'], /^thv: unknown option '--name'\nThe name and the port of a workload stay/],
    [
      ['upgrade', 'time@2', '--yes'],
      /upgrades it to the newest version\nFor another version: thv edit time --server SERVER@2/,
    ],
    [['run', 'uvx:mcp-server-time'], /"thv run uvx:\/\/mcp-server-time"/],
    [['run', 'time', '--memory', '5'], /--memory 5 is 5 MB. The minimum is 16m./],
    [['run', 'time', '--env'], /argument missing\n"thv run --help"/],
    [['client', 'register'], /"thv client status" shows the clients/],
    [['completion'], /Choose one of bash, zsh, fish, powershell\./],
    [['ui', '--port', '9'], /unknown option '--port'\nThe console is at the port of the API/],
    [['tools', 'list'], /missing required argument 'name'\n"thv list --all" shows the workloads/],
    [['run', 'npx', '-y', '@team/server'], /not the command of npx\n[^]*"thv run npx:\/\/@team\/server"/],
    [['run', 'npx', '@team/server'], /not the command of npx\n[^]*"thv run npx:\/\/@team\/server"/],
    [['run', 'localhost:3000/mcp'], /"thv run http:\/\/localhost:3000\/mcp"/],
    [['group', 'create', 'default'], /already exists\nChoose another name/],
    [['secret', 'set', 'key', 'value'], /Pass only the name\. You are asked for the value/],
    [
      ['secret', 'set', 'key=value'],
      /^thv: the name of a secret cannot contain "="; pass only the name: "thv secret set NAME"\n/,
    ],
    [['apply', '-f', 'gone.yaml'], /there is no such file; check the path/],
    [['apply'], /^thv: toolhaven\.yaml cannot be read[^]*-f FILE; "thv apply --help" shows a small one/],
    [['run', 'time', '-e', 'A B=c'], /^thv: --env A B: must be/],
    [['run', 'time', '-l', 'a b=c'], /^thv: --label a b: must be/],
    [['run', 'time', '--allow-host', 'http://a b/'], /^thv: --allow-host: must be/],
    [['completion', 'tcsh'], /^thv: there is no shell 'tcsh'\. Allowed choices are bash/],
    [['stop', 'time', '--all'], /^thv: names, --group and --all exclude each other; give one of them\n/],
    [['start'], /^thv: no workload given\nName them, as in "thv restart NAME", .*"thv list --all" lists them\./],
    [['stop'], /as in "thv stop NAME", or pass --group NAME or --all\. "thv list --all"/],
    [
      ['config', 'otel', 'set-endpoint', 'ht!tp://collector:4318'],
      /^thv: the telemetry endpoint takes host:port, .*localhost:4318/,
    ],
    [['config', 'otel', 'set-endpoint', 'ht!tp:4318'], /^thv: the telemetry endpoint must be host:port/],
    [
      ['config', 'set-registry', 'ht!tp://example.com/registry.json'],
      /is not a registry source; pass an http\(s\) URL/,
    ],
    [['config', 'otel', 'set-endpoint', 'a b'], /^thv: the telemetry endpoint must be host:port/],
    [['logs', 'gone'], /^thv: workload gone not found\n"thv list --all" lists them\.\n$/],
    [['group', 'rm', 'default'], /delete those workloads instead/],
    [
      ['config', 'set-registry', 'http://127.0.0.1:9/x.json'],
      /--allow-private-ip\nCheck the address\. Nothing was changed/,
    ],
    [
      ['config', 'set-registry', 'http://127.0.0.1:1/x.json', '-p'],
      /its port belongs to another protocol; choose another port/,
    ],
    [
      ['config', 'set-registry', '/nope.json'],
      /there is no such file\nCheck the path\. Nothing was changed: "thv config get-registry"/,
    ],
    [['apply', '-f', 'client.yaml'], /nothing was changed\nIt lists "mcpServers"[^]*"thv adopt"/],
    [['run', 'https://github.com/team/server'], /is not the name of a server\nIt is a place of source code/],
    [['config', 'set-ca-cert', 'broken.json'], /BEGIN CERTIFICATE/],
    [['client', 'register', 'curser'], /Did you mean Cursor\?/],
    [['secret', 'delete', 'gone'], /"thv secret (setup|list)"/],
  ]
  const faults: object[] = []
  for (const [args, told] of wrong) {
    const { code, stderr } = await thv(...args)
    if (code === 0 || !told.test(stderr)) faults.push({ typed: args.join(' '), code, stderr, told })
  }
  expect(faults).toEqual([])
})
