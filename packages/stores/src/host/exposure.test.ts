import { spawnSync } from 'node:child_process'
import { link, mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createHost } from './host.ts'

let root: string
let server: Server
const at = (...parts: string[]) => join(root, ...parts)

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'thv-exposure-')))
  for (const folder of ['state/workloads', 'run/engine', 'project/deep', 'chroot/proc'])
    await mkdir(at(folder), { recursive: true })
  await writeFile(at('state', 'secrets'), 's')
  await writeFile(at('project', 'note'), 'n')
  await symlink(at('state'), at('state-link'))
  await symlink(at('run'), at('run-link'))
  server = createServer().listen(at('run', 'engine', 'e.sock'))
  await new Promise((resolve) => server.once('listening', resolve))
})
afterEach(async () => {
  await new Promise((resolve) => server.close(resolve))
  await rm(root, { recursive: true, force: true })
})

/** The folder of Toolhaven and the socket are named through links, as HOME and /var/run often are. */
async function exposed(path: string, mountTable = at('mounts')): Promise<string> {
  const host = createHost({
    ownAddresses: () => [],
    ...{ homeDir: at('home'), configDir: at('state'), cwd: root, mountTable },
    ownFolders: [at('state-link'), at('cache', 'that', 'is', 'not', 'there')],
    engineSockets: async () => [at('run-link', 'engine', 'e.sock'), at('absent', 'other.sock')],
  })
  const found = await host.resolvePath(path)
  if (found === undefined) throw new Error(`${path} is not there`)
  return (await host.exposedBy(found)) ?? 'nothing'
}

describe('a mount exposes', () => {
  test('what is mounted inside it', async (context) => {
    const bound = spawnSync('mount', ['--bind', at('state'), at('project', 'deep')])
    if (bound.status !== 0) context.skip('this user may not mount')
    try {
      expect(await exposed(at('project'), '/proc/self/mountinfo')).toMatch(/a folder of Toolhaven itself/)
    } finally {
      // Before the hook that removes the folder.
      spawnSync('umount', [at('project', 'deep')])
    }
  })

  test.each([
    ['the root', '/', /root of this machine/],
    ['the kernel', '/proc', /^\/proc, through which/],
    ['a part of it', '/sys/kernel', /^\/sys,/],
    ['devices', '/dev/null', /^\/dev,/],
  ])('%s', async (_, path, what) => {
    expect(await exposed(path)).toMatch(what)
  })

  test.each([
    ['a folder of Toolhaven', 'state', /state-link, a folder of Toolhaven/],
    ['what lies in one', 'state/workloads', /a folder of Toolhaven/],
    ['one through a link', 'state-link/secrets', /a folder of Toolhaven/],
    ['the folder of an engine’s socket', 'run/engine', /e\.sock, the socket of a container engine/],
    ['a folder further up', 'run', /the socket of a container engine/],
    ['the socket itself', 'run/engine/e.sock', /the socket of a container engine/],
  ])('%s', async (_, path, what) => {
    expect(await exposed(at(path))).toMatch(what)
  })

  test('a folder where a socket of an engine will be', async () => {
    await mkdir(at('absent'))
    expect(await exposed(at('absent'))).toContain('other.sock')
  })

  test('the socket by a second name', async () => {
    await link(at('run', 'engine', 'e.sock'), at('project', 'deep', 'harmless'))
    expect(await exposed(at('project'))).toMatch(/deep\/harmless, the socket of a container engine/)
    expect(await exposed(at('project', 'deep', 'harmless'))).toContain('socket')
  })

  test('a file of Toolhaven by a second name', async () => {
    await link(at('state', 'secrets'), at('project', 'copy'))
    expect(await exposed(at('project', 'copy'))).toContain('a file of Toolhaven')
    await link(at('project', 'note'), at('project', 'note-too'))
    expect(await exposed(at('project', 'note-too'))).toBe('nothing')
  })

  test('any other socket', async () => {
    const other = createServer().listen(at('project', 'mine.sock'))
    await new Promise((resolve) => other.once('listening', resolve))
    expect(await exposed(at('project', 'mine.sock'))).toMatch(/^a socket/)
    await new Promise((resolve) => other.close(resolve))
  })

  test('the kernel where it was mounted a second time, also from above', async () => {
    await writeFile(
      at('mounts'),
      `40 1 0:22 / ${at('chroot', 'proc')} rw - proc proc rw\n41 1 8:1 / / rw - ext4 /dev/sda rw\n`,
    )
    expect(await exposed(at('chroot'))).toContain(at('chroot', 'proc'))
    expect(await exposed(at('chroot', 'proc'))).toContain(at('chroot', 'proc'))
    expect(await exposed(at('project'))).toBe('nothing')
  })

  test('nothing else', async () => {
    for (const path of ['project', 'project/note', 'project/deep']) expect(await exposed(at(path))).toBe('nothing')
    expect(await readdir(at('project'))).toEqual(['deep', 'note'])
  })
})
