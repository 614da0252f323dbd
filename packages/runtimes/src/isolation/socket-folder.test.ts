import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { silentLogger } from '@toolhaven/fakes/memory-stores'
import { makeSocketFolder, passingSocketFolder, removeLostSocketFolders, socketFolder } from './socket-folder.ts'

test('folders of sockets go when their process is gone, and those of containers and of others stay', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'thv-sockets-'))
  try {
    const { pid: gone } = spawnSync('true')
    const lost = `abc-_9.${gone.toString(36)}`
    await mkdir(join(dir, lost))
    await writeFile(join(dir, lost, 'h'), '')
    await writeFile(join(dir, `${lost}.hosts`), '')
    const others = `abc-_9.${process.ppid.toString(36)}`
    await mkdir(join(dir, others))
    const container = socketFolder(dir, 'me', 'container')
    await makeSocketFolder(container)
    await removeLostSocketFolders(dir, silentLogger)
    expect((await readdir(dir)).toSorted()).toEqual([others, container.folder.slice(dir.length + 1)].toSorted())
    const own = passingSocketFolder(dir, 'me', 'server')
    await makeSocketFolder(own)
    expect(own.folder).not.toBe(passingSocketFolder(dir, 'me', 'other').folder)
    // The next daemon, which has the same number again in a container.
    await removeLostSocketFolders(dir, silentLogger)
    expect(await readdir(dir)).toHaveLength(2)
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
})
