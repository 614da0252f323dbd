import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { fileIdentity } from '@toolhaven/core/ports/runtime'
import { createHost } from './host.ts'

const OTHER_USER = 65_534
const LOOKS = 300

/** By turns a folder and a link in its place. */
const FLICKER = `
const fs = require('node:fs')
const [folder, target] = process.argv.slice(1)
fs.writeSync(1, 'begins')
for (;;) {
  fs.renameSync(folder, folder + '-before')
  fs.symlinkSync(target, folder)
  fs.unlinkSync(folder)
  fs.renameSync(folder + '-before', folder)
}`

const identityOf = async (path: string) => fileIdentity(await stat(path, { bigint: true }))

describe('the host', () => {
  let root: string
  const host = () =>
    createHost({
      ownAddresses: () => [],
      homeDir: join(root, 'home'),
      configDir: join(root, 'config'),
      ownFolders: [join(root, 'state')],
      engineSockets: async () => [],
      cwd: join(root, 'work'),
    })

  beforeEach(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), 'thv-host-')))
    for (const folder of ['home', 'config/profiles', 'work']) await mkdir(join(root, folder), { recursive: true })
    await writeFile(join(root, 'home', 'note'), 'n')
    await writeFile(join(root, 'config', 'profiles', 'p.json'), '{"a":1}')
    await writeFile(join(root, 'secret'), 's')
  })
  afterEach(() => rm(root, { recursive: true, force: true }))

  test('never takes what a link leads to for the folder that the link replaces', async (context) => {
    if (process.platform !== 'linux') context.skip('only Linux can look at a path once')
    const [folder, theirs] = [join(root, 'work', 'data'), join(root, 'home')]
    await mkdir(folder)
    const own = await identityOf(folder)
    const flicker = spawn(process.execPath, ['-e', FLICKER, folder, theirs], { stdio: ['ignore', 'pipe', 'inherit'] })
    try {
      await once(flicker.stdout, 'data')
      const seen = { folder: 0, link: 0 }
      while (seen.folder < LOOKS || seen.link < LOOKS) {
        const found = await host().resolvePath(folder)
        if (found?.path === theirs) seen.link += 1
        if (found?.path !== folder) continue
        seen.folder += 1
        expect(found.identity).toBe(own)
      }
    } finally {
      flicker.kill()
      await once(flicker, 'exit')
    }
  })

  test('resolves the home folder, relative paths and links', async () => {
    await symlink(join(root, 'home'), join(root, 'work', 'link'))
    const note = {
      path: join(root, 'home', 'note'),
      kind: 'file',
      identity: await identityOf(join(root, 'home', 'note')),
    }
    expect(await host().resolvePath('~/note')).toEqual(note)
    expect(await host().resolvePath('../home/note')).toEqual(note)
    expect(await host().resolvePath('link/note')).toEqual(note)
    expect(await host().resolvePath('~')).toMatchObject({ path: join(root, 'home'), kind: 'directory' })
  })

  test('tells sockets and devices from files', async () => {
    const server = createServer().listen(join(root, 'sock'))
    await new Promise((resolve) => server.once('listening', resolve))
    expect(await host().resolvePath(join(root, 'sock'))).toMatchObject({ kind: 'socket' })
    expect(await host().resolvePath('/dev/null')).toMatchObject({ kind: 'other' })
    await new Promise((resolve) => server.close(resolve))
  })

  test('says nothing of what is not there', async () => {
    expect(await host().resolvePath('missing')).toBeUndefined()
    expect(await host().resolvePath('~/note/below-a-file')).toBeUndefined()
    await symlink(join(root, 'gone'), join(root, 'work', 'dangling'))
    expect(await host().resolvePath('dangling')).toBeUndefined()
    await expect(host().resolvePath('a\0b')).rejects.toMatchObject({ code: 'invalid' })
  })

  test('finds the first link on a way, dangling or not', async () => {
    await symlink('nowhere', join(root, 'work', 'dangling'))
    await symlink(join(root, 'home'), join(root, 'work', 'link'))
    const find = (...names: string[]) => host().linkOnTheWay(root, names)
    expect(await find('work', 'dangling', 'deeper')).toBe(join(root, 'work', 'dangling'))
    expect(await find('work', 'link')).toBe(join(root, 'work', 'link'))
    expect(await find('home', 'note')).toBeUndefined()
    expect(await find('home', 'gone', 'deeper')).toBeUndefined()
  })

  test('a link in a folder that only somebody else may enter is not taken for absent', async (context) => {
    if (process.getuid?.() !== 0) context.skip('only root becomes another user')
    await chmod(root, 0o755)
    await mkdir(join(root, 'work', 'closed'))
    await symlink('/', join(root, 'work', 'closed', 'link'))
    await chmod(join(root, 'work', 'closed'), 0)
    process.seteuid?.(OTHER_USER)
    try {
      await expect(host().linkOnTheWay(root, ['work', 'closed', 'link'])).rejects.toMatchObject({
        code: 'invalid',
        message: expect.stringContaining('EACCES'),
      })
    } finally {
      process.seteuid?.(0)
    }
  })

  test('a path that cannot be looked at is the user’s to put right', async () => {
    await symlink('loop', join(root, 'work', 'loop'))
    for (const path of ['loop', 'x'.repeat(300)]) {
      await expect(host().resolvePath(path)).rejects.toMatchObject({ code: 'invalid' })
    }
    await expect(host().linkOnTheWay(root, ['x'.repeat(300)])).rejects.toMatchObject({ code: 'invalid' })
  })

  test('knows its own folders, also by a path through a link', async () => {
    await mkdir(join(root, 'real', 'workloads'), { recursive: true })
    await symlink(join(root, 'real'), join(root, 'state'))
    const isOwn = async (path: string) => {
      const found = await host().resolvePath(join(root, path))
      return found !== undefined && (await host().isOwn(found))
    }
    expect([await isOwn('real'), await isOwn('state/workloads'), await isOwn('home')]).toEqual([true, true, false])
  })

  test('reads files below the configuration folder', async () => {
    expect(await host().readConfigFile('profiles/p.json')).toBe('{"a":1}')
    expect(await host().readConfigFile('profiles/none.json')).toBeUndefined()
  })

  test('reads nothing outside the configuration folder', async () => {
    await symlink(join(root, 'secret'), join(root, 'config', 'way-out'))
    for (const path of ['../secret', 'profiles/../../secret', join(root, 'secret'), 'way-out', '.', '', 'p\0']) {
      await expect(host().readConfigFile(path), path).rejects.toMatchObject({ code: 'invalid' })
    }
  })

  test('reads a plain file anywhere, and neither pipes nor what is too long', async () => {
    expect(await host().readTextFile(join(root, 'secret'))).toBe('s')
    expect(await host().readTextFile(join(root, 'gone'))).toBeUndefined()
    await writeFile(join(root, 'long'), 'x'.repeat(1024 * 1024 + 1))
    execFileSync('mkfifo', [join(root, 'config', 'pipe')])
    for (const path of [root, '/dev/zero', join(root, 'long'), join(root, 'config', 'pipe')])
      await expect(host().readTextFile(path), path).rejects.toMatchObject({ code: 'invalid' })
    await expect(host().readConfigFile('pipe')).rejects.toMatchObject({ code: 'invalid' })
  })

  test('a file whose name begins with two dots is inside', async () => {
    await writeFile(join(root, 'config', '..odd'), 'odd')
    expect(await host().readConfigFile('..odd')).toBe('odd')
  })
})
