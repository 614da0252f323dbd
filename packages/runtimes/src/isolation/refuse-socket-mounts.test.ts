import { once } from 'node:events'
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { refuseSocketMounts } from './refuse-socket-mounts.ts'

let dir: string
let project: string
beforeEach(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), 'thv-socket-mounts-')))
  project = join(dir, 'project')
  await mkdir(join(project, 'below'), { recursive: true })
})
afterEach(() => rm(dir, { recursive: true, force: true }))

/** In the kernel's format, one line for each socket: flags, type, state and name. Node only makes stream sockets. */
async function checkWith(lines: readonly [flags: string, type: string, state: string, name: string][]) {
  const text = lines.map(
    ([flags, type, state, name], at) =>
      `000000007e6d13b9: 00000002 00000000 ${flags} ${type} ${state} ${524_000 + at} ${name}\n`,
  )
  await mkdir(join(dir, 'proc', 'net'), { recursive: true })
  await writeFile(
    join(dir, 'proc', 'net', 'unix'),
    `Num       RefCount Protocol Flags    Type St Inode Path\n${text.join('')}`,
  )
  const mounts = [{ hostPath: project, containerPath: '/project', readOnly: true }]
  return refuseSocketMounts(mounts, join(dir, 'proc'))
}

it.each([
  ['a stream', '00010000', '0001', '01'],
  ['a stream that may listen later', '00000000', '0001', '01'],
  ['datagrams', '00000000', '0002', '01'],
  ['datagrams of a peer', '00000000', '0002', '03'],
  ['whole messages', '00010000', '0005', '01'],
])('a mounted folder with a socket for %s is refused', async (_what, flags, type, state) => {
  const name = join(project, 'below', 'a socket')
  await writeFile(name, '')
  await expect(checkWith([[flags, type, state, name]])).rejects.toThrow(`holds a socket (${name})`)
})

it('is refused when the program was in another folder, or came by a link', async () => {
  const server = createServer().listen(join(project, 'below', 's'))
  await once(server, 'listening')
  await mkdir(join(dir, 'proc', '7'), { recursive: true })
  await symlink(project, join(dir, 'proc', '7', 'cwd'))
  await symlink(project, join(dir, 'link'))
  const found = `holds a socket (${join(project, 'below', 's')})`
  await expect(checkWith([['00000000', '0002', '01', 'below/s']])).rejects.toThrow(found)
  await expect(checkWith([['00010000', '0001', '01', join(dir, 'link', 'below', 's')]])).rejects.toThrow(found)
  server.close()
})

it('is mounted when sockets are elsewhere, have no path, were removed, or are connections that somebody else took', async () => {
  await expect(
    checkWith([
      ['00010000', '0001', '01', join(dir, 'elsewhere')],
      ['00010000', '0001', '01', `${project}-of-another`],
      ['00010000', '0001', '01', `@${project}/abstract`],
      ['00000000', '0001', '03', join(project, 'taken')],
      ['00000000', '0002', '01', 'below/not-there'],
      ['00000000', '0001', '03', ''],
      ['00010000', '0001', '01', join(project, 'below', 'removed since')],
      ['00010000', '0001', '01', join(project, 'folder removed since', 's')],
    ]),
  ).resolves.toBeUndefined()
})

it('is refused when nobody can tell whether the socket is still there', async () => {
  await symlink('loop', join(project, 'loop'))
  const name = join(project, 'loop', 's')
  await expect(checkWith([['00010000', '0001', '01', name]])).rejects.toThrow(`holds a socket (${name})`)
})
