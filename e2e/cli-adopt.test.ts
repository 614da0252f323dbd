import { mkdir, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { adoption, foreignServerList, undoneAdoption } from '@toolhaven/contract/adopt'
import { secretList } from '@toolhaven/contract/secrets'
import { workloadList } from '@toolhaven/contract/workloads'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import * as z from 'zod'
import { type CliWorld, openCliWorld } from './src/cli-world.ts'
import { makeGate } from './src/gate.ts'
import { callText, connectMcp } from './src/mcp-client.ts'
import { KEYS, atTerminal } from './src/terminal.ts'
import { thv as runThv } from './src/thv.ts'

const PACKAGE = '@modelcontextprotocol/server-everything'
const CURSOR = '.cursor/mcp.json'
const VSCODE = '.config/Code/User/mcp.json'
const KEY = 'canary-4f8a0c'

let world: CliWorld
beforeAll(async () => {
  world = await openCliWorld()
  await runThv(world.home, ['secret', 'setup', '--provider', 'encrypted'], { input: 'a good password\n' })
})
afterEach(async () => {
  await runThv(world.home, ['adopt', '--undo', '--yes'])
  await world.removeAll()
  for (const file of [CURSOR, VSCODE]) await rm(dirname(pathOf(file)), { recursive: true, force: true })
})
afterAll(() => world[Symbol.asyncDispose]())

const thv = (...args: string[]) => runThv(world.home, args)
const pathOf = (file: string) => join(world.home.env['HOME'] ?? '', file)
const read = (file: string) => readFile(pathOf(file), 'utf8')
const names = async () =>
  workloadList
    .parse(JSON.parse((await thv('list', '--all', '--format', 'json')).stdout))
    .workloads.map(({ name }) => name)
const secrets = async () =>
  secretList.parse(JSON.parse((await thv('secret', 'list', '--format', 'json')).stdout)).keys.map(({ key }) => key)

async function place(file: string, text: string): Promise<string> {
  await mkdir(dirname(pathOf(file)), { recursive: true })
  await writeFile(pathOf(file), text)
  return text
}

const cursorFile = () =>
  place(
    CURSOR,
    `{
  // what I use
  "mcpServers": {
    "everything": {
      "command": "npx",
      "args": ["-y", "${PACKAGE}@1.0.0"], // exact
      "env": { "API_KEY": "${KEY}", "LOG_LEVEL": "debug" },
      "alwaysAllow": ["echo"]
    },
    "mine": { "command": "node", "args": ["mine.js"] }
  }
}
`,
  )
const vsCodeFile = () =>
  place(
    VSCODE,
    `{"servers":{"every thing":{"command":"npx","args":["-y","${PACKAGE}@1.0.0"],"env":{"LOG_LEVEL":"debug","API_KEY":"${KEY}"}}}}`,
  )

test('servers of two clients are found, moved into one workload, used, and given back byte for byte', async () => {
  const cursor = await cursorFile()
  const vsCode = await vsCodeFile()
  const shown = await thv('adopt', '--dry-run')
  expect(shown).toMatchObject({ code: 0, stderr: '' })
  expect(shown.stdout).toBe(
    `everything (Cursor, VSCode as every thing)
  now      npx -y ${PACKAGE}@1.0.0
  becomes  npx://${PACKAGE}@1.0.0
  keys     API_KEY
  readable LOG_LEVEL
mine (Cursor)
  now      node mine.js
  becomes  cannot be moved: it runs "node", a program of this machine; packages (npx, uvx, go run), images (docker run) and addresses can be adopted
`,
  )
  const listed = await thv('adopt', '--dry-run', '--format', 'json')
  expect(foreignServerList.parse(JSON.parse(listed.stdout)).servers).toHaveLength(2)
  expect(listed.stdout).not.toContain(KEY)
  expect([await read(CURSOR), await read(VSCODE), await names()]).toEqual([cursor, vsCode, []])

  const adopted = await thv('adopt', '--all', '--yes')
  expect(adopted).toMatchObject({ code: 0 })
  const [, url = ''] = /^everything is adopted: Cursor, VSCode now use (http:\S+)\n$/.exec(adopted.stdout) ?? []
  expect(adopted.stderr).toContain('mine cannot be adopted: it runs "node"')
  expect(adopted.stderr).toContain('Its keys are in the secret store: everything-API_KEY')
  expect(parse(await read(CURSOR)).mcpServers).toEqual({
    everything: { url, type: 'http', alwaysAllow: ['echo'] },
    mine: { command: 'node', args: ['mine.js'] },
  })
  expect(await read(CURSOR)).toContain('// what I use')
  expect(parse(await read(VSCODE)).servers['every thing']).toEqual({ url, type: 'http' })
  expect(await names()).toEqual(['everything'])
  await using connection = await connectMcp(url)
  expect(await callText(connection, 'add', { a: 20, b: 22 })).toBe('42')

  // The key is nowhere in plain text: not in the clients' files, not next to them, not in our state.
  for (const folder of [dirname(pathOf(CURSOR)), dirname(pathOf(VSCODE)), world.home.stateDir])
    for (const file of await filesBelow(folder)) expect(await holdsKey(file), file).toBe(false)
  const [record = ''] = await readdir(join(world.home.stateDir, 'adoptions'))
  expect((await stat(join(world.home.stateDir, 'adoptions', record))).mode & 0o777).toBe(0o600)

  // Again: there is nothing left to do.
  const again = await thv('adopt', '--all', '--yes', '--format', 'json')
  expect({ ...again, stdout: JSON.parse(again.stdout) }).toMatchObject({
    code: 0,
    stdout: { adoptions: [], failures: [] },
  })
  // A registered client gets no second entry for it.
  await thv('client', 'register', 'cursor')
  expect(Object.keys(parse(await read(CURSOR)).mcpServers)).toEqual(['everything', 'mine'])
  await thv('client', 'remove', 'cursor')

  const undone = await thv('adopt', '--undo', 'everything', '--yes', '--format', 'json')
  expect(undone).toMatchObject({ code: 0 })
  const report = z.object({ undone: z.array(undoneAdoption) }).parse(JSON.parse(undone.stdout))
  expect(report.undone).toMatchObject([{ name: 'everything', removed_secrets: ['everything-API_KEY'], notes: [] }])
  expect([await read(CURSOR), await read(VSCODE)]).toEqual([cursor, vsCode])
  expect([await names(), await secrets()]).toEqual([[], []])
})

/** The comments of these files are at the ends of lines. */
const parse = (text: string) => JSON.parse(text.replaceAll(/\/\/ .*$/gm, ''))

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}

test('the server really gets its key, and a file changed since gets its entry back alone', async () => {
  const cursor = await cursorFile()
  const done = await thv('adopt', 'everything', '--yes', '--format', 'json')
  const { adoptions } = z.object({ adoptions: z.array(adoption) }).parse(JSON.parse(done.stdout))
  expect(adoptions).toMatchObject([{ name: 'everything', status: 'adopted', secrets: ['everything-API_KEY'] }])
  const workload = await world.daemon.api.call('getWorkload', { params: { name: 'everything' } })
  expect(workload).toMatchObject({ secrets: [{ name: 'everything-API_KEY', target: 'API_KEY' }] })
  expect((await thv('secret', 'get', 'everything-API_KEY')).stdout).toContain(KEY)
  await using connection = await connectMcp(workload.url)
  expect(await connection.toolNames()).toContain('echo')

  await writeFile(pathOf(CURSOR), (await read(CURSOR)).replace('// what I use', '// what we use'))
  expect((await thv('rm', 'everything')).stderr).toContain('"thv adopt --undo everything" gives it back')
  const undone = await thv('adopt', '--undo', '--yes')
  expect(undone).toEqual({
    code: 0,
    stdout: 'everything is undone: Cursor as before\n',
    stderr: 'Removed secrets: everything-API_KEY\n',
  })
  expect(await read(CURSOR)).toBe(cursor.replace('// what I use', '// what we use'))
  expect(await thv('adopt', '--undo')).toMatchObject({ code: 0, stderr: expect.stringContaining('nothing to undo') })
})

test('a server that does not start leaves everything as it was', async () => {
  const cursor = await place(
    CURSOR,
    `{"mcpServers":{"broken":{"command":"npx","args":["surely-not-there@1.0.0"],"env":{"TOKEN":"${KEY}"}}}}`,
  )
  const { code, stdout, stderr } = await thv('adopt', 'broken', '--yes')
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(
    /^thv: broken was not adopted: broken did not start: .*the files of the clients were not changed\n$/,
  )
  expect([await read(CURSOR), await names(), await secrets()]).toEqual([cursor, [], []])
})

test('Ctrl-C while a server starts calls the adoption off', async () => {
  // Accepts the connection and never answers.
  await using gate = await makeGate(9)
  gate.hold()
  const cursor = await place(CURSOR, `{"mcpServers":{"slow":{"url":"http://127.0.0.1:${gate.port}/mcp"}}}`)
  const refused = await thv('adopt', 'slow', '--yes')
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('--accept-network') })
  expect(await names()).toEqual([])
  const adopt = ['adopt', 'slow', '--accept-network', '--yes']
  const interrupted = await runThv(world.home, adopt, { interruptAfter: gate.reached })
  expect(interrupted).toMatchObject({ code: 130, stdout: '' })
  await expect.poll(names, { timeout: 30_000 }).toEqual([])
  expect(await read(CURSOR)).toBe(cursor)
})

test('at a terminal servers are chosen from a list', async () => {
  await cursorFile()
  const { code, screen } = await atTerminal(
    world.home,
    ['adopt'],
    [['Which servers should move', KEYS.space + KEYS.enter]],
  )
  expect(code, screen).toBe(0)
  expect(screen).toContain('everything is adopted: Cursor now uses')
  expect(screen).not.toContain(KEY)
  const refused = await atTerminal(world.home, ['adopt', '--undo'], [['Give everything back', '\r']])
  expect(refused).toMatchObject({ code: 1, screen: expect.stringContaining('nothing was changed') })
})

test('a purge gives adopted servers back first, for their keys would be lost', async () => {
  await using own = await openCliWorld()
  const file = join(own.home.env['HOME'] ?? '', CURSOR)
  const original = `{"mcpServers":{"everything":{"command":"npx","args":["${PACKAGE}@1.0.0"],"env":{"API_KEY":"${KEY}"}}}}`
  await mkdir(dirname(file))
  await writeFile(file, original)
  await runThv(own.home, ['secret', 'setup', '--provider', 'encrypted'], { input: 'a good password\n' })
  expect(await runThv(own.home, ['adopt', '--all', '--yes'])).toMatchObject({ code: 0 })
  expect(await readFile(file, 'utf8')).not.toContain(KEY)
  const purged = await runThv(own.home, ['serve', '--uninstall', '--purge', '--yes'])
  expect(purged).toMatchObject({ code: 0, stdout: expect.stringContaining('removed workload everything, which') })
  expect(await readFile(file, 'utf8')).toBe(original)
})

test('wrong calls and unknown names are told', async () => {
  await cursorFile()
  for (const [args, code, said] of [
    [['adopt'], 2, 'Name them, or give --all'],
    [['adopt', 'everything', '--all'], 2, 'cannot be used together'],
    [['adopt', 'everything'], 2, 'add --yes'],
    [['adopt', '--undo', '--dry-run'], 2, '--undo accepts only names'],
    [['adopt', 'everyting', '--yes'], 3, 'Did you mean everything?'],
    [['adopt', 'mine', '--yes'], 1, 'mine cannot be adopted'],
    [['adopt', 'everything', '--yes', '--group', 'defalt'], 3, 'Did you mean default?'],
    [['adopt', '--undo', 'everything', '--yes'], 3, 'nothing was adopted under the name everything'],
    [['adopt', 'nosuch', '--yes'], 3, 'no client has a server of its own called nosuch\nThere are: '],
    [['adopt', 'nosuch'], 3, '"thv adopt --dry-run" shows which servers clients have.'],
  ] as const) {
    const result = await thv(...args)
    expect(result, args.join(' ')).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(said) })
  }
  expect([await names(), await secrets()]).toEqual([[], []])
})

/** A file that is gone by now (the daemon replaces its files) contains nothing. */
async function holdsKey(file: string): Promise<boolean> {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    return Buffer.alloc(0)
  })
  return bytes.includes(KEY)
}

test('an adopted entry, and one made by hand, stays while workloads come and go, and is given back', async () => {
  const plain = await place(
    CURSOR,
    `{"mcpServers":{"everything":{"command":"npx","args":["-y","${PACKAGE}@1.0.0"],"env":{"LOG_LEVEL":"debug"}}}}`,
  )
  expect(await thv('adopt', 'everything', '--yes')).toMatchObject({ code: 0 })
  const adopted = await read(CURSOR)
  expect(adopted).toContain('"url"')
  await thv('run', 'time')
  const { workloads } = workloadList.parse(JSON.parse((await thv('list', '--format', 'json')).stdout))
  const url = workloads.find(({ name }) => name === 'time')?.url
  const byHand = await place(VSCODE, JSON.stringify({ servers: { time: { url, type: 'http' } } }))
  await thv('stop', 'everything')
  await thv('stop', 'time')
  await thv('restart', 'everything')
  expect([await read(CURSOR), await read(VSCODE)]).toEqual([adopted, byHand])
  expect(await thv('adopt', '--undo', 'everything', '--yes')).toMatchObject({ code: 0 })
  expect(await read(CURSOR)).toBe(plain)
})
