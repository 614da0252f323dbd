import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Mount } from '@toolhaven/core/ports/runtime'
import { refusePipeMounts } from './refuse-pipe-mounts.ts'

let dir: string
let project: string
beforeEach(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), 'thv-pipe-mounts-')))
  project = join(dir, 'project')
  await mkdir(join(project, 'below', 'deep'), { recursive: true })
})
afterEach(() => rm(dir, { recursive: true, force: true }))

const makePipe = (path: string | Buffer) => execFileSync('xargs', ['-0', 'mkfifo', '--'], { input: path })
const mountOf = (hostPath = project, containerPath = '/project'): Mount => ({
  ...{ hostPath, containerPath },
  readOnly: true,
})
const check = (mounts: readonly Mount[] = [mountOf()], mostEntries = 100) =>
  refusePipeMounts(mounts, AbortSignal.timeout(30_000), mostEntries)

it('a folder with a named pipe is refused, however deep it lies', async () => {
  const pipe = join(project, 'below', 'deep', 'orders')
  makePipe(pipe)
  await expect(check()).rejects.toMatchObject({
    code: 'invalid',
    message: expect.stringContaining(`holds a named pipe ("${pipe}")`),
  })
})

it('a folder with a pipe whose name or folder is not UTF-8 is refused', async () => {
  const folder = Buffer.from(`${project}/caf\xe9`, 'latin1')
  await mkdir(folder)
  makePipe(Buffer.concat([folder, Buffer.from('/orders')]))
  await expect(check()).rejects.toThrow('holds a named pipe')
})

it('a folder is mounted when pipes are elsewhere, also where its links lead', async () => {
  makePipe(join(dir, 'orders'))
  await symlink(join(dir, 'orders'), join(project, 'orders'))
  await symlink(dir, join(project, 'elsewhere'))
  await writeFile(join(dir, 'file'), '')
  await expect(check([mountOf(), mountOf(join(dir, 'file'), '/file')])).resolves.toBeUndefined()
})

it('a pipe that another mount lies over is not seen, and one beside it is', async () => {
  makePipe(join(project, 'below', 'orders'))
  const cover = mountOf(join(dir, 'cover'), '/project/below/orders')
  await writeFile(cover.hostPath, '')
  await expect(check([mountOf(), cover])).resolves.toBeUndefined()
  await expect(check([mountOf(), { ...cover, containerPath: '/elsewhere/below/orders' }])).rejects.toThrow('named pipe')
  makePipe(join(project, 'below', 'orders-2'))
  await expect(check([mountOf(), cover])).rejects.toThrow('orders-2')
})

it('what a folder covers is not searched', async () => {
  makePipe(join(project, 'below', 'deep', 'orders'))
  const covered = mountOf(join(dir, 'empty'), '/project/below')
  await mkdir(covered.hostPath)
  await expect(check([mountOf(), covered])).resolves.toBeUndefined()
})

it('a folder that is too large to search is refused', async () => {
  for (let at = 0; at < 10; at += 1) await writeFile(join(project, 'below', String(at)), '')
  await expect(check([mountOf()], 12)).resolves.toBeUndefined()
  await expect(check([mountOf()], 11)).rejects.toThrow('holds more than 11 files and folders')
})
