import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DaemonProcess, startDaemon } from './src/daemon-process.ts'
import { FIXTURE_PACKAGE } from './src/fixture-package.ts'
import type { Home } from './src/home.ts'
import { callText, connectMcp } from './src/mcp-client.ts'
import { listedServer, type McpRegistry, openMcpRegistry } from './src/mcp-registry.ts'
import { usePlatform } from './src/platform.ts'
import { listNames, untilGone } from './src/statuses.ts'
import { atTerminal } from './src/terminal.ts'
import { thv as runThv } from './src/thv.ts'

const platform = usePlatform('process')
const cleanUp = new AsyncDisposableStack()
let registry: McpRegistry
beforeAll(async () => {
  registry = cleanUp.use(await openMcpRegistry(PAGES))
})
afterAll(() => cleanUp.disposeAsync())

const fixture = { registryType: 'npm', identifier: FIXTURE_PACKAGE, version: '1.0.0', transport: { type: 'stdio' } }
const notes = {
  name: 'io.github.orchard/notes',
  description: 'Keeps notes of the orchard\u001B[2J',
  packages: [
    {
      ...fixture,
      environmentVariables: [
        { name: 'NOTES_KEY', description: 'Key of the account', isRequired: true, isSecret: true },
        { name: 'NOTES_LEVEL', description: 'How much it logs', default: 'info', choices: ['info', 'debug'] },
      ],
    },
  ],
}
const bundle = { ...fixture, registryType: 'mcpb', identifier: 'https://orchard.example/press.mcpb' }
const rooted = { type: 'named', name: '--root', isRequired: true, description: 'Folder to look into' }
const PAGES = [
  [listedServer({ ...notes, version: '0.9.0', description: 'Old' }, { isLatest: false }), listedServer(notes)],
  [
    listedServer({ name: 'io.github.orchard/press', description: 'Presses notes', packages: [bundle] }),
    listedServer(
      { name: 'io.github.orchard/gone', description: 'Lost notes', packages: [fixture] },
      { status: 'deleted' },
    ),
  ],
  [
    listedServer({
      ...{ name: 'io.github.orchard/tree', description: 'Finds trees' },
      packages: [{ ...fixture, packageArguments: [rooted] }],
    }),
    listedServer({
      ...{ name: 'com.example/inner', description: 'Reads what is near' },
      remotes: [{ type: 'streamable-http', url: 'http://127.0.0.1:9/mcp' }],
    }),
  ],
]

async function openWorld(home: Home) {
  const daemon = await startDaemon(home)
  const thv = (...args: string[]) => runThv(home, args)
  return { home, daemon, thv, [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose]() }
}

async function whatItGot(daemon: DaemonProcess, name: string): Promise<Record<string, string>> {
  const { url } = await daemon.api.call('getWorkload', { params: { name } })
  await using connection = await connectMcp(url)
  return JSON.parse(await callText(connection, 'env'))
}

test('a server of an MCP registry is found, understood, run and called', async (context) => {
  await using home = await platform(context).makeHome()
  await using world = await openWorld(home)
  const { thv, daemon } = world

  const refused = await thv('config', 'set-registry', registry.url)
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('--allow-private-ip') })
  const taken = await thv('config', 'set-registry', registry.url, '--allow-private-ip')
  expect(taken).toMatchObject({
    code: 0,
    stdout: `the registry is now read from ${registry.url}, an MCP registry; servers: 3, not listed because they cannot run here: 1\n`,
  })
  expect(registry.asked.filter((path) => path.includes('/v0.1/'))).toHaveLength(3)

  const found = await thv('search', 'notes')
  expect(found.stdout).toMatch(/io\.github\.orchard\/notes +npx +stdio +Community +0 +Keeps notes of the orchard/)
  expect(found.stdout).not.toContain('\u001B[2J')
  expect(found.stdout).not.toContain('press')

  const info = await thv('registry', 'info', 'io.github.orchard/notes')
  expect(info.stdout).toContain(`Source      ${registry.url}/v0.1/servers/io.github.orchard%2Fnotes/versions/1.0.0\n`)
  expect(info.stdout).toContain('NOTES_LEVEL (default info, one of info, debug): How much it logs')
  expect(info.stdout).toContain('Run it: thv run io.github.orchard/notes --secret NOTES_KEY,target=NOTES_KEY')

  for (const words of [['registry', 'info'], ['run']])
    expect(await thv(...words, 'io.github.orchard/press')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('Toolhaven cannot run it: mcpb packages are not supported'),
    })
  for (const [typed, meant] of [
    ['io.github.orchard/gone', ''],
    ['io.github.orchard/note', 'notes"?'],
  ] as const)
    expect(await thv('run', typed)).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(`The registry has no "${typed}".*${meant}`),
    })
  expect(await thv('run', 'io.github.orchard/notes')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('needs NOTES_KEY. Pass it with --secret'),
  })
  expect(await thv('run', 'io.github.orchard/notes', '-e', 'NOTES_KEY=k', '-e', 'NOTES_LEVEL=loud')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--env NOTES_LEVEL: must be one of info, debug'),
  })
  expect(await thv('run', 'io.github.orchard/tree')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Write them after "--": -- --root <root>'),
  })
  expect(await thv('run', 'com.example/inner')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('the registry entry names 127.0.0.1'),
  })
  expect(await listNames(daemon)).toEqual([])

  expect(await thv('run', 'io.github.orchard/notes', '-e', 'NOTES_KEY=k')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('notes is running at http://127.0.0.1:'),
  })
  expect(await whatItGot(daemon, 'notes')).toMatchObject({ NOTES_KEY: 'k', NOTES_LEVEL: 'info' })
  expect((await thv('call', 'notes', 'echo', '--arg', 'text=apples')).stdout).toContain('apples')
  expect((await thv('run', 'io.github.orchard/tree', '--', '--root', '/tmp')).code).toBe(0)
  expect((await thv('upgrade', 'notes', '--yes')).stderr).toContain('notes has the newest version already')
})

test('a server.json runs from its file, and asks for what it needs', async (context) => {
  await using home = await platform(context).makeHome()
  await using world = await openWorld(home)
  const { thv, daemon } = world
  const write = (name: string, said: object) => writeFile(join(home.dir, name), JSON.stringify(said))
  await write('server.json', {
    ...notes,
    packages: notes.packages.map((each) => ({ ...each, packageArguments: [rooted] })),
  })
  const args = ['--', '--root', '/tmp']
  expect(await thv('run', './server.json', ...args)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('io.github.orchard/notes needs NOTES_KEY. Pass it with --secret'),
  })
  const asked = await atTerminal(
    home,
    ['run', './server.json', ...args],
    [
      ['io.github.orchard/notes needs NOTES_KEY', 'hunter2-hunter2\r'],
      ['Set up an encrypted one', 'y\r'],
    ],
  )
  expect(asked).toMatchObject({ code: 0, screen: expect.stringContaining('notes is running at') })
  expect(asked.screen).not.toContain('hunter2')
  expect(await whatItGot(daemon, 'notes')).toMatchObject({ NOTES_KEY: 'hunter2-hunter2', NOTES_LEVEL: 'info' })
  // The file is not needed any more, and an edit does not lose what it said.
  expect(await thv('edit', 'notes', '--env', 'MORE=1', '--yes')).toMatchObject({ code: 0 })
  const { request } = await daemon.api.call('getWorkloadRequest', { params: { name: 'notes' } })
  expect(request).toMatchObject({
    image: `npx://${FIXTURE_PACKAGE}@1.0.0`,
    cmd_arguments: ['--root', '/tmp'],
    env_vars: { NOTES_LEVEL: 'info', MORE: '1' },
  })
  await thv('rm', 'notes', '--yes')
  await untilGone(daemon, 'notes')

  const remotes = [{ type: 'streamable-http', url: 'http://127.0.0.1:9/mcp' }]
  await write('inner.json', { name: 'com.example/inner', description: 'Near', remotes })
  await write('press.json', { ...notes, packages: [bundle] })
  await write('clients.json', { mcpServers: {} })
  await write('old.json', { ...notes, packages: [{ registry_type: 'npm', identifier: FIXTURE_PACKAGE }] })
  await write('wrong.json', { name: 'a/b', packages: [{ registryType: 'npm' }] })
  const wrong: [file: string, message: string][] = [
    [
      './inner.json',
      'the server.json names 127.0.0.1, an address of this machine or a private network; confirm it with --accept-network',
    ],
    ['./press.json', 'io.github.orchard/notes cannot run: mcpb packages are not supported'],
    ['./old.json', './old.json has an older format of server.json'],
    ['./clients.json', 'It lists "mcpServers"'],
    ['./wrong.json', 'server.json: description: is missing'],
    ['./none.json', 'there is no such file'],
    ['server.json', 'thv run ./server.json'],
  ]
  for (const [file, message] of wrong) {
    const { code, stderr } = await thv('run', file)
    expect(code, file).not.toBe(0)
    expect(stderr, file).toContain(message)
  }
  expect(await listNames(daemon)).toEqual([])
})
