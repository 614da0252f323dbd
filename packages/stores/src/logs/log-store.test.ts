import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LogQuery } from '@toolhaven/core/ports/stores'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createLogStore, type LogStoreOptions } from './log-store.ts'

const isRoot = process.getuid?.() === 0

async function setUp(options: Partial<LogStoreOptions> = {}) {
  const parent = await mkdtemp(join(tmpdir(), 'thv-logs-'))
  onTestFinished(() => rm(parent, { recursive: true, force: true }))
  const dir = join(parent, 'logs')
  const warnings: string[] = []
  const warn = (message: string) => void warnings.push(message)
  const logger = { debug() {}, info() {}, warn, error: warn }
  const start = () => {
    const store = createLogStore({ dir, logger, ...options })
    // Before the folder goes: a late write would make it again.
    onTestFinished(() => store[Symbol.asyncDispose]())
    return store
  }
  return { dir, warnings, start, store: start() }
}

const numbered = (count: number, from = 0) => Array.from({ length: count }, (_, index) => `line ${from + index}`)

describe('the log store', () => {
  it('gives back the last lines, oldest first, from memory and after a restart', async () => {
    const { store, start, dir } = await setUp()
    store.append('fetch', 'stdout', 'one\ntwo\n')
    store.append('fetch', 'stderr', 'three')
    store.append('other', 'stdout', 'elsewhere\n')
    expect(await store.tail('fetch', 2)).toEqual(['two', 'three'])
    store.append('FETCH', 'stdout', 'four\r\n\n')
    await store[Symbol.asyncDispose]()
    expect(await start().tail('Fetch', 100)).toEqual(['one', 'two', 'three', 'four', ''])
    expect((await stat(join(dir, 'fetch.log'))).mode & 0o777).toBe(0o600)
    expect((await stat(dir)).mode & 0o777).toBe(0o700)
    expect(await store.tail('unknown', 5)).toEqual([])
    expect(await store.tail('fetch', 0)).toEqual([])
  })

  it('keeps the time and the stream of each line, also beside lines that were stored without', async () => {
    let now = Date.parse('2026-01-15T09:30:00.000Z')
    const { store, start, dir } = await setUp({ now: () => now })
    await store.tail('w', 1)
    await mkdir(dir, { recursive: true, mode: 0o700 })
    await writeFile(join(dir, 'w.log'), 'older\n2026-01-01 not our format\n', { mode: 0o600 })
    store.append('w', 'stdout', 'one\n')
    now += 1500
    store.append('w', 'stderr', '2026-01-15T09:30:00.000Z\tstdout\tforged\n')
    await store[Symbol.asyncDispose]()
    const one = { time: '2026-01-15T09:30:00.000Z', stream: 'stdout', text: 'one' }
    const forged = { ...one, time: '2026-01-15T09:30:01.500Z', stream: 'stderr' }
    const text = '2026-01-15T09:30:00.000Z\tstdout\tforged'
    const read = (query: LogQuery) => start().read('w', query)
    expect(await read({ lines: 9 })).toEqual([
      { text: 'older' },
      { text: '2026-01-01 not our format' },
      one,
      { ...forged, text },
    ])
    expect(await read({ lines: 9, since: now })).toEqual([{ ...forged, text }])
    expect(await read({ lines: 9, since: now - 1500 })).toHaveLength(2)
    expect(await read({ lines: 9, since: now + 1 })).toEqual([])
  })

  it('tells the lives of a server apart, however many starts wrote nothing', async () => {
    const { store } = await setUp()
    const textsOf = async (query: LogQuery) => (await store.read('w', query)).map(({ text }) => text)
    store.append('w', 'stdout', 'before any start\n')
    expect(await textsOf({ lines: 9, previous: true })).toEqual([])
    for (const life of ['first', 'second', 'third']) {
      store.begin('w')
      store.append('w', 'stdout', `${life} 1\n${life} 2\n`)
    }
    expect(await textsOf({ lines: 9, previous: true })).toEqual(['second 1', 'second 2'])
    expect(await textsOf({ lines: 1, previous: true })).toEqual(['second 2'])
    for (let start = 0; start < 200; start += 1) store.begin('w')
    expect(await textsOf({ lines: 2 })).toEqual(['third 1', 'third 2'])
    expect(await textsOf({ lines: 9, previous: true })).toEqual([])
  })

  it('rotates within its bounds and reads on over the older files', async () => {
    const { store, dir } = await setUp({ maxBytes: 4000, files: 3 })
    for (const line of numbered(400)) {
      store.append('w', 'stdout', `${line}\n`)
      if (Number(line.slice(5)) % 20 === 0) await store.tail('w', 1)
    }
    const lines = await store.tail('w', 10_000)
    expect((await readdir(dir)).toSorted()).toEqual(['w.log', 'w.log.1', 'w.log.2'])
    for (const file of await readdir(dir)) expect((await stat(join(dir, file))).size).toBeLessThanOrEqual(4000)
    expect(lines.length).toBeGreaterThan(150)
    expect(lines).toEqual(numbered(lines.length, 400 - lines.length))
    expect(await store.tail('w', 150)).toEqual(numbered(150, 250))
  })

  it('reads lines that lie across the blocks it reads, whatever the characters', async () => {
    const { store } = await setUp({ maxLineLength: 200_000 })
    const lines = ['ä'.repeat(90_000), '€'.repeat(70_000), 'end']
    store.append('w', 'stdout', lines.join('\n'))
    expect(await store.tail('w', 3)).toEqual(lines)
    expect(await store.tail('w', 2)).toEqual(lines.slice(1))
  })

  it('lets no control character but tab through, and no forged line', async () => {
    const { store, dir } = await setUp()
    store.append('w', 'stdout', 'a\u001b[31mred\u0007\tb\u009b2J\rc\u0000\u202etxt\n')
    expect(await store.tail('w', 1)).toEqual(['a\\u{1b}[31mred\\u{7}\tb\\u{9b}2J c\\u{0}\\u{202e}txt'])
    expect(await readFile(join(dir, 'w.log'), 'utf8')).not.toContain('\u001b')
  })

  it('cuts lines that are too long and says how much is missing', async () => {
    const { store } = await setUp({ maxLineLength: 10 })
    store.append('w', 'stdout', `${'x'.repeat(25)}\nshort\n`)
    expect(await store.tail('w', 2)).toEqual(['xxxxxxxxxx [toolhaven: 15 characters left out]', 'short'])
  })

  it('hands lines to followers from the call on, until aborted, each workload its own', async () => {
    const { store } = await setUp()
    store.append('w', 'stdout', 'before\n')
    const stop = new AbortController()
    const following = store.follow('W', stop.signal)
    store.append('w', 'stdout', 'one\ntwo\n')
    store.append('v', 'stdout', 'foreign\n')
    const seen: string[] = []
    for await (const { text } of following) {
      seen.push(text)
      if (text === 'two') store.append('w', 'stderr', 'three\n')
      if (text === 'three') stop.abort()
    }
    expect(seen).toEqual(['one', 'two', 'three'])
    const ended = store.follow('w', stop.signal)
    for await (const { text } of ended) expect.unreachable(text)
  })

  it('wakes a follower that waits when it is aborted', async () => {
    const { store } = await setUp()
    const stop = new AbortController()
    const waiting = store.follow('w', stop.signal)[Symbol.asyncIterator]().next()
    stop.abort()
    expect(await waiting).toEqual({ done: true, value: undefined })
  })

  it('bounds what a slow follower may keep in memory and tells it what it lost', async () => {
    const { store } = await setUp()
    const stop = new AbortController()
    const following = store.follow('w', stop.signal)[Symbol.asyncIterator]()
    store.append('w', 'stdout', numbered(200_000).join('\n'))
    expect((await following.next()).value).toEqual({
      text: '[toolhaven: 195000 lines left out, this reader is too slow]',
    })
    expect((await following.next()).value).toMatchObject({ text: 'line 195000' })
    stop.abort()
  })

  it('bounds what waits for the disk and says how many lines are missing', async () => {
    const { store } = await setUp()
    store.append('w', 'stdout', Array.from({ length: 3000 }, () => 'x'.repeat(999)).join('\n'))
    expect(await store.tail('w', 1)).toEqual(['[toolhaven: 1984 lines left out, they came faster than the disk]'])
  })

  it('names whose output there is, also what waits or is left of older files, and nothing else', async () => {
    const { store, dir } = await setUp()
    expect(await store.names()).toEqual([])
    store.append('Web', 'stdout', 'one\n')
    store.append('a.b-c', 'stdout', 'one\n')
    expect(await store.names()).toEqual(['a.b-c', 'web'])
    for (const file of ['old.log.2', 'notes.txt', '.hidden.log', 'UPPER.log']) await writeFile(join(dir, file), 'x')
    expect(await store.names()).toEqual(['a.b-c', 'old', 'web'])
    await store.remove('old')
    expect(await store.names()).toEqual(['a.b-c', 'web'])
  })

  it('removes all files of a workload and what still waits', async () => {
    const { store, dir } = await setUp({ maxBytes: 20 })
    for (const line of numbered(5)) {
      store.append('w', 'stdout', line)
      await store.tail('w', 1)
    }
    store.append('w', 'stdout', 'waiting')
    await store.remove('w')
    await store[Symbol.asyncDispose]()
    expect(await readdir(dir)).toEqual([])
    expect(await store.tail('w', 10)).toEqual([])
  })

  it('writes for 200 workloads at once with a bounded number of open files', async () => {
    const { store, dir } = await setUp()
    const open = async () => (await readdir('/proc/self/fd').catch(() => [])).length
    const before = await open()
    let most = 0
    const done = new AbortController()
    const watch = (async () => {
      while (!done.signal.aborted) most = Math.max(most, await open())
    })()
    for (let round = 0; round < 5; round += 1) {
      for (let index = 0; index < 200; index += 1) store.append(`w${index}`, 'stdout', `round ${round}\n`)
      await store[Symbol.asyncDispose]()
    }
    done.abort()
    await watch
    expect(await readdir(dir)).toHaveLength(200)
    expect(await store.tail('w199', 10)).toEqual(Array.from({ length: 5 }, (_, round) => `round ${round}`))
    expect(most - before).toBeLessThan(30)
  })

  it.each(['../x', 'a/b', '', '.', 'a..b', 'x'.repeat(200)])('writes nothing for the name %j', async (name) => {
    const { store, dir } = await setUp()
    store.append(name, 'stdout', 'text')
    await store.remove(name)
    await store[Symbol.asyncDispose]()
    expect(await store.tail(name, 1)).toEqual([])
    expect(await readdir(join(dir, '..'))).toEqual([])
  })

  it('does not write through a link, says so once, and goes on', async () => {
    const { store, dir, warnings } = await setUp()
    store.append('good', 'stdout', 'x')
    await store[Symbol.asyncDispose]()
    await writeFile(join(dir, 'victim'), 'precious')
    await symlink(join(dir, 'victim'), join(dir, 'w.log'))
    for (const line of numbered(3)) {
      store.append('w', 'stdout', line)
      await store[Symbol.asyncDispose]()
    }
    expect(await readFile(join(dir, 'victim'), 'utf8')).toBe('precious')
    expect(warnings).toEqual(['output of a workload cannot be written'])
    expect(await store.tail('good', 1)).toEqual(['x'])
  })

  it('survives a full disk and writes again when there is room', async ({ skip }) => {
    skip(!isRoot, 'needs root for a tiny file system')
    const { store, dir, warnings } = await setUp()
    store.append('w', 'stdout', 'first')
    await store[Symbol.asyncDispose]()
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k,mode=700', 'tmpfs', dir])
    onTestFinished(() => void execFileSync('umount', ['-l', dir]))
    store.append('w', 'stdout', 'second')
    await store[Symbol.asyncDispose]()
    store.append('w', 'stdout', Array.from({ length: 400 }, () => 'x'.repeat(999)).join('\n'))
    await store[Symbol.asyncDispose]()
    expect(warnings).toEqual(['output of a workload cannot be written'])
    store.append('w', 'stdout', 'third')
    expect(await store.tail('w', 10)).toEqual(['second', 'third'])
  })
})
