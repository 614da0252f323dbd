import { execFileSync, spawnSync } from 'node:child_process'
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { removeTree } from './remove-tree.ts'

/** Root may empty every folder, whatever its mode. */
const NOBODY = 65534

test('a folder goes with folders in it that nobody may open, and no link in it is followed', async () => {
  const root = await mkdtemp(join(tmpdir(), 'thv-remove-'))
  try {
    const folder = join(root, 'failed')
    const outside = join(root, 'outside')
    const paths = [outside, folder, join(folder, 'deep'), join(folder, 'deep', 'closed'), join(folder, 'closed')]
    for (const path of paths) await mkdir(path)
    await writeFile(join(folder, 'deep', 'closed', 'file'), 'x')
    await symlink(outside, join(folder, 'link'))
    if (process.getuid?.() === 0) for (const path of [root, ...paths]) await chown(path, NOBODY, NOBODY)
    for (const path of [join(folder, 'closed'), join(folder, 'deep', 'closed'), join(folder, 'deep')])
      await chmod(path, 0)
    await chmod(outside, 0o500)
    const module = new URL('remove-tree.ts', import.meta.url).href
    const script = `import(${JSON.stringify(module)}).then(({ removeTree }) => removeTree(${JSON.stringify(folder)}))`
    const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
    const { status, stderr } = spawnSync(process.execPath, ['-e', script], { ...user, encoding: 'utf8' })
    expect(status, stderr).toBe(0)
    await expect(stat(folder)).rejects.toMatchObject({ code: 'ENOENT' })
    expect((await stat(outside)).mode & 0o777).toBe(0o500)
  } finally {
    await rm(root, { recursive: true, force: true })
  }
})

const NEST = `import os, sys
os.chdir(sys.argv[1])
os.mkdir(b'\\xff\\xfe')
os.mkdir(b'\\xff\\xfe/inner\\x80')
open(b'\\xff\\xfe/inner\\x80/\\xc3', 'w').close()
# What the name reads like as text is another folder.
os.mkdir('\\ufffd\\ufffd')
os.symlink(sys.argv[2], b'link\\xff')
for depth in range(60):
    os.mkdir('n' * 200)
    os.chdir('n' * 200)
    os.symlink(sys.argv[2], 'link')
    open('file', 'w').close()
`

test('a folder goes with names that are no text, and with folders too deep for a path', async () => {
  const root = await mkdtemp(join(tmpdir(), 'thv-remove-'))
  try {
    const [folder, outside] = [join(root, 'failed'), join(root, 'outside')]
    for (const path of [folder, outside]) await mkdir(path)
    await writeFile(join(outside, 'mine'), 'kept')
    execFileSync('python3', ['-c', NEST, folder, outside])
    await removeTree(folder)
    expect(await readdir(root)).toEqual(['outside'])
    expect(await readFile(join(outside, 'mine'), 'utf8')).toBe('kept')
  } finally {
    execFileSync('rm', ['-rf', root])
  }
})

test('what cannot be removed is named, and the rest is gone', async (context) => {
  if (process.getuid?.() !== 0) return context.skip('only root can make a folder of another user')
  const root = await mkdtemp(join(tmpdir(), 'thv-remove-'))
  try {
    const folder = join(root, 'failed')
    for (const path of [folder, join(folder, 'foreign'), join(folder, 'own'), join(folder, 'own', 'inner')])
      await mkdir(path)
    await writeFile(join(folder, 'foreign', 'file'), 'x')
    for (const path of [root, folder, join(folder, 'own'), join(folder, 'own', 'inner')])
      await chown(path, NOBODY, NOBODY)
    const module = new URL('remove-tree.ts', import.meta.url).href
    const script = `import(${JSON.stringify(module)}).then(({ removeTree }) => removeTree(${JSON.stringify(folder)}))`
    const { status, stderr } = spawnSync(process.execPath, ['-e', script], {
      uid: NOBODY,
      gid: NOBODY,
      encoding: 'utf8',
    })
    expect(status).not.toBe(0)
    expect(stderr).toContain(join(folder, 'foreign'))
    expect(await readdir(folder)).toEqual(['foreign'])
  } finally {
    await rm(root, { recursive: true, force: true })
  }
})
