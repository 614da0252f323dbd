import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { rootCertificates } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { sample } from '@toolhaven/testing/rotation'
import { rotationInside } from '@toolhaven/testing/turns'
import { writeFixtureServer } from '@toolhaven/testing/mcp-servers/fixture-source'
import { testCertificate } from '@toolhaven/testing/testbed/certificate'
import { COMMANDS } from '../apps/cli/src/commands.ts'
import { type CliWorld, openCliWorld } from './src/cli-world.ts'
import { serveSecurely } from './src/secure-host.ts'
import { thv } from './src/thv.ts'

/** What must exist before the examples of a command make sense: shell lines, as in a help text. */
const GIVEN: Readonly<Record<string, readonly string[]>> = {
  adopt: [
    'thv secret setup --provider encrypted < password.txt',
    'mkdir -p "$HOME/.cursor"',
    'cp cursor.json "$HOME/.cursor/mcp.json"',
  ],
  call: ['thv run npx://@modelcontextprotocol/server-everything --name everything'],
  'client remove': ['thv client register cursor vscode'],
  diff: ['thv apply -f toolhaven.yaml --yes'],
  doctor: ['thv run time'],
  edit: ['thv run time'],
  export: ['thv run time'],
  'group rm': ['thv group create research', 'thv group create old', 'thv run time --group old'],
  inspect: ['thv run time'],
  learn: ['thv run fetch --observe-network'],
  list: ['thv run time --label team=docs'],
  logs: ['thv run time'],
  'mcp list': ['thv run time'],
  'mcp list prompts': ['thv run time'],
  'mcp list resources': ['thv run time'],
  'mcp list tools': ['thv run time'],
  move: ['thv run time', 'thv group create research'],
  proxy: ['thv run time --proxy-port 18300'],
  'proxy stdio': ['thv run time'],
  'proxy tunnel': ['thv run time'],
  restart: ['thv run time', 'thv stop time'],
  rm: ['thv run time'],
  run: ['thv run time', 'thv export time time.json --force', 'thv rm time', 'mkdir -p notes'],
  'secret delete': ['thv secret setup --provider encrypted < password.txt', 'thv secret set github-token < token.txt'],
  'secret get': ['thv secret setup --provider encrypted < password.txt', 'thv secret set github-token < token.txt'],
  'secret list': ['thv secret setup --provider encrypted < password.txt'],
  'secret provider': ['thv secret setup --provider encrypted < password.txt'],
  'secret set': ['thv secret setup --provider encrypted < password.txt'],
  stats: ['thv run time'],
  stop: ['thv run time', 'thv run fetch'],
  'tools accept': ['thv run time'],
  'tools diff': ['thv run time'],
  'tools list': ['thv run time'],
  upgrade: ['thv run time'],
}

/** Examples that need what this file does not have, and where they are tried instead. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'thv build npx://@modelcontextprotocol/server-everything --tag everything:latest':
    'needs a container engine: cli-build.test.ts',
  'thv inspector time': 'fetches the Inspector from npm: cli-inspector.test.ts',
  'thv inspector time --ui-port 7274 --mcp-proxy-port 7277': 'fetches the Inspector from npm: cli-inspector.test.ts',
  'thv serve --install': 'needs a systemd instance: cli-service.test.ts',
  'thv serve --stop': 'ends the daemon of the other examples: cli-unreachable.test.ts',
  'thv serve --uninstall': 'needs a service: cli-service.test.ts',
  'thv serve --uninstall --purge': 'asks at a terminal: cli-service.test.ts',
  'thv adopt': 'asks at a terminal: cli-adopt.test.ts',
  'thv client setup': 'asks at a terminal: cli-settings.test.ts',
  'thv proxy stdio time': 'goes on until its client ends it: cli-proxy-stdio.test.ts',
  'thv proxy tunnel time --tunnel-provider ngrok': 'not run: it needs an account; with a stand-in in cli-proxy.test.ts',
  'thv secret set github-token': 'asks at a terminal: cli-settings.test.ts',
  'thv secret setup --provider encrypted': 'asks at a terminal: cli-settings.test.ts',
  'thv secret reset-keyring': 'needs a keyring: cli-keyring.test.ts',
  'thv secret reset-keyring --force --yes': 'needs a keyring: cli-keyring.test.ts',
}

const cleanUp = new AsyncDisposableStack()
let world: CliWorld
let path: string
beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'thv-examples-'))
  cleanUp.defer(() => rm(folder, { recursive: true, force: true }))
  await writeFile(join(folder, 'ca.pem'), testCertificate.cert)
  world = cleanUp.use(await openCliWorld({ NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem') }))
  const { dir, env } = world.home
  const bin = join(dir, 'bin')
  await mkdir(bin)
  await symlink(fileURLToPath(new URL('../apps/cli/dist/thv.mjs', import.meta.url)), join(bin, 'thv'))
  path = [bin, env['PATH']].join(delimiter)
  await mkdir(join(dir, 'hello'))
  await writeFixtureServer(join(dir, 'hello'))
  await writeFile(join(dir, 'hello', 'index.js'), "import './fixture-server.mjs'\n")
  await writeFile(join(dir, 'hello', 'package.json'), '{"type":"module","main":"index.js"}\n')
  await writeFile(join(dir, 'company-ca.pem'), rootCertificates[0] ?? '')
  await writeFile(join(dir, 'registry.json'), JSON.stringify(world.registry))
  await writeFile(join(dir, 'password.txt'), 'a good password\n')
  await writeFile(join(dir, 'token.txt'), 'token\n')
  await writeFile(join(dir, 'messages.jsonl'), '{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
  await writeFile(join(dir, 'toolhaven.yaml'), 'format: 1\nworkloads:\n  - {name: time, image: time}\n')
  const everything = { command: 'npx', args: ['-y', world.fixture.slice('npx://'.length)], env: { API_KEY: 'key' } }
  await writeFile(join(dir, 'cursor.json'), JSON.stringify({ mcpServers: { everything } }))
})
afterEach(() => world.removeAll())
afterAll(() => cleanUp.disposeAsync())

describe.each(sample(COMMANDS, COMMANDS.length / 3, rotationInside(import.meta.url)))(
  'thv $words',
  ({ words, examples }) => {
    test('has an example', () => {
      expect(examples.length).toBeGreaterThan(0)
    })
    for (const { command, shows, endless } of examples.filter((example) => ELSEWHERE[example.command] === undefined)) {
      test(`${command} (${shows})`, async (context) => {
        if (words === 'serve') return serves(command, context.skip)
        const port = Number(/https:\/\/localhost:(\d+)/.exec(command)?.[1])
        if (port > 0 && (await isTaken(port))) return context.skip(`port ${port} of this machine is taken`)
        await using _host = port > 0 ? await serveSecurely(world.registry, port) : undefined
        for (const line of GIVEN[words] ?? [])
          await shell(line, { mayFail: line.includes('create') || line.includes('setup') })
        if (!endless) return await shell(command)
        const interruptWhen = (output: string) => output.includes('\n')
        expect(await thv(world.home, command.split(' ').slice(1), { interruptWhen })).toMatchObject({
          code: 0,
          stderr: '',
        })
      })
    }
  },
)

test('what is tried elsewhere is still an example', () => {
  const all = COMMANDS.flatMap(({ examples }) => examples.map(({ command }) => command))
  expect(all).toEqual(expect.arrayContaining(Object.keys(ELSEWHERE)))
})

/** Runs a line as it is typed. Fails with its output. */
async function shell(line: string, { mayFail = false } = {}): Promise<void> {
  const options = { cwd: world.home.dir, env: { ...world.home.env, PATH: path }, timeout: 120_000 }
  await promisify(execFile)('sh', ['-c', line], options).catch((error: unknown) => {
    if (!mayFail) throw error
  })
}

/** A second daemon with a home of its own, at the port that the example names or means. */
async function serves(command: string, skip: (reason: string) => never): Promise<void> {
  const port = Number(/--port (\d+)/.exec(command)?.[1] ?? 8080)
  if (await isTaken(port)) return skip(`port ${port} of this machine is taken`)
  await using home = await world.makeHome()
  const interruptWhen = (output: string) => output.includes(`:${port}/api`)
  const { code, stdout, stderr } = await thv(home, command.split(' ').slice(1), { interruptWhen })
  expect(code, stdout + stderr).toBe(0)
}

function isTaken(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}
