import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { until } from '@toolhaven/testing/testbed/until'
import { type DaemonProcess, startDaemon } from './src/daemon-process.ts'
import type { Home } from './src/home.ts'
import { type Platform, usePlatform } from './src/platform.ts'
import { untilGone, untilStatus } from './src/statuses.ts'

const CURSOR = join('.cursor', 'mcp.json')
const VSCODE = join('.config', 'Code', 'User', 'mcp.json')
const AMP = join('.config', 'amp', 'settings.json')

const servers = z.record(z.string(), z.looseObject({ url: z.string() }))
const clientFile = z.looseObject({ mcpServers: servers.optional(), servers: servers.optional() })

const fileOf = (home: Home, path: string) => join(home.env['HOME'] ?? '', path)

/** Server → url, as the client program will read it. */
async function entriesIn(home: Home, path: string): Promise<Record<string, string>> {
  const parsed = clientFile.parse(JSON.parse((await readFile(fileOf(home, path), 'utf8').catch(() => '')) || '{}'))
  const found = Object.entries(parsed.mcpServers ?? parsed.servers ?? {})
  return Object.fromEntries(found.map(([name, { url }]) => [name, url]))
}

async function untilEntries(home: Home, path: string, wanted: Record<string, string>): Promise<void> {
  const same = async () => isDeepStrictEqual(await entriesIn(home, path), wanted)
  await until(`${path} to have ${Object.keys(wanted).join(', ') || 'nothing of ours'}`, same, 30_000)
}

async function putFile(home: Home, path: string, content: string): Promise<void> {
  await mkdir(dirname(fileOf(home, path)), { recursive: true })
  await writeFile(fileOf(home, path), content)
}

async function start(daemon: DaemonProcess, { fixture }: Platform, name: string, group = 'default'): Promise<string> {
  await daemon.api.call('createWorkload', { body: { name, image: fixture, group } })
  await untilStatus(daemon, name, 'running')
  return (await daemon.api.call('getWorkload', { params: { name } })).url
}

const platform = usePlatform('process')

test('the files of registered clients follow the workloads: there while wanted, gone when stopped, back at the same url', async (context) => {
  const here = platform(context)
  await using home = await here.makeHome()
  await putFile(home, CURSOR, '{ "mcpServers": { "own": { "url": "http://own.example" } } }\n')
  await mkdir(dirname(fileOf(home, VSCODE)), { recursive: true })
  await using daemon = await startDaemon(home)
  const url = await start(daemon, here, 'tools')
  const own = { own: 'http://own.example' }

  // Amp is an extension that lives in the settings of VS Code.
  const found = await daemon.api.call('discoverClients', {})
  expect(found.clients.filter(({ installed }) => installed).map(({ client_type: type }) => type)).toEqual([
    'Cursor',
    'VSCode',
    'AmpVSCode',
  ])
  await daemon.api.call('registerClients', { body: { names: ['Cursor', 'VSCode'] } })
  await untilEntries(home, CURSOR, { ...own, tools: url })
  await untilEntries(home, VSCODE, { tools: url })

  await daemon.api.call('stopWorkload', { params: { name: 'tools' } })
  await untilEntries(home, CURSOR, own)
  await untilEntries(home, VSCODE, {})
  await daemon.api.call('restartWorkload', { params: { name: 'tools' } })
  await untilEntries(home, CURSOR, { ...own, tools: url })
  await untilEntries(home, VSCODE, { tools: url })

  await daemon.api.call('deleteClient', { params: { name: 'VSCode' } })
  await untilEntries(home, VSCODE, {})
  await daemon.api.call('deleteWorkload', { params: { name: 'tools' } })
  await untilGone(daemon, 'tools')
  await untilEntries(home, CURSOR, own)
})

test('a client sees the groups it is registered with; a deleted group moves its workloads to the default group', async (context) => {
  const here = platform(context)
  await using home = await here.makeHome()
  for (const path of [CURSOR, VSCODE]) await mkdir(dirname(fileOf(home, path)), { recursive: true })
  await using daemon = await startDaemon(home)
  await daemon.api.call('createGroup', { body: { name: 'work' } })
  await daemon.api.call('createClient', { body: { name: 'Cursor', groups: ['work'] } })
  await daemon.api.call('createClient', { body: { name: 'VSCode' } })
  const url = await start(daemon, here, 'moved', 'work')
  await untilEntries(home, CURSOR, { moved: url })
  await untilEntries(home, VSCODE, {})

  await daemon.api.call('deleteGroup', { params: { name: 'work' } })
  await untilEntries(home, CURSOR, {})
  await untilEntries(home, VSCODE, { moved: url })
  const { group, status } = await daemon.api.call('getWorkload', { params: { name: 'moved' } })
  expect([group, status]).toEqual(['default', 'running'])
})

test('a file that cannot be parsed is left alone, and the answer says so', async (context) => {
  const here = platform(context)
  await using home = await here.makeHome()
  const broken = '{ "amp.mcpServers": { "half": \n'
  await putFile(home, AMP, broken)
  await mkdir(dirname(fileOf(home, CURSOR)), { recursive: true })
  await using daemon = await startDaemon(home)
  const url = await start(daemon, here, 'tools')
  const [amp, cursor] = await daemon.api.call('registerClients', { body: { names: ['AmpCli', 'Cursor'] } })
  expect(amp?.notes?.join(' ')).toContain(fileOf(home, AMP))
  expect(cursor?.notes).toBeUndefined()
  expect(await readFile(fileOf(home, AMP), 'utf8')).toBe(broken)
  await untilEntries(home, CURSOR, { tools: url })
})

test('files in YAML follow the workloads too, and come back byte for byte', async (context) => {
  const here = platform(context)
  await using home = await here.makeHome()
  const files = {
    Goose: [join('.config', 'goose', 'config.yaml'), 'GOOSE_MODE: auto # mine\nextensions:\n  own: {cmd: x}\n\nb: 1'],
    Continue: [join('.continue', 'config.yaml'), 'name: mine\r\nmcpServers:\r\n  - name: own\r\n    command: x\r\n'],
  } as const
  for (const [path, content] of Object.values(files)) await putFile(home, path, content)
  await using daemon = await startDaemon(home)
  const url = await start(daemon, here, 'tools')
  await daemon.api.call('registerClients', { body: { names: ['Goose', 'Continue'] } })
  for (const [path, content] of Object.values(files)) {
    const text = () => readFile(fileOf(home, path), 'utf8')
    await until(`${path} to have tools`, async () => (await text()).includes(url), 30_000)
    expect((await text()).startsWith(content.slice(0, content.indexOf('own')))).toBe(true)
  }
  await daemon.api.call('stopWorkload', { params: { name: 'tools' } })
  for (const [path, content] of Object.values(files)) {
    const isBack = async () => (await readFile(fileOf(home, path), 'utf8')) === content
    await until(`${path} to be as before`, isBack, 30_000)
  }
})
