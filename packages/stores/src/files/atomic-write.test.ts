import { execFileSync } from 'node:child_process'
import {
  chmod,
  chown,
  link,
  lstat,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { atomicWrite } from './atomic-write.ts'
import { readPrivateFile } from './private-file.ts'
import { ensurePrivateFolder } from './private-folder.ts'

const isRoot = process.getuid?.() === 0

async function tempFolder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'thv-atomic-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  return dir
}

const modeOf = async (path: string) => (await stat(path)).mode & 0o777

describe('atomicWrite', () => {
  it('writes a private file and leaves nothing else in the folder', async () => {
    const dir = await tempFolder()
    await atomicWrite(join(dir, 'a.json'), 'one')
    await atomicWrite(join(dir, 'a.json'), 'two')
    expect(await readFile(join(dir, 'a.json'), 'utf8')).toBe('two')
    expect(await readdir(dir)).toEqual(['a.json'])
    expect(await modeOf(join(dir, 'a.json'))).toBe(0o600)
  })

  it('keeps the mode of the file it replaces when asked', async () => {
    const dir = await tempFolder()
    const path = join(dir, 'settings.json')
    await writeFile(path, 'old')
    await chmod(path, 0o644)
    await atomicWrite(path, 'new', { keepMode: true })
    expect(await modeOf(path)).toBe(0o644)
    await atomicWrite(path, 'new')
    expect(await modeOf(path)).toBe(0o600)
  })

  it('refuses a symbolic link and leaves what it points at alone', async () => {
    const dir = await tempFolder()
    await writeFile(join(dir, 'victim'), 'precious')
    await symlink(join(dir, 'victim'), join(dir, 'a.json'))
    await expect(atomicWrite(join(dir, 'a.json'), 'x')).rejects.toMatchObject({
      code: 'invalid',
      message: /symbolic link/,
    })
    expect(await readFile(join(dir, 'victim'), 'utf8')).toBe('precious')
    expect((await readdir(dir)).toSorted()).toEqual(['a.json', 'victim'])
  })

  it('replaces what a link points at when asked, and keeps the link', async () => {
    const dir = await tempFolder()
    await mkdir(join(dir, 'dotfiles'))
    await writeFile(join(dir, 'dotfiles', 'real'), 'old')
    await symlink(join('dotfiles', 'real'), join(dir, 'a.json'))
    await atomicWrite(join(dir, 'a.json'), 'new', { followSymlink: true })
    expect((await lstat(join(dir, 'a.json'))).isSymbolicLink()).toBe(true)
    expect(await readFile(join(dir, 'dotfiles', 'real'), 'utf8')).toBe('new')
  })

  it('gives a hard-linked file a new identity instead of writing through it', async () => {
    const dir = await tempFolder()
    await writeFile(join(dir, 'other'), 'precious')
    await link(join(dir, 'other'), join(dir, 'a.json'))
    await atomicWrite(join(dir, 'a.json'), 'new')
    expect(await readFile(join(dir, 'other'), 'utf8')).toBe('precious')
  })

  it('refuses a folder that everybody may write in, and one that is not there', async () => {
    const dir = await tempFolder()
    await chmod(dir, 0o777)
    await expect(atomicWrite(join(dir, 'a'), 'x')).rejects.toMatchObject({ code: 'invalid', message: /other users/ })
    await expect(atomicWrite(join(dir, 'none', 'a'), 'x')).rejects.toMatchObject({
      code: 'unavailable',
      message: /does not exist/,
    })
  })

  it('refuses to replace a file of another user', async ({ skip }) => {
    skip(!isRoot, 'needs root to make one')
    const dir = await tempFolder()
    await writeFile(join(dir, 'a'), 'theirs')
    await chown(join(dir, 'a'), 12_345, 12_345)
    await expect(atomicWrite(join(dir, 'a'), 'x')).rejects.toMatchObject({ code: 'invalid', message: /another user/ })
    await chown(dir, 12_345, 12_345)
    await expect(atomicWrite(join(dir, 'b'), 'x')).rejects.toMatchObject({ code: 'invalid', message: /another user/ })
  })

  it.skipIf(!isRoot)(
    'leaves the old file whole when the disk is full (needs root for a tiny file system)',
    async () => {
      const dir = await tempFolder()
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k,mode=700', 'tmpfs', dir])
      onTestFinished(() => void execFileSync('umount', ['-l', dir]))
      const path = join(dir, 'a.json')
      await atomicWrite(path, 'old')
      await expect(atomicWrite(path, 'x'.repeat(200_000))).rejects.toMatchObject({
        code: 'unavailable',
        message: expect.stringContaining(dir),
      })
      expect(await readFile(path, 'utf8')).toBe('old')
      expect(await readdir(dir)).toEqual(['a.json'])
    },
  )

  it('shows readers the old text or the new, never a part', async () => {
    const dir = await tempFolder()
    const path = join(dir, 'a')
    const texts = ['a'.repeat(100_000), 'b'.repeat(100_000)]
    await atomicWrite(path, 'a'.repeat(100_000))
    const writes = (async () => {
      for (let round = 0; round < 20; round += 1) await atomicWrite(path, texts[round % 2] ?? '')
    })()
    const seen = new Set<string>()
    for (let round = 0; round < 100; round += 1) seen.add(await readFile(path, 'utf8'))
    await writes
    for (const text of seen) expect(texts).toContain(text)
  })
})

describe('ensurePrivateFolder', () => {
  it('creates folders closed to others and tightens one that was only readable', async () => {
    const dir = await tempFolder()
    await ensurePrivateFolder(join(dir, 'a', 'b'))
    expect(await modeOf(join(dir, 'a', 'b'))).toBe(0o700)
    expect(await modeOf(join(dir, 'a'))).toBe(0o700)
    await chmod(join(dir, 'a'), 0o755)
    await ensurePrivateFolder(join(dir, 'a'))
    expect(await modeOf(join(dir, 'a'))).toBe(0o700)
  })

  it('refuses a folder that the group may write in and says the command that fixes it', async () => {
    const dir = await tempFolder()
    await chmod(dir, 0o770)
    await expect(ensurePrivateFolder(dir)).rejects.toMatchObject({ code: 'invalid', message: /chmod 700/ })
  })

  it('refuses a file in its place', async () => {
    const dir = await tempFolder()
    await writeFile(join(dir, 'a'), '')
    await expect(ensurePrivateFolder(join(dir, 'a'))).rejects.toMatchObject({ code: 'invalid' })
    await expect(ensurePrivateFolder(join(dir, 'a', 'b'))).rejects.toMatchObject({ code: 'invalid' })
  })

  it('refuses a link that another user planted', async ({ skip }) => {
    skip(!isRoot, 'needs root to make one')
    const dir = await tempFolder()
    await mkdir(join(dir, 'real'), { mode: 0o700 })
    await symlink(join(dir, 'real'), join(dir, 'run'))
    execFileSync('chown', ['-h', '12345', join(dir, 'run')])
    await expect(ensurePrivateFolder(join(dir, 'run'))).rejects.toMatchObject({
      code: 'invalid',
      message: /another user/,
    })
  })
})

describe('readPrivateFile', () => {
  it('gives undefined for no file, refuses links, pipes, folders, large files and files others may write', async () => {
    const dir = await tempFolder()
    const path = join(dir, 'a')
    expect(await readPrivateFile(path)).toBeUndefined()
    await writeFile(path, 'text', { mode: 0o600 })
    expect(await readPrivateFile(path)).toBe('text')
    await expect(readPrivateFile(path, { maxBytes: 3 })).rejects.toMatchObject({ message: /larger/ })
    await symlink(path, join(dir, 'link'))
    await expect(readPrivateFile(join(dir, 'link'))).rejects.toMatchObject({ message: /symbolic link/ })
    expect(await readPrivateFile(join(dir, 'link'), { followSymlink: true })).toBe('text')
    execFileSync('mkfifo', [join(dir, 'pipe')])
    await expect(readPrivateFile(join(dir, 'pipe'))).rejects.toMatchObject({ message: /ordinary file/ })
    await expect(readPrivateFile(dir)).rejects.toMatchObject({ message: /ordinary file/ })
    await chmod(path, 0o666)
    await expect(readPrivateFile(path)).rejects.toMatchObject({ message: /chmod 600/ })
  })
})
