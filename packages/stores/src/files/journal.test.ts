import { appendFile, mkdtemp, readFile, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { execFileSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createJournal } from './journal.ts'

const isRoot = process.getuid?.() === 0

async function tempFolder() {
  const dir = await mkdtemp(join(tmpdir(), 'thv-journal-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  return dir
}

const entry = (target: string) => ({ actor: 'api', action: 'workload.create', target })

describe('the journal', () => {
  it('keeps entries in call order with their time, in a private file', async () => {
    const file = join(await tempFolder(), 'journal.ndjson')
    const journal = createJournal({ file, now: () => 0 })
    await Promise.all(Array.from({ length: 50 }, (_, index) => journal.append(entry(`w${index}`))))
    const lines = await journal.read(100)
    expect(lines.map((line) => line.target)).toEqual(Array.from({ length: 50 }, (_, index) => `w${index}`))
    expect(lines[0]).toEqual({ format: 1, time: '1970-01-01T00:00:00.000Z', ...entry('w0') })
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect((await journal.read(2)).map((line) => line.target)).toEqual(['w48', 'w49'])
  })

  it('reads past a torn last line and does not lose the entry written after it', async () => {
    const file = join(await tempFolder(), 'journal.ndjson')
    await createJournal({ file }).append(entry('first'))
    await appendFile(file, '{"format":1,"time":"20')
    const journal = createJournal({ file })
    expect((await journal.read(10)).map((line) => line.target)).toEqual(['first'])
    await journal.append({ ...entry('second'), detail: { text: 'a\nb' } })
    expect((await journal.read(10)).map((line) => line.target)).toEqual(['first', 'second'])
  })

  it('rotates and drops the oldest, and reads over the files', async () => {
    const dir = await tempFolder()
    const journal = createJournal({ file: join(dir, 'journal.ndjson'), maxBytes: 400, files: 3 })
    for (let index = 0; index < 30; index += 1) await journal.append(entry(`w${index}`))
    expect((await readdir(dir)).toSorted()).toEqual(['journal.ndjson', 'journal.ndjson.1', 'journal.ndjson.2'])
    for (const file of await readdir(dir)) expect((await stat(join(dir, file))).size).toBeLessThanOrEqual(400)
    const targets = (await journal.read(100)).map((line) => line.target)
    expect(targets.at(-1)).toBe('w29')
    expect(targets).toEqual(Array.from({ length: targets.length }, (_, index) => `w${30 - targets.length + index}`))
    expect(targets.length).toBeGreaterThan(5)
  })

  it('does not write through a symbolic link', async () => {
    const dir = await tempFolder()
    await writeFile(join(dir, 'victim'), 'precious')
    await symlink(join(dir, 'victim'), join(dir, 'journal.ndjson'))
    await expect(createJournal({ file: join(dir, 'journal.ndjson') }).append(entry('a'))).rejects.toMatchObject({
      code: 'unavailable',
    })
    expect(await readFile(join(dir, 'victim'), 'utf8')).toBe('precious')
  })

  it('goes on after a full disk, with no torn line', async ({ skip }) => {
    skip(!isRoot, 'needs root for a tiny file system')
    const dir = await tempFolder()
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k,mode=700', 'tmpfs', dir])
    onTestFinished(() => void execFileSync('umount', ['-l', dir]))
    const journal = createJournal({ file: join(dir, 'journal.ndjson') })
    await journal.append(entry('first'))
    await expect(journal.append({ ...entry('huge'), detail: { text: 'x'.repeat(200_000) } })).rejects.toMatchObject({
      code: 'unavailable',
      message: /no space/,
    })
    await journal.append(entry('last'))
    expect((await journal.read(10)).map((line) => line.target)).toEqual(['first', 'last'])
    expect((await readFile(join(dir, 'journal.ndjson'), 'utf8')).split('\n')).toHaveLength(3)
  })
})
