import { chmod, mkdir, readFile, readdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { COVERS } from '@toolhaven/core/ports/hiding'
import type { Mount } from '@toolhaven/core/ports/runtime'
import { signal, type RuntimeCases, type Session } from './session.ts'

/** A folder with a file and a folder that are covered, and links to both. */
async function coveredFolder(
  { sharedFolder }: Session,
  readOnly: boolean,
): Promise<{ folder: string; mounts: Mount[] }> {
  const [folder, covers] = [await sharedFolder(), await sharedFolder()]
  for (const path of ['sub', 'sub/keys']) {
    await mkdir(join(folder, path))
    await chmod(join(folder, path), 0o777)
  }
  for (const path of ['.env', 'sub/keys/id', 'note']) {
    await writeFile(join(folder, path), 'canary')
    await chmod(join(folder, path), 0o666)
  }
  await symlink('.env', join(folder, 'to-file'))
  await symlink('/shared/sub/keys', join(folder, 'to-folder'))
  await writeFile(join(covers, COVERS.file), '', { mode: 0o444 })
  await mkdir(join(covers, COVERS.folder), { mode: 0o555 })
  const cover = (name: string, containerPath: string): Mount => ({
    hostPath: join(covers, name),
    containerPath,
    readOnly: true,
  })
  const mounts = [
    { hostPath: folder, containerPath: '/shared', readOnly },
    cover(COVERS.file, '/shared/.env'),
    cover(COVERS.folder, '/shared/sub/keys'),
  ]
  return { folder, mounts }
}

export const hidingCases: RuntimeCases = {
  'sees nothing of what a cover lies over, through links neither': async (session) => {
    for (const readOnly of [true, false]) {
      const { mounts } = await coveredFolder(session, readOnly)
      const paths = ['/shared/.env', '/shared/sub/keys', '/shared/to-file', '/shared/to-folder', '/shared/note']
      const seen: { seen: unknown }[] = JSON.parse((await session.run(['pry', ...paths], { mounts })).stdout)
      expect(seen.map((one) => one.seen)).toEqual(['', [], '', [], 'canary'])
    }
  },

  'cannot take a cover away, nor change what lies under it': async (session) => {
    const { folder, mounts } = await coveredFolder(session, false)
    const covered = ['/shared/.env', '/shared/sub/keys']
    const tried: { pried: string[] }[] = JSON.parse(
      (await session.run(['pry', ...covered, '/shared/note'], { mounts })).stdout,
    )
    expect(tried.slice(0, 2).map(({ pried }) => pried)).toEqual([[], []])
    expect(tried[2]?.pried).toContain('write')
    expect(await readFile(join(folder, '.env'), 'utf8')).toBe('canary')
    expect(await readdir(join(folder, 'sub/keys'))).toEqual(['id'])
  },

  'cannot rename the folders above a cover that are mounted over themselves': async (session) => {
    const { folder, mounts } = await coveredFolder(session, false)
    const pin = { hostPath: join(folder, 'sub'), containerPath: '/shared/sub', readOnly: false }
    const pried = async (all: Mount[]) => {
      const seen: { pried: string[] }[] = JSON.parse(
        (await session.run(['pry', '/shared/sub'], { mounts: all })).stdout,
      )
      return seen[0]?.pried
    }
    const pinned = await pried([...mounts.slice(0, 1), pin, ...mounts.slice(1)])
    expect(pinned).toContain('fill')
    expect(pinned).not.toContain('move')
    expect(await pried(mounts)).toContain('move')
  },

  'shows covers among its mounts to nobody': async (session) => {
    const { folder, mounts } = await coveredFolder(session, true)
    const { handle } = await session.open(['echo'], { mounts })
    const seen = await session.runtime.confinement?.(handle, signal())
    expect(seen?.mounts).toEqual([{ source: folder, target: '/shared', read_only: true }])
  },
}
