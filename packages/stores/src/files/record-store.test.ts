import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import type { LogFields } from '@toolhaven/core/ports/logger'
import type { StoredWorkload } from '@toolhaven/core/ports/stores'
import { describe, expect, it, onTestFinished } from 'vitest'
import * as z from 'zod'
import { createGroupStore } from './group-store.ts'
import { createRecordStore } from './record-store.ts'
import { createWorkloadStore } from './workload-store.ts'

const CANARY = 'canary-7f3a'

async function setUp() {
  const parent = await mkdtemp(join(tmpdir(), 'thv-records-'))
  onTestFinished(() => rm(parent, { recursive: true, force: true }))
  const dir = join(parent, 'things')
  const lines: { message: string; fields: LogFields | undefined }[] = []
  const log = (message: string, fields?: LogFields) => void lines.push({ message, fields })
  const logger = { debug: log, info: log, warn: log, error: log }
  const options = {
    dir,
    logger,
    schema: z.strictObject({ name: z.string(), colour: z.string() }),
    format: 3,
    migrations: {
      1: (old: unknown) => ({ ...z.object({ name: z.string() }).parse(old), color: 'grey' }),
      2: (old: unknown) => {
        const { name, color } = z.object({ name: z.string(), color: z.string() }).parse(old)
        return { name, colour: color }
      },
    },
    nameOf: (record: { name: string }) => record.name,
  }
  return { dir, logger, lines, store: createRecordStore(options), options }
}

const put = (dir: string, file: string, content: unknown) =>
  writeFile(join(dir, file), typeof content === 'string' ? content : JSON.stringify(content), { mode: 0o600 })

describe('a record store', () => {
  it('neither writes nor reads text with a NUL, unless it quotes servers', async () => {
    const { dir, store, options, lines } = await setUp()
    await store.load()
    await expect(store.save({ name: 'a', colour: 'r\0d' })).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('colour: must not contain a NUL character'),
    })
    const record = { name: 'a', colour: 'r\0d' }
    const quoting = createRecordStore({ ...options, quotesServers: true })
    await quoting.save(record)
    expect(await quoting.load()).toEqual([record])
    expect(await store.load()).toEqual([])
    expect(lines.at(-1)?.fields?.['why']).toBe('colour: must not contain a NUL character')
    expect((await readdir(dir)).some((file) => file.startsWith('a.json.corrupt-'))).toBe(true)
  })

  it('gives back what was saved, after a restart too, and forgets what was removed', async () => {
    const { store, options } = await setUp()
    expect(await store.load()).toEqual([])
    await store.save({ name: 'b', colour: 'red' })
    await store.save({ name: 'a', colour: 'blue' })
    await store.remove('b')
    await store.remove('never-there')
    expect(await createRecordStore(options).load()).toEqual([{ name: 'a', colour: 'blue' }])
  })

  it('keeps one file for names that differ in case only', async () => {
    const { store, dir } = await setUp()
    await store.save({ name: 'GitHub', colour: 'red' })
    await store.save({ name: 'github', colour: 'blue' })
    expect(await readdir(dir)).toEqual(['github.json'])
    await store.remove('GITHUB')
    expect(await store.load()).toEqual([])
  })

  it('ends with the last of many saves of one name, in call order', async () => {
    const { store } = await setUp()
    const record = { name: 'a', colour: '' }
    const saves = Array.from({ length: 40 }, (_, round) => {
      record.colour = `shade ${round}`
      return store.save(record)
    })
    await Promise.all(saves)
    expect(await store.load()).toEqual([{ name: 'a', colour: 'shade 39' }])
  })

  it('migrates older formats step by step and keeps a copy of the old file', async () => {
    const { store, dir } = await setUp()
    await store.load()
    const old = JSON.stringify({ format: 1, record: { name: 'a' } })
    await put(dir, 'a.json', old)
    await put(dir, 'b.json', { format: 2, record: { name: 'b', color: 'red' } })
    expect(await store.load()).toEqual([
      { name: 'a', colour: 'grey' },
      { name: 'b', colour: 'red' },
    ])
    expect(await readFile(join(dir, 'a.json.v1.bak'), 'utf8')).toBe(old)
    expect(JSON.parse(await readFile(join(dir, 'a.json'), 'utf8'))).toEqual({
      format: 3,
      record: { name: 'a', colour: 'grey' },
    })
    expect(await readdir(dir)).toContain('b.json.v2.bak')
    expect(await store.load()).toHaveLength(2)
  })

  it('leaves a file of a newer version untouched, says so, and lets nothing overwrite it', async () => {
    const { store, dir, lines } = await setUp()
    await store.save({ name: 'good', colour: 'red' })
    const newer = JSON.stringify({ format: 4, record: { name: 'a', hue: 3 } })
    await put(dir, 'a.json', newer)
    expect(await store.load()).toEqual([{ name: 'good', colour: 'red' }])
    expect(lines).toHaveLength(1)
    expect(lines[0]?.fields).toMatchObject({
      file: join(dir, 'a.json'),
      why: /newer version of Toolhaven \(format 4\)/,
    })
    await expect(store.save({ name: 'A', colour: 'x' })).rejects.toMatchObject({ code: 'conflict' })
    await expect(store.remove('a')).rejects.toMatchObject({ code: 'conflict' })
    expect(await readFile(join(dir, 'a.json'), 'utf8')).toBe(newer)
  })

  it.each([
    ['empty', ''],
    ['cut short', `{"format":3,"record":{"name":"a","colour":"${CANARY}`],
    ['without a format', { name: 'a', colour: CANARY }],
    ['of a wrong shape', { format: 3, record: { name: 'a', colour: CANARY, more: CANARY } }],
    ['under another name', { format: 3, record: { name: 'b', colour: CANARY } }],
    ['in a format that no step leads from', { format: 0, record: { name: 'a', colour: CANARY } }],
    ['that fails to migrate', { format: 2, record: { name: 'a', secret: CANARY } }],
  ])('sets aside a file %s, loads the others and quotes nothing of it', async (_what, content) => {
    const { store, dir, lines } = await setUp()
    await store.save({ name: 'good', colour: 'red' })
    await put(dir, 'a.json', content)
    expect(await store.load()).toEqual([{ name: 'good', colour: 'red' }])
    const files = await readdir(dir)
    expect(files).not.toContain('a.json')
    const aside = files.find((file) => file.startsWith('a.json.corrupt-')) ?? 'none'
    expect(await readFile(join(dir, aside), 'utf8')).toBe(
      typeof content === 'string' ? content : JSON.stringify(content),
    )
    expect(lines).toHaveLength(1)
    expect(JSON.stringify(lines)).not.toContain(CANARY)
    await store.save({ name: 'a', colour: 'new' })
    expect(await store.load()).toHaveLength(2)
  })

  it('leaves links and files that others may write alone', async () => {
    const { store, dir, lines } = await setUp()
    await store.save({ name: 'good', colour: 'red' })
    await symlink(join(dir, 'good.json'), join(dir, 'linked.json'))
    await put(dir, 'open.json', { format: 3, record: { name: 'open', colour: 'x' } })
    await chmod(join(dir, 'open.json'), 0o666)
    expect(await store.load()).toEqual([{ name: 'good', colour: 'red' }])
    expect(lines).toHaveLength(2)
    expect(await readdir(dir)).toEqual(['good.json', 'linked.json', 'open.json'])
  })

  it('has a whole record, the old or the new, whenever its process is killed', async () => {
    const { store, dir, lines } = await setUp()
    await store.save({ name: 'a', colour: 'first' })
    const module = pathToFileURL(join(import.meta.dirname, 'atomic-write.ts')).href
    const program = `
      const { atomicWrite } = await import(${JSON.stringify(module)})
      console.log('ready')
      for (let round = 0; ; round += 1) {
        const record = { name: 'a', colour: round + ' '.repeat(50_000) + round }
        await atomicWrite(${JSON.stringify(join(dir, 'a.json'))}, JSON.stringify({ format: 3, record }))
      }
    `
    for (let round = 0; round < 6; round += 1) {
      const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const gone = once(child, 'exit')
      await once(child.stdout, 'data')
      await setTimeout(7 * round)
      child.kill('SIGKILL')
      await gone
      const [record] = await store.load()
      expect(record?.colour).toMatch(/^(first|(\d+) {50000}\2)$/)
      expect(await readdir(dir)).toEqual(['a.json'])
    }
    expect(lines).toEqual([])
  })

  it('clears what a write cut short by a crash left behind', async () => {
    const { store, dir } = await setUp()
    await store.save({ name: 'a', colour: 'red' })
    await put(dir, '.a.json.0123456789ab.tmp', '{"form')
    await store.load()
    expect(await readdir(dir)).toEqual(['a.json'])
  })

  it.each(['../a', 'a/b', '.hidden', '', 'a..b', 'a\0b', 'x'.repeat(101)])(
    'refuses the name %j before it meets a path',
    async (name) => {
      const { store, dir } = await setUp()
      await store.load()
      await expect(store.save({ name, colour: 'x' })).rejects.toMatchObject({ code: 'invalid' })
      await expect(store.remove(name)).rejects.toMatchObject({ code: 'invalid' })
      expect(await readdir(join(dir, '..'))).toEqual(['things'])
      expect(await readdir(dir)).toEqual([])
    },
  )

  it('takes the longest name', async () => {
    const { store } = await setUp()
    await store.save({ name: 'x'.repeat(100), colour: 'x' })
    expect(await store.load()).toHaveLength(1)
  })
})

describe('the workload store', () => {
  const workload: StoredWorkload = {
    asked: { name: 'Fetch', image: 'uvx://mcp-server-fetch', env_vars: { A: 'b' } },
    config: {
      schema_version: 'v0.1.0',
      name: 'Fetch',
      transport: 'stdio',
      image: 'uvx://mcp-server-fetch',
      port: 4000,
    },
    wanted: 'running',
    port: 4000,
    createdAt: '2026-01-02T03:04:05Z',
    generation: 2,
    package: 'uvx://mcp-server-fetch',
    resolved: { reference: 'uvx://mcp-server-fetch@1.2.3' },
    handle: { runtime: 'process', id: 'x', name: 'thv-Fetch' },
    profileOrigin: 'default',
  }

  it('keeps a workload as it was', async () => {
    const { dir, logger, lines } = await setUp()
    await createWorkloadStore({ dir, logger }).save(workload)
    expect(await createWorkloadStore({ dir, logger }).load()).toEqual([workload])
    expect(lines).toEqual([])
  })

  it('refuses to write what could not be read back', async () => {
    const { dir, logger } = await setUp()
    const store = createWorkloadStore({ dir, logger })
    await expect(store.save({ ...workload, port: -1 })).rejects.toMatchObject({ code: 'invalid', message: /port/ })
    expect(await store.load()).toEqual([])
  })
})

describe('the group store', () => {
  it('keeps a group as it was', async () => {
    const { dir, logger } = await setUp()
    await createGroupStore({ dir, logger }).save({ name: 'default', registeredClients: ['cursor'] })
    expect(await createGroupStore({ dir, logger }).load()).toEqual([{ name: 'default', registeredClients: ['cursor'] }])
  })
})
