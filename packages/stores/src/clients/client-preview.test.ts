import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { ClientEntry } from '@toolhaven/core/ports/clients'
import type { Logger } from '@toolhaven/core/ports/logger'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createClientFiles } from './client-files.ts'

let base = ''
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'toolhaven-preview-'))
  await mkdir(join(base, 'state'), { mode: 0o700 })
  await mkdir(join(base, 'home'))
})
afterEach(() => rm(base, { recursive: true, force: true }))

const silent: Logger = { debug() {}, info() {}, warn() {}, error() {} }
const clientFiles = () =>
  createClientFiles({ homeDir: join(base, 'home'), platform: 'linux', stateDir: join(base, 'state'), logger: silent })
const entries = (ports: Readonly<Record<string, number>>): Map<string, ClientEntry> =>
  new Map(
    Object.entries(ports).map(([name, port]) => [
      name,
      { url: `http://127.0.0.1:${port}/mcp`, transport: 'streamable-http' },
    ]),
  )
const none = entries({})

async function place(file: string, text: string): Promise<string> {
  const path = join(base, 'home', file)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)
  return path
}
const everything = async () => (await readdir(base, { recursive: true })).toSorted()

describe('a preview of a client file', () => {
  it('says of each entry what a write would do, and a write then does that', async () => {
    const path = await place('.cursor/mcp.json', '{"mcpServers":{"github":{"command":"npx","env":{"KEY":"sk-1"}}}}')
    const files = clientFiles()
    await files.sync('Cursor', entries({ stays: 4001, moves: 4002, goes: 4003 }), none)
    const before = [await readFile(path, 'utf8'), await everything()]

    const preview = await files.preview('Cursor', entries({ stays: 4001, moves: 5002, github: 4004 }), none)

    expect(JSON.stringify(preview)).not.toContain('sk-1')
    expect([await readFile(path, 'utf8'), await everything()]).toEqual(before)
    const at = (port: number) => ({ url: `http://127.0.0.1:${port}/mcp`, type: 'http' })
    expect(preview.files).toEqual([
      {
        ...{ path, exists: true, format: 'json', servers_key: 'mcpServers', foreign: ['github'] },
        entries: [
          { key: 'stays', workload: 'stays', change: 'keep', fields: at(4001) },
          { key: 'moves', workload: 'moves', change: 'change', fields: at(5002) },
          { key: 'github-toolhaven', workload: 'github', change: 'add', fields: at(4004) },
          { key: 'goes', workload: 'goes', change: 'remove' },
        ],
        notes: ['Cursor has an entry github of its own; ours is github-toolhaven'],
      },
    ])
    await files.sync('Cursor', entries({ stays: 4001, moves: 5002, github: 4004 }), none)
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({
      mcpServers: {
        github: { command: 'npx', env: { KEY: 'sk-1' } },
        ...{ stays: at(4001), moves: at(5002), 'github-toolhaven': at(4004) },
      },
    })
  })

  it('names the file that a client gets once it is installed, and makes none', async () => {
    const { files, reads } = await clientFiles().preview('Codex', entries({ time: 4001 }), none)
    expect(files).toMatchObject([
      { path: join(base, 'home/.codex/config.toml'), exists: false, format: 'toml', servers_key: 'mcp_servers' },
    ])
    expect(files[0]?.entries).toEqual([
      { key: 'time', workload: 'time', change: 'add', fields: { url: 'http://127.0.0.1:4001/mcp' } },
    ])
    expect(reads).toBe('at its start')
    expect(await readdir(join(base, 'home'))).toEqual([])
  })

  it('shows a file at its old place beside the one at its new place', async () => {
    const old = '.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json'
    const shared = '.cline/data/settings/cline_mcp_settings.json'
    const paths = [await place(old, '{}'), await place(shared, '{"mcpServers":{"own":{}}}')]
    const { files } = await clientFiles().preview('Cline', none, none)
    expect(files.map(({ path, foreign }) => [path, foreign])).toEqual([
      [paths[0], []],
      [paths[1], ['own']],
    ])
  })

  it('says where a damaged file cannot be read, and leaves it', async () => {
    const path = await place('.cursor/mcp.json', '{"mcpServers": {,}}')
    const { files } = await clientFiles().preview('Cursor', entries({ time: 4001 }), none)
    expect(files).toMatchObject([{ path, exists: true, entries: [], foreign: [] }])
    expect(files[0]?.problem).toContain(path)
    expect(await readFile(path, 'utf8')).toBe('{"mcpServers": {,}}')
  })

  it('says that a file is written in a way that no entry can be added to', async () => {
    const path = await place('.config/goose/config.yaml', '? extensions\n: a: {uri: q}\n')
    const { files } = await clientFiles().preview('Goose', entries({ time: 4001 }), none)
    expect(files).toMatchObject([{ path, format: 'yaml', problem: expect.stringContaining('add the servers by hand') }])
  })

  it('says that something else lies where the file should be', async () => {
    await mkdir(join(base, 'home/.cursor/mcp.json'), { recursive: true })
    await chmod(join(base, 'home/.cursor/mcp.json'), 0o700)
    const { files } = await clientFiles().preview('Cursor', none, none)
    expect(files[0]?.problem).toMatch(/mcp\.json/)
  })
})
