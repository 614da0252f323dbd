import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ThvError } from '@toolhaven/core/errors'
import { listFolders } from './list-folders.ts'

describe('folders below the home folder', () => {
  let root: string
  let home: string
  const list = (path: string) => listFolders(home, path)

  beforeEach(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), 'thv-folders-')))
    home = join(root, 'home')
    await mkdir(join(home, 'projects', 'website'), { recursive: true })
    await mkdir(join(home, 'notes'))
    await mkdir(join(home, '.ssh', 'keys'), { recursive: true })
    await mkdir(join(root, 'outside', 'secret'), { recursive: true })
    await writeFile(join(home, 'diary.txt'), 'mine')
    await symlink(join(root, 'outside'), join(home, 'way-out'))
    await symlink('circle', join(home, 'circle'))
    await symlink(join(home, '.ssh'), join(home, 'projects', 'hidden-by-link'))
  })
  afterEach(() => rm(root, { recursive: true, force: true }))

  test('are listed without files, hidden folders and links', async () => {
    expect(await list('')).toEqual({ path: home, folders: ['notes', 'projects'] })
    expect(await list('projects')).toEqual({ path: join(home, 'projects'), folders: ['website'] })
    expect(await list('~/projects/website')).toEqual({ path: join(home, 'projects', 'website'), folders: [] })
    expect(await list(join(home, 'projects'))).toMatchObject({ folders: ['website'] })
  })

  test.each([
    ['/', /not below the home folder/],
    ['..', /not below the home folder/],
    ['../outside', /not below the home folder/],
    ['projects/../../outside', /not below the home folder/],
    ['/etc', /not below the home folder/],
    ['.ssh', /hidden/],
    ['projects/../.ssh/keys', /hidden/],
    ['way-out', /symbolic link/],
    ['way-out/secret', /symbolic link/],
    ['projects/hidden-by-link/keys', /symbolic link/],
    ['diary.txt', /not a folder/],
    ['nowhere', /there is no folder/],
    ['a'.repeat(300), /longer than the file system allows/],
    ['circle', /too many symbolic links/],
  ])('%.40s is refused', async (path, why) => {
    const refusal: unknown = await list(path).catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(ThvError)
    expect(refusal).toHaveProperty('message', expect.stringMatching(why))
  })

  test('are listed as well where the home folder is reached through a link', async () => {
    const link = join(root, 'home-by-link')
    await symlink(home, link)
    expect(await listFolders(link, '~/projects')).toMatchObject({ folders: ['website'] })
    expect(await listFolders(link, join(link, 'projects'))).toMatchObject({ folders: ['website'] })
    expect(await listFolders(link, join(home, 'projects'))).toMatchObject({ folders: ['website'] })
  })
})
