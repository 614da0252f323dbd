import { chmod, mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { CLIENT_TYPES } from '@toolhaven/contract/client-types'
import type { StoredAdoption } from '@toolhaven/core/ports/foreign-entries'
import { silentLogger } from '@toolhaven/fakes/memory-stores'
import { parse } from 'jsonc-parser'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { CLIENT_PROGRAMS, type ClientProgram } from '../clients/catalogue.ts'
import { entryFields } from '../clients/entry-form.ts'
import { createSerialQueue } from '../files/serial-queue.ts'
import { createAdoptionStore } from './adoption-store.ts'
import { createForeignEntries } from './foreign-entries.ts'

let home = ''
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'toolhaven-adopt-'))
})
afterEach(() => rm(home, { recursive: true, force: true }))

const open = () => createForeignEntries({ homeDir: home, platform: 'linux', inTurn: createSerialQueue() })
const TO = { url: 'http://127.0.0.1:4001/mcp', transport: 'streamable-http' } as const

async function place(file: string, text: string): Promise<string> {
  const path = join(home, file)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)
  return path
}

const JSON_CLIENTS = CLIENT_TYPES.filter((client) => !('format' in CLIENT_PROGRAMS[client]))

// TOML and YAML are tried in written-entries.test.ts.
describe.each(JSON_CLIENTS)('%s', (client) => {
  const program: ClientProgram = CLIENT_PROGRAMS[client]
  it('has its entry found, pointed to the workload and put back byte for byte', async () => {
    const original = `{
  // mine
  "${program.serversKey}": {
    "gh": { // keep
      "command": "npx", "args": ["-y", "server"], /* odd */
      "env": {"TOKEN": "k\\u0065y"},
      "alwaysAllow": ["a"],
    },
    "other": {"${program.urlFields?.['streamable-http'] ?? 'url'}": "https://example.com/mcp"}
  }, "more": 1
}`
    const path = await place(program.files.linux[0] ?? '', original)
    const files = open()
    const { entries, faults } = await files.list()
    expect(faults).toEqual([])
    const entry = entries.find(({ key }) => key === 'gh')
    expect(entry).toMatchObject({
      client,
      path,
      definition: { command: 'npx', args: ['-y', 'server'], env: { TOKEN: 'key' } },
    })
    expect(entries.find(({ key }) => key === 'other')?.definition.url).toBe('https://example.com/mcp')
    const found = { client, path, key: 'gh' }
    expect(await files.point(found, entry?.text ?? '', TO)).toBe('written')
    const changed = await readFile(path, 'utf8')
    expect(parse(changed)[program.serversKey].gh).toEqual({
      ...entryFields(program, TO, 'gh'),
      alwaysAllow: ['a'],
    })
    expect(changed).not.toContain('TOKEN')
    expect(changed.startsWith(original.slice(0, original.indexOf('{ // keep')))).toBe(true)
    // No copy with the key is left beside the file.
    expect((await readdir(dirname(path))).filter((name) => name.includes('toolhaven'))).toEqual([])
    expect(await files.restore(found, TO.url, entry?.text ?? '')).toBe('restored')
    expect(await readFile(path, 'utf8')).toBe(original)
  })
})

describe('an entry', () => {
  const cursor = (text: string) => place('.cursor/mcp.json', text)
  const entry = '{"command":"npx","args":["x"]}'

  it('is not touched when it is not what was seen any more', async () => {
    const path = await cursor(`{"mcpServers":{"a":${entry}}}`)
    const at = { client: 'Cursor', path, key: 'a' } as const
    expect(await open().point(at, '{"command":"uvx"}', TO)).toBe('changed')
    expect(await open().restore(at, TO.url, '{}')).toBe('changed')
    expect(await open().restore({ ...at, key: 'b' }, TO.url, '{}')).toBe('gone')
    expect(await open().restore(at, TO.url, entry)).toBe('restored')
    expect(await readFile(path, 'utf8')).toBe(`{"mcpServers":{"a":${entry}}}`)
  })

  it('comes back alone when the rest of the file was changed since', async () => {
    const path = await cursor(`\ufeff{"mcpServers":{"a":${entry}}}\r\n`)
    const at = { client: 'Cursor', path, key: 'a' } as const
    await open().point(at, entry, TO)
    await writeFile(path, (await readFile(path, 'utf8')).replace('{"mcpServers"', '{"theme":"dark","mcpServers"'))
    expect(await open().restore(at, TO.url, entry)).toBe('restored')
    expect(await readFile(path, 'utf8')).toBe(`\ufeff{"theme":"dark","mcpServers":{"a":${entry}}}\r\n`)
  })

  it.each([
    [String.raw`"a":{"command":"npx","args":["x"],"env":{"A":"x\u0000y"}}`, 'env.A: must not contain a NUL character'],
    [String.raw`"a":{"command":"npx","args":["x\u0000y"]}`, 'args.0: must not contain a NUL character'],
    [String.raw`"a\u0000":{"command":"npx"}`, 'it: this key must not contain a NUL character'],
  ])('with a character that no program can be given cannot be adopted: %s', async (text, fault) => {
    await cursor(`{"mcpServers":{${text}}}`)
    const { entries } = await open().list()
    expect(entries.map(({ definition }) => definition.fault)).toEqual([expect.stringContaining(fault)])
  })

  it('of a file that cannot be read is a fault, and others are found', async () => {
    await cursor('{"mcpServers":')
    await place('.codeium/mcp_config.json', `{"mcpServers":{"b":${entry}}}`)
    await place('.claude.json', '// nothing yet\n')
    const { entries, faults } = await open().list()
    expect(entries.map(({ key }) => key)).toEqual(['b'])
    expect(faults).toEqual([{ client: 'Cursor', reason: expect.stringContaining('line 1') }])
  })

  it('of a read-only file is refused, and keeps its mode otherwise', async () => {
    const path = await cursor(`{"mcpServers":{"a":${entry}}}`)
    await chmod(path, 0o400)
    const at = { client: 'Cursor', path, key: 'a' } as const
    await expect(open().point(at, entry, TO)).rejects.toThrow('read-only')
    await chmod(path, 0o640)
    expect(await open().point(at, entry, TO)).toBe('written')
    expect((await stat(path)).mode & 0o777).toBe(0o640)
    await writeFile(`${path}.toolhaven-backup`, '')
    expect(await open().copies([at])).toEqual([`${path}.toolhaven-backup`])
  })

  it.each([
    ['  [mcp_servers.gh]\n  command = "x"\n', { command: 'x' }],
    ['["x", "y"]', { fault: expect.stringContaining('cannot be understood') }],
    ['"text"', { fault: expect.stringContaining('cannot be understood') }],
    ['{"command":"x","args":"y"}', { fault: expect.stringContaining('args') }],
    ['{"command":"x","env":{"A":1,"B":true}}', { env: { A: '1', B: 'true' } }],
    ['{"serverUrl":"https://a","transport":"sse"}', { url: 'https://a', type: 'sse' }],
    ['{"command":"x","disabled":true}', { isDisabled: true }],
    ['{"command":["npx","-y","x"],"environment":{"A":"b"}}', { command: 'npx', args: ['-y', 'x'], env: { A: 'b' } }],
    ['  gh:\n    cmd: npx # c\n    args: [x]\n    envs: {A: b}\n', { command: 'npx', args: ['x'], env: { A: 'b' } }],
    ['  - name: gh\r\n    url: "https://a"\r\n    type: sse\r\n', { url: 'https://a', type: 'sse' }],
    ['{name: gh, url: https://a, requestOptions: {headers: {B: c}}}', { url: 'https://a', headers: { B: 'c' } }],
    ['gh: {uri: https://a, type: streamable_http, env_keys: [K]}', { url: 'https://a', unsupported: ['env_keys'] }],
    ['{"type":"remote","url":"https://a/sse","requestOptions":{"proxy":"x"}}', { unsupported: ['requestOptions'] }],
    [
      '{"command":"x","enabled":false,"cwd":"/","envFile":".env"}',
      { isDisabled: true, unsupported: ['cwd', 'envFile'] },
    ],
  ])('that says %s is understood', (text, expected) => {
    expect(open().read(text)).toMatchObject(expected)
  })
})

it('what was adopted is kept in a file that only its owner can read', async () => {
  const store = createAdoptionStore({ dir: join(home, 'adoptions'), logger: silentLogger })
  const record: StoredAdoption = {
    name: 'gh',
    phase: 'adopted',
    url: TO.url,
    entries: [{ client: 'Cursor', path: '/x', key: 'gh' }],
    originals: { secret: 'gh-original-entries' },
    secrets: ['gh-TOKEN'],
  }
  await store.save(record)
  expect(await store.load()).toEqual([record])
  const [file = ''] = await readdir(join(home, 'adoptions'))
  expect((await stat(join(home, 'adoptions', file))).mode & 0o777).toBe(0o600)
})
