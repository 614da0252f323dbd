import { spawnSync } from 'node:child_process'
import { chmod, chown, mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'

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
