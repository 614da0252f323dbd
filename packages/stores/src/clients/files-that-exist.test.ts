import { lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { ClientType } from '@toolhaven/contract/client-types'
import { silentLogger } from '@toolhaven/fakes/memory-stores'
import { parse } from 'yaml'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createClientFiles } from './client-files.ts'

let base = ''
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'thv-files-'))
  await mkdir(join(base, 'state'), { mode: 0o700 })
})
afterEach(() => rm(base, { recursive: true, force: true }))

const WANTED = new Map([['time', { url: 'http://127.0.0.1:4001/mcp', transport: 'streamable-http' } as const]])
const files = () =>
  createClientFiles({ homeDir: base, platform: 'linux', stateDir: join(base, 'state'), logger: silentLogger })
const add = (client: ClientType) => files().sync(client, WANTED, new Map())
const undo = (client: ClientType) => files().sync(client, new Map(), new Map())

async function place(file: string, text?: string): Promise<string> {
  const path = join(base, file)
  await mkdir(dirname(path), { recursive: true })
  if (text !== undefined) await writeFile(path, text)
  return path
}

it.each([
  ['Goose', '.config/goose/config.yaml'],
  ['Continue', '.continue/config.yaml'],
] as const)('%s is not installed, and gets no file, while there is only its folder', async (client, file) => {
  const path = await place(file)
  expect(await files().isInstalled(client)).toBe(false)
  expect((await add(client)).outcome).toBe('skipped')
  expect(await readdir(dirname(path))).toEqual([])
})

it('a YAML file behind a link is changed where it lies, and keeps its byte order mark and line ends', async () => {
  const path = await place('.config/goose/config.yaml')
  const original = '\ufeff# mine\r\nextensions:\r\n  own:\r\n    cmd: x # keep\r\n\r\n\r\nGOOSE_MODE: auto'
  const dotfile = await place('dotfiles/goose.yaml', original)
  await symlink(dotfile, path)
  expect((await add('Goose')).outcome).toBe('written')
  const written = await readFile(dotfile, 'utf8')
  expect(Object.keys(parse(written).extensions)).toEqual(['own', 'time'])
  expect(written.replaceAll('\r\n', '')).not.toContain('\n')
  expect((await add('Goose')).outcome).toBe('unchanged')
  await undo('Goose')
  expect(await readFile(dotfile, 'utf8')).toBe(original)
  expect((await lstat(path)).isSymbolicLink()).toBe(true)
})

it('a folder in place of a YAML file, or one that is damaged, is refused and stays', async () => {
  const path = await place('.config/goose/config.yaml/x', '')
  await expect(add('Goose')).rejects.toThrow('is not an ordinary file')
  await rm(dirname(path), { recursive: true })
  const file = await place('.config/goose/config.yaml', 'extensions:\n\town: x\n')
  await expect(add('Goose')).rejects.toThrow(/line 2, column 1/)
  expect(await readFile(file, 'utf8')).toBe('extensions:\n\town: x\n')
  expect(await readdir(dirname(file))).toEqual(['config.yaml'])
})

it.each([
  [[], 'opencode.json'],
  [['opencode.jsonc'], 'opencode.jsonc'],
  [['opencode.json', 'opencode.jsonc'], 'opencode.json'],
])('OpenCode with the files %j gets its entries in %s', async (present, where) => {
  await place('.config/opencode/x')
  const folder = join(base, '.config/opencode')
  for (const name of present) await writeFile(join(folder, name), '{} // mine\n')
  await add('OpenCode')
  expect(await readFile(join(folder, where), 'utf8')).toContain('"time"')
  await undo('OpenCode')
  const left = (await readdir(folder)).filter((name) => !name.includes('toolhaven'))
  expect(left).toEqual(present)
  for (const name of present) expect(await readFile(join(folder, name), 'utf8')).toBe('{} // mine\n')
})

it.each([
  ['{"mcp":{"servers":{"own":{"type":"local","command":["x"]}},"timeout":{"catalog":1}}}', ['servers']],
  ['{"mcp":{"servers":{}}}', ['servers']],
  ['{"mcp":{"servers":{"type":"local","command":["x"]}}}', []],
  ['{"mcp":{"servers":{"enabled":false}}}', []],
  ['{"mcp":{"own":{"type":"remote","url":"http://far.test/"}}}', []],
  ['{"mcp":{}}', []],
  ['{}', []],
])('in OpenCode’s %s the entry stands where its release lists the others', async (text, below) => {
  const path = await place('.config/opencode/opencode.json', text)
  await add('OpenCode')
  const mcp = JSON.parse(await readFile(path, 'utf8')).mcp
  const servers = below.reduce((object, key) => object[key], mcp)
  expect(servers.time).toEqual({ url: 'http://127.0.0.1:4001/mcp', type: 'remote', enabled: true })
  await undo('OpenCode')
  expect(await readFile(path, 'utf8')).toBe(text)
})
