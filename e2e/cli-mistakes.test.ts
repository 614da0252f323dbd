import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '@toolhaven/testing/free-port'
import { type CliWorld, openCliWorld } from './src/cli-world.ts'
import { startDaemon } from './src/daemon-process.ts'
import { makeHome } from './src/home.ts'
import { startThv, THV } from './src/running-thv.ts'
import { atTerminal, KEYS, type Step } from './src/terminal.ts'
import { thv as runThv } from './src/thv.ts'

let world: CliWorld

beforeAll(async () => {
  world = await openCliWorld()
})
afterAll(() => world[Symbol.asyncDispose]())
afterEach(() => world.removeAll())

const thv = (...args: string[]) => runThv(world.home, args)

/** Answers every request in the same way. */
async function startSite(status: number, type: string, body: string) {
  const server = createServer(
    (_request, response) => void response.writeHead(status, { 'content-type': type }).end(body),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${Object(server.address()).port}/here`,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  }
}

describe('a proxy', () => {
  test('says that nobody listens at its target, and works once somebody does', async () => {
    await thv('run', 'time')
    const { port, url } = await world.daemon.api.call('getWorkload', { params: { name: 'time' } })
    await thv('stop', 'time')
    await using running = startThv(world.home, ['proxy', 'notes', '--target-uri', url])
    await running.says(new RegExp(`ECONNREFUSED.*${port}.*Check --target-uri`))
    await thv('restart', 'time')
    await running.says(/^notes listens at/m)
  })

  test('says what a target that is not an MCP server answered', async () => {
    await using missing = await startSite(404, 'text/plain', 'nothing here')
    await using page = await startSite(200, 'text/html', '<p>Hello</p>')
    const first = await thv('proxy', 'notes', '--target-uri', missing.url)
    expect(first).toMatchObject({ code: 4, stdout: '', stderr: expect.stringMatching(/status 404.*MCP endpoint/) })
    const second = await thv('proxy', 'notes', '--target-uri', page.url)
    expect(second).toMatchObject({ code: 4, stdout: '', stderr: expect.stringMatching(/a web page.*MCP endpoint/) })
  })
})

test('a remote server that is none, or is not there, is told without a long wait', async () => {
  await using page = await startSite(200, 'text/html', '<p>Hello</p>')
  const first = await thv('run', page.url, '--name', 'page')
  expect(first).toMatchObject({ code: 1, stderr: expect.stringMatching(/a web page.*MCP endpoint/) })
  const second = await thv('run', `http://127.0.0.1:${await freePort()}/mcp`, '--name', 'gone')
  expect(second).toMatchObject({ code: 1, stderr: expect.stringMatching(/ECONNREFUSED/) })
})

test.each([
  ['nobody listens at the index', async () => `http://127.0.0.1:${await freePort()}/`, 'npx://everything'],
  ['the name of the index leads nowhere', async () => 'http://index.invalid/', 'npx://everything@1.0.0'],
])('without a network a package fails without a long wait, and the reason is told: %s', async (_what, index, image) => {
  // With pauses this long between its tries, npm would not end before the command stops waiting.
  const slow = { npm_config_fetch_retry_mintimeout: '600000', npm_config_fetch_retry_maxtimeout: '600000' }
  await using home = await makeHome({ env: { THV_RUNTIME: 'process', npm_config_registry: await index(), ...slow } })
  await using _daemon = await startDaemon(home)
  const { code, stdout, stderr } = await runThv(home, ['run', image])
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/npm registry could not be reached for everything.*Check the network/)
  expect((await runThv(home, ['list', '--all'])).stdout).not.toContain('everything')
})

test('a run that is refused names flags and commands', async () => {
  await thv('run', 'time')
  const { port } = await world.daemon.api.call('getWorkload', { params: { name: 'time' } })
  const wrong: [string[], RegExp][] = [
    [['time', '--name', 'other', '--proxy-port', `${port}`], new RegExp(`--proxy-port ${port} belongs to another`)],
    [
      ['time', '--name', 'other', '--proxy-port', `${world.daemon.port}`],
      /--proxy-port \d+ is the port of Toolhaven's own API; choose another/,
    ],
    [['time', '--name', '../x'], /--name: must be 1 to 100 letters[^;]*$/],
    [['time', '-e', 'A B=1'], /--env A B: must be an environment variable name: letters, digits/],
    [['time', '--permission-profile', 'nope'], /there is no such file; check the path\nGive "none", "network" or/],
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

test('a file with a typing error creates nothing, and a second copy gets a port of its own', async () => {
  const file = join(world.home.dir, 'toolhaven.yaml')
  await writeFile(file, 'format: 1\nname: test\nworkloads:\n  - name: clock\n    image: tiem\n')
  const applied = await thv('apply', '--yes', '-f', file)
  expect(applied.code).not.toBe(0)
  expect(applied.stdout + applied.stderr).toContain('The registry has no "tiem". Did you mean "time"?')
  expect((await thv('list', '--all')).stdout).not.toContain('clock')

  await thv('run', 'time')
  const exported = join(world.home.dir, 'time.json')
  await thv('export', 'time', exported)
  const second = await thv('run', '--from-config', exported, '--name', 'second')
  expect(second).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/Port \d+ from the file is in use, so second/),
  })
})

test('an export makes no folder, and replaces no file unasked', async () => {
  await thv('run', 'time')
  const folder = join(world.home.dir, 'mistyped')
  const refused = await thv('export', 'time', 'mistyped/time.json')
  expect(refused).toMatchObject({ code: 2, stdout: '' })
  expect(refused.stderr).toContain(`there is no folder ${folder}\n`)
  expect(refused.stderr).toContain(`mkdir -p '${folder}'`)
  expect(existsSync(folder)).toBe(false)
  const inFolder = await thv('export', 'time', '.')
  expect(inFolder).toMatchObject({ code: 2, stderr: expect.stringMatching(/is a folder\nName a file in it/) })

  const kept = join(world.home.dir, 'kept.json')
  await writeFile(kept, 'mine')
  const below = await thv('export', 'time', 'kept.json/time.json')
  expect(below).toMatchObject({ code: 2, stderr: expect.stringContaining('kept.json is a file, not a folder') })
  const exists = await thv('export', 'time', 'kept.json')
  expect(exists).toMatchObject({ code: 2, stderr: expect.stringMatching(/kept\.json exists already[^]*--force/) })
  const asked = await atTerminal(world.home, ['export', 'time', 'kept.json'], [['Replace', 'n\r']])
  expect(asked).toMatchObject({ code: 1, screen: expect.stringContaining('nothing was changed') })
  expect(await readFile(kept, 'utf8')).toBe('mine')
  expect(await thv('export', 'time', 'kept.json', '--force')).toMatchObject({ code: 0 })
  expect(JSON.parse(await readFile(kept, 'utf8'))).toMatchObject({ name: 'time' })
})

test('a damaged client file is named by run, status and register, and a purge leaves no copy of it', async () => {
  await using home = await world.makeHome()
  const at = (...args: string[]) => runThv(home, args)
  const folder = join(home.env['HOME'] ?? '', '.cursor')
  const file = join(folder, 'mcp.json')
  await mkdir(folder, { recursive: true })
  await writeFile(file, '{"mcpServers": {}}')
  await using _daemon = await startDaemon(home)
  await at('client', 'register', 'cursor')
  await at('run', world.fixture, '--name', 'first')
  await writeFile(file, '{"mcpServers": {broken')
  const told = expect.stringMatching(/Cursor does not get your workloads: .*mcp\.json.* line 1, column 17.*correct it/)
  expect(await at('run', world.fixture, '--name', 'second')).toMatchObject({ code: 0, stderr: told })
  expect(await at('client', 'status')).toMatchObject({ code: 0, stderr: told })
  const refused = await at('client', 'register', 'cursor')
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/mcp\.json.* line 1.*\n.*register Cursor"/) })
  expect(await readFile(file, 'utf8')).toBe('{"mcpServers": {broken')

  await rm(file)
  expect(await at('client', 'register', 'cursor')).toMatchObject({ code: 0 })
  expect(Object.keys(JSON.parse(await readFile(file, 'utf8')).mcpServers)).toEqual(['first', 'second'])
  const purged = await at('serve', '--uninstall', '--purge', '--yes')
  expect(purged).toMatchObject({ code: 0, stdout: expect.stringContaining(`removed ${file}.toolhaven-backup`) })
  expect((await readdir(folder)).filter((name) => name.includes('toolhaven'))).toEqual([])
})

test('a daemon in the background is stopped by a command, and the next command starts it again', async () => {
  await using home = await world.makeHome()
  const at = (...args: string[]) => runThv(home, args, { env: { THV_PORT: '0' } })
  const nothing = await at('serve', '--stop')
  expect(nothing).toMatchObject({ code: 0, stderr: expect.stringContaining('no daemon runs') })
  expect((await at('list')).stderr).toContain('in the background')
  expect(await at('serve', '--stop')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/is stopped \(process \d+\)/),
  })
  expect(await at('serve', '--stop')).toMatchObject({ code: 0, stderr: nothing.stderr })
  expect(await at('serve', '--stop', '--install')).toMatchObject({ code: 2, stderr: expect.stringContaining('--stop') })
  expect(await at('serve', 'stop')).toMatchObject({ code: 2, stderr: expect.stringContaining('"thv serve --stop"') })
})

test('a daemon that Ctrl-Z suspended is told at once, and can be stopped', async () => {
  await using home = await world.makeHome()
  const at = (...args: string[]) => runThv(home, args, { env: { THV_PORT: '0' } })
  await at('list')
  const { pid } = JSON.parse(await readFile(join(home.stateDir, 'lock'), 'utf8'))
  process.kill(pid, 'SIGSTOP')
  await expect.poll(async () => readFile(`/proc/${pid}/stat`, 'utf8')).toMatch(/\) T /)
  const refused = await at('list')
  expect(refused).toMatchObject({ code: 4, stderr: expect.stringMatching(`suspended[^]*"kill -CONT ${pid}"`) })
  expect(await at('serve', '--stop')).toMatchObject({ code: 0, stdout: `the daemon is stopped (process ${pid})\n` })
})

test('all workloads are removed only after a question, or with --yes', async () => {
  await thv('run', 'time')
  const refused = await thv('rm', '--all')
  expect(refused).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(/add --yes .*\(time\)/) })
  const asked = await atTerminal(world.home, ['rm', '--all'], [['Remove the workload', 'n\r']])
  expect(asked).toMatchObject({ code: 1, screen: expect.stringContaining('nothing was changed') })
  // Neither a key within a word counts, nor a word that is not an answer.
  const answers: Step[] = [
    ['Remove the workload', 'maybe\r'],
    ['Type y or n', KEYS.interrupt],
  ]
  expect(await atTerminal(world.home, ['rm', '--all'], answers)).toMatchObject({ code: 1 })
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

test('a folder that was deleted stops only commands that need it', async () => {
  const inDeleted = (...args: string[]) =>
    spawnSync(
      'sh',
      ['-c', `mkdir gone && cd gone && rmdir ../gone && exec "$0" "$@"`, process.execPath, THV, ...args],
      {
        ...{ env: world.home.env, cwd: world.home.dir, encoding: 'utf8' },
      },
    )
  expect(inDeleted('list')).toMatchObject({ status: 0 })
  expect(inDeleted('apply', '-f', 'x.yaml')).toMatchObject({
    status: 2,
    stderr: 'thv: the folder that you are in was deleted\nGo to another one, with "cd ~" for example.\n',
  })
})

test('a secret in use is deleted only by force', async () => {
  await runThv(world.home, ['secret', 'setup', '--provider', 'encrypted'], { input: 'a good password\n' })
  await runThv(world.home, ['secret', 'set', 'key'], { input: 'value\n' })
  await thv('run', 'keyed', '--secret', 'key,target=API_KEY')
  const refused = await thv('secret', 'delete', 'key')
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/used by keyed\n.*--force/) })
  expect(await thv('secret', 'delete', 'key', '--force')).toMatchObject({ code: 0 })
})

test('what cannot be written is a failure, and relative folders are refused', async () => {
  const full = spawnSync('sh', ['-c', `"${process.execPath}" "${THV}" registry list > /dev/full`], {
    env: world.home.env,
  })
  expect({ status: full.status, told: full.stderr.toString() }).toEqual({
    status: 1,
    told: expect.stringMatching(/could not be written.*\n.*make room/),
  })
  for (const host of [`127.0.0.1:${await freePort()}`, 'daemon.invalid:8080']) {
    const nowhere = await runThv(world.home, ['list'], { env: { THV_HOST: host } })
    expect(nowhere).toMatchObject({ code: 4, stderr: expect.stringMatching(`${host}, which THV_HOST names[^]*unset`) })
  }
  for (const name of ['HOME', 'XDG_STATE_HOME']) {
    const refused = await runThv(world.home, ['list'], { env: { [name]: 'here' } })
    expect(refused).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(`${name} is "here"`) })
  }
})

test('a wrong line or file is answered with what to do next', async () => {
  await rm(join(world.home.dir, 'toolhaven.yaml'), { force: true })
  await writeFile(join(world.home.dir, 'broken.json'), '{')
  await writeFile(join(world.home.dir, 'own.json'), '{"name": "x", "image": "time"}')
  await writeFile(join(world.home.dir, 'client.json'), '{"mcpServers": {"time": {"command": "npx"}}}')
  const wrong: [string[], RegExp][] = [
    [['hlep'], /"thv --help" lists the commands/],
    [['lsit'], /Did you mean list\?/],
    [['mcp', 'list', 'tolls', '--server', 'time'], /unknown command 'tolls'\n\(Did you mean tools\?\)/],
    [['mcp', 'list', 'xyzzy'], /unknown command 'xyzzy'\nThere are: .*tools/],
    [['list', 'time'], /too many arguments for 'list': it takes no arguments/],
    [['group', 'create', 'my group'], /^thv: the name must be 1 to 100 lower-case letters/],
    [['group', 'create', 'G1'], /must be lower case/],
    [['search'], /"thv search --help" shows how to use it/],
    [['run', 'time', '--nmae', 'x'], /Did you mean --name\?/],
    [['run', 'time', '--proxy-port', 'abc'], /It must be a number from 1 to 65535/],
    [['run', 'time', '--permission-profile', 'gone.json'], /there is no such file; check the path/],
    [['run', '--from-config', '.'], /it is a folder; name a file in it/],
    [['run', '--from-config', 'broken.json'], /broken\.json is not JSON/],
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
      /goes to the newest version\nFor another version: thv edit time --server SERVER@2/,
    ],
    [['run', 'uvx:mcp-server-time'], /"thv run uvx:\/\/mcp-server-time"/],
    [['run', 'time', '--memory', '5'], /--memory 5 is 5 MB. The minimum is 16m./],
    [['run', 'time', '--env'], /argument missing\n"thv run --help"/],
    [['client', 'register'], /"thv client status" shows the clients/],
    [['completion'], /Choose one of bash, zsh, fish, powershell\./],
    [['ui', '--port', '9'], /unknown option '--port'\nThe console is at the port of the API/],
    [['tools', 'list'], /missing required argument 'name'\n"thv list --all" shows the workloads/],
    [['run', 'npx', '-y', '@team/server'], /runs npx itself[^]*"thv run npx:\/\/@team\/server"/],
    [['run', 'npx', '@team/server'], /runs npx itself[^]*"thv run npx:\/\/@team\/server"/],
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
    [['stop', 'time', '--all'], /^thv: these exclude one another; give names, or --group, or --all\n/],
    [['config', 'otel', 'set-endpoint', 'ht!tp://collector:4318'], /^thv: the telemetry endpoint takes host:port/],
    [['config', 'otel', 'set-endpoint', 'ht!tp:4318'], /^thv: the telemetry endpoint must be host:port/],
    [
      ['config', 'set-registry', 'ht!tp://example.com/registry.json'],
      /is not a registry source; pass an http\(s\) URL/,
    ],
    [['config', 'otel', 'set-endpoint', 'a b'], /^thv: the telemetry endpoint must be host:port/],
    [['logs', 'gone'], /^thv: workload gone not found\n"thv list --all" lists them\.\n$/],
    [['group', 'rm', 'default'], /delete those workloads instead/],
    [['config', 'set-registry', 'http://127.0.0.1:9/x.json'], /--allow-private-ip/],
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
